/** The HTML part of an email: tables and inline styles only, because mail clients support little else. */
import { escapeHtml } from '../../shared/core/console.ts';
import {
  type Email,
  type EmailChart,
  type EmailEntry,
  type EmailFigures,
  type EmailSection,
  type Envelope,
  overline,
  safeLink,
} from './email.ts';

/** Colors with good contrast against their background. */
const COLOURS = {
  page: '#eef1f5',
  card: '#ffffff',
  words: '#1b2430',
  quiet: '#566273',
  link: '#1f5fbf',
  line: '#dfe4ea',
} as const;

const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;text-align:left";

/** The dark style is the only style sheet; clients that ignore it show the light email. Pictures stay light. */
const DARK_STYLE = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '@media (prefers-color-scheme:dark){',
  '.page{background-color:#12161c!important}',
  '.card{background-color:#1c222b!important}',
  '.words{color:#edf1f6!important}',
  '.quiet{color:#a5b0be!important}',
  '.link{color:#8cb8ff!important}',
  '.line{border-color:#36404d!important}',
  '}',
].join('');

type Size = { text: number; line: number; below: number };

const paragraph = (text: string, { text: size, line, below }: Size = { text: 16, line: 24, below: 12 }): string =>
  `<p class="words" style="margin:0 0 ${below}px;font-size:${size}px;line-height:${line}px;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

const subheading = (text: string): string =>
  `<h2 class="words" style="margin:0 0 12px;font-size:18px;line-height:25px;font-weight:700;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(text)}</h2>`;

const remark = (text: string): string =>
  `<p class="quiet" style="margin:0 0 12px;font-size:14px;line-height:20px;color:${COLOURS.quiet};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

/** A row of the email's table: a section, a chart, figures, or notes. */
const row = (inner: string): string =>
  `<tr><td class="line" style="padding:20px 24px 8px;border-top:1px solid ${COLOURS.line}">
${inner}
</td></tr>`;

const sectionRows = ({ heading, note, entries }: EmailSection): string =>
  row([subheading(heading), ...(note === undefined ? [] : [remark(note)]), ...entries.map(entryHtml)].join('\n'));

function entryHtml({ title, text, address, about }: EmailEntry): string {
  const link = safeLink(address);
  const name =
    link === undefined
      ? escapeHtml(title)
      : `<a class="link" href="${escapeHtml(link)}" style="color:${COLOURS.link};text-decoration:none">${escapeHtml(title)}</a>`;
  return [
    `<p class="words" style="margin:0 0 2px;font-size:16px;line-height:23px;font-weight:600;color:${COLOURS.words};overflow-wrap:anywhere">${name}</p>`,
    about === ''
      ? ''
      : `<p class="quiet" style="margin:0 0 4px;font-size:13px;line-height:18px;color:${COLOURS.quiet}">${escapeHtml(about)}</p>`,
    text === '' ? '' : paragraph(text, { text: 15, line: 22, below: 18 }),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The picture contains its title, and the words are its alternative text: readers get one or the other. */
const chartRows = ({ title, inWords, picture }: EmailChart): string =>
  row(picture ? pictureHtml(picture.cid, inWords) : `${subheading(title)}\n${paragraph(inWords)}`);

const pictureHtml = (cid: string, inWords: string): string =>
  `<img src="cid:${escapeHtml(cid)}" width="480" alt="${escapeHtml(inWords)}" style="display:block;width:100%;max-width:480px;height:auto;margin:0 auto 12px;border:0;border-radius:8px;background-color:#ffffff;color:#1b2430;font-size:14px;line-height:20px">`;

function figureRows({ heading, rows }: EmailFigures): string {
  const cell = `padding:7px 0;font-size:15px;line-height:21px;border-bottom:1px solid ${COLOURS.line}`;
  const lines = rows.map(({ name, value, about }) => {
    const when =
      about === ''
        ? ''
        : `<br><span class="quiet" style="font-size:13px;color:${COLOURS.quiet}">${escapeHtml(about)}</span>`;
    return `<tr><td class="words line" style="${cell};color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(name)}${when}</td>
<td class="words line" align="right" style="${cell};padding-left:12px;font-weight:600;color:${COLOURS.words};white-space:nowrap">${escapeHtml(value)}</td></tr>`;
  });
  return row(
    `${subheading(heading)}
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 12px;border-collapse:collapse">
${lines.join('\n')}
</table>`,
  );
}

const noteRows = (notes: string[]): string =>
  row([subheading('Not in this mail'), ...notes.map((note) => remark(note))].join('\n'));

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

export function emailHtml(email: Email, reader: Reader): string {
  const { subject, preheader, charts, sections, notes, figures } = email;
  const rows = [
    headRow(email),
    ...(figures ? [figureRows(figures)] : []),
    ...charts.map(chartRows),
    ...sections.map(sectionRows),
    ...(notes.length > 0 ? [noteRows(notes)] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${DARK_STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:${COLOURS.page};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preheader)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${COLOURS.page}">
<tr><td align="center" style="padding:16px 8px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background-color:${COLOURS.card};border-radius:12px;${FONT}">
${rows.join('\n')}
</table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;${FONT}">
${footRow(reader)}
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function headRow(email: Email): string {
  const { heading, lead } = email;
  const above = escapeHtml(overline(email));
  return `<tr><td style="padding:28px 24px 4px">
<p class="quiet" style="margin:0 0 8px;font-size:13px;line-height:18px;color:${COLOURS.quiet};overflow-wrap:anywhere">${above}</p>
<h1 class="words" style="margin:0 0 16px;font-size:24px;line-height:31px;font-weight:700;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(heading)}</h1>
${lead.map((text) => paragraph(text)).join('\n')}
</td></tr>`;
}

function footRow({ reason, unsubscribeAddress }: Reader): string {
  const link = `<a class="quiet" href="${escapeHtml(unsubscribeAddress)}" style="color:${COLOURS.quiet};text-decoration:underline">Unsubscribe</a>`;
  return `<tr><td align="center" style="padding:20px 24px 28px">
<p class="quiet" style="margin:0;font-size:13px;line-height:20px;color:${COLOURS.quiet};overflow-wrap:anywhere">${escapeHtml(reason)}<br>${link}</p>
</td></tr>`;
}
