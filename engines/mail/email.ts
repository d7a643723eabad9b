/** An email: its data, the cleaning of foreign text, and its bytes, HTML and text for one recipient. Equal input gives equal bytes. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../shared/core/console-page.ts';

/** `about`: date and place of publication, in words; `address` becomes a link if it is an http or https URL, and is dropped otherwise. */
export type EmailSource = { about: string; address?: string };

export type EmailEntry = EmailSource & {
  title: string;
  text: string;
  /** Further notices of the same event. */
  others?: EmailSource[];
};

/** A text of the sender, apart from what the e-mail says itself. Without an introduction, the heading introduces it. */
export type EmailMessage = { introduction?: string; paragraphs: string[] };

/** The passages of sources for which the e-mail is sent. `why`: what they are evidence for. */
export type EmailEvidence = { heading: string; why: string; quotes: (EmailSource & { quote: string })[] };

export type EmailSection = {
  heading: string;
  /** A remark about the whole section. */
  note?: string;
  entries: EmailEntry[];
};

/** A table of names and values. */
export type EmailFigures = { heading: string; rows: { name: string; value: string; about: string }[] };

export type EmailChart = {
  title: string;
  /** The chart described in words. */
  inWords: string;
  /** The Content-ID and the bytes as base64. Without a picture, only the words are shown. */
  picture?: { cid: string; png: string };
};

export type Email = {
  subject: string;
  /** The preview text that mail clients show next to the subject. */
  preheader: string;
  /** Shown above the heading, such as `Weekly report`, unless it is empty or equals the heading. */
  kind: string;
  heading: string;
  /** The date in words. */
  date: string;
  message?: EmailMessage;
  lead: string[];
  evidence?: EmailEvidence;
  figures?: EmailFigures;
  charts: EmailChart[];
  sections: EmailSection[];
  /** Names content that could not be retrieved. */
  notes: string[];
};

/** The part of an email that differs between recipients. */
type Envelope = {
  from: { name: string; address: string };
  to: string;
  messageId: string;
  at: number;
  /** Why the recipient gets this email. */
  reason: string;
  unsubscribeAddress: string;
};

export type EmailFormat = 'html' | 'markdown' | 'text';

/** The line above the heading: the kind of email, unless the heading is the same, and the date. */
const overline = ({ kind, heading, date }: Email, format = (words: string) => words): string =>
  [...(kind === heading || kind === '' ? [] : [format(kind)]), date].join(' · ');

/**
 * Control characters, direction marks, zero-width characters, and line separators. They could break a header, or hide
 * or reorder text.
 */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{AD}\u{200B}-\u{200D}\u{2060}-\u{2064}\u{FEFF}\p{Cs}\p{Co}]+/gu;

/**
 * Returns one line of at most `max` characters. Longer text is cut between two words if possible, and ends with `…`.
 */
export function cleanLine(text: string, max: number): string {
  const line = text.toWellFormed().replaceAll(UNSAFE_CHARACTERS, ' ').replaceAll(/\s+/gu, ' ').trim();
  return shorten(line, max);
}

/** Returns the paragraphs, each as one line. */
export function paragraphsOf(text: string, max: number): string[] {
  const paragraphs = text.split(/\r\n?|\n/u).map((line) => cleanLine(line, max));
  const cutParagraphs: string[] = [];
  let room = max;
  for (const paragraph of paragraphs.filter((line) => line !== '')) {
    if (room < 20) break;
    cutParagraphs.push(shorten(paragraph, room));
    room -= paragraph.length;
  }
  return cutParagraphs;
}

function shorten(line: string, max: number): string {
  if (line.length <= max) return line;
  const short = line
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '');
  const space = short.lastIndexOf(' ');
  return `${(space > max / 2 ? short.slice(0, space) : short).trimEnd()}…`;
}

/** Returns undefined if the URL must not become a link. */
export function safeLink(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.href.length <= 2_048 ? url.href : undefined;
}

const MAX_SUBJECT = 150;
const MAX_NAME = 80;

export async function composeEmail(email: Email, envelope: Envelope, format: EmailFormat): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, messageId, at, unsubscribeAddress } = envelope;
  const composer = new MailComposer({
    from: { name: headerLine(from.name, MAX_NAME), address: from.address },
    to: { name: '', address: to },
    subject: headerLine(email.subject, MAX_SUBJECT),
    messageId,
    date: new Date(at),
    headers: {
      'List-Unsubscribe': { prepared: true, value: `<${unsubscribeAddress}>` },
      'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
      'Auto-Submitted': 'auto-generated',
      // SES replaces the Message-ID, so this header keeps the original one.
      'X-Errand-Mail': messageId.replaceAll(/[<>]/g, ''),
    },
    text: format === 'markdown' ? emailMarkdown(email, envelope) : emailText(email, envelope),
    ...(format === 'text' ? {} : htmlOf(email, envelope)),
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
    // Content of an email must never read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: '\r\n',
  });
  return composer.compile().build();
}

/** Each recipient has a signed link to unsubscribe; a preview has no recipient, so that its link leads nowhere. */
const NO_LINK = { html: '#unsubscribe', text: '(a link for each recipient)' };

/** The parts of the e-mail as its recipients see them, on one page: its pictures are inside of the HTML. */
export function previewParts(email: Email, reason: string, format: EmailFormat): { html?: string; text: string } {
  const reader = { reason, unsubscribeAddress: NO_LINK.text };
  const text = format === 'markdown' ? emailMarkdown(email, reader) : emailText(email, reader);
  if (format === 'text') return { text };
  const html = { reason, unsubscribeAddress: NO_LINK.html };
  return { html: emailHtml(email, html, ({ png }) => `data:image/png;base64,${png}`), text };
}

/** Breaks up text that looks like an encoded word (RFC 2047), as mail clients would decode it. */
const headerLine = (text: string, max: number): string => cleanLine(text, max).replaceAll('=?', '= ?');

const htmlOf = (email: Email, envelope: Envelope) => ({
  html: emailHtml(email, envelope),
  attachments: email.charts.flatMap(({ picture }, at) =>
    picture
      ? [
          {
            cid: picture.cid,
            filename: `chart-${at + 1}.png`,
            content: Buffer.from(picture.png, 'base64'),
            contentType: 'image/png',
            contentDisposition: 'inline',
          },
        ]
      : [],
  ),
});

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

function emailMarkdown(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, message, lead, evidence, figures, charts, sections, notes } = email;
  const parts = [
    `_${escapeMarkdown(overline(email))}_`,
    `# ${escapeMarkdown(heading)}`,
    ...(message?.introduction ? [escapeMarkdown(message.introduction)] : []),
    ...(message?.paragraphs ?? []).map(quotedMarkdown),
    ...lead.map(escapeMarkdown),
    ...(evidence ? [evidenceMarkdown(evidence)] : []),
    ...(figures ? [`## ${escapeMarkdown(figures.heading)}`, figuresMarkdown(figures.rows)] : []),
    ...charts.map(chartMarkdown),
    ...sections.map(sectionMarkdown),
    ...(notes.length > 0 ? ['## Not in this mail', notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n')] : []),
    '---',
    `${escapeMarkdown(reason)} [Unsubscribe](<${unsubscribeAddress}>)`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Excludes characters inside words, and those that cannot begin an entity or a heading. */
const MARKUP_CHARACTERS = /[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)|(?<=^|\s)#(?=#*(?:\s|$))/gu;

/** Escapes what Markdown, or HTML inside it, would interpret. */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(MARKUP_CHARACTERS, '\\$&')
    .replace(/^(\s*)([-+](?=\s|$)|[-=](?=[-=\s]*$))/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

const figuresMarkdown = (rows: { name: string; value: string; about: string }[]): string =>
  [
    '| | | |',
    '| --- | ---: | --- |',
    ...rows.map((row) => `| ${[row.name, row.value, row.about].map(escapeMarkdown).join(' | ')} |`),
  ].join('\n');

const quotedMarkdown = (text: string): string => `> ${escapeMarkdown(text)}`;

const evidenceMarkdown = ({ heading, why, quotes }: EmailEvidence): string =>
  [
    `## ${escapeMarkdown(heading)}`,
    escapeMarkdown(why),
    ...quotes.map(({ quote, ...source }) => `${quotedMarkdown(quote)}\n>\n> ${sourceMarkdown(source)}`),
  ].join('\n\n');

function sourceMarkdown({ about, address }: EmailSource): string {
  const link = safeLink(address);
  return link === undefined ? escapeMarkdown(about) : `[${escapeMarkdown(about)}](<${link}>)`;
}

const chartMarkdown = ({ title, inWords }: EmailChart): string =>
  `## ${escapeMarkdown(title)}\n\n${escapeMarkdown(inWords)}`;

function sectionMarkdown({ heading, note, entries }: EmailSection): string {
  const items = entries.map(({ title, text, about, address, others = [] }) => {
    const link = safeLink(address);
    const name = link === undefined ? `**${escapeMarkdown(title)}**` : `**[${escapeMarkdown(title)}](<${link}>)**`;
    const lines = [escapeMarkdown(about), ...others.map(sourceMarkdown), escapeMarkdown(text)];
    return [`- ${name}`, ...lines.filter((line) => line !== '').map((line) => `  ${line}`)].join('  \n');
  });
  return [
    `## ${escapeMarkdown(heading)}`,
    ...(note === undefined ? [] : [escapeMarkdown(note)]),
    ...(items.length > 0 ? [items.join('\n')] : []),
  ].join('\n\n');
}

function emailText(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, message, lead, evidence, figures, charts, sections, notes } = email;
  const parts = [
    overline(email, (kind) => kind.toUpperCase()),
    underline(heading, '='),
    ...(message?.introduction ? [message.introduction] : []),
    ...(message?.paragraphs ?? []).map((text) => `> ${text}`),
    ...lead,
    ...(evidence ? [underline(evidence.heading, '-'), evidence.why, ...evidence.quotes.map(evidenceText)] : []),
    ...(figures ? [underline(figures.heading, '-'), figures.rows.map(figureLine).join('\n')] : []),
    ...charts.map(chartText),
    ...sections.map(sectionText),
    ...(notes.length > 0 ? [underline('Not in this mail', '-'), notes.map((note) => `- ${note}`).join('\n')] : []),
    `-- \n${reason}\nUnsubscribe: ${unsubscribeAddress}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const underline = (text: string, line: string): string => `${text}\n${line.repeat(Math.min(72, text.length))}`;

const figureLine = ({ name, value, about }: { name: string; value: string; about: string }): string =>
  `- ${name}: ${value}${about === '' ? '' : ` (${about})`}`;

const evidenceText = ({ quote, ...source }: EmailSource & { quote: string }): string =>
  [`> ${quote}`, ...sourceText(source)].join('\n  ');

const sourceText = ({ about, address }: EmailSource): string[] =>
  [about, safeLink(address) ?? ''].filter((line) => line !== '');

const chartText = ({ title, inWords }: EmailChart): string => `${underline(title, '-')}\n\n${inWords}`;

function sectionText({ heading, note, entries }: EmailSection): string {
  const items = entries.map(({ title, text, about, address, others = [] }) =>
    [`* ${title}`, about, text, safeLink(address) ?? '', ...others.flatMap(sourceText)]
      .filter((line) => line !== '')
      .join('\n  '),
  );
  return [underline(heading, '-'), ...(note === undefined ? [] : [note]), ...items].join('\n\n');
}

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

function entryHtml({ title, text, address, about, others = [] }: EmailEntry): string {
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
    ...others.map(sourceHtml),
    text === '' ? '' : paragraph(text, { text: 15, line: 22, below: 18 }),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function sourceHtml({ about, address }: EmailSource): string {
  const link = safeLink(address);
  const name =
    link === undefined
      ? escapeHtml(about)
      : `<a class="link" href="${escapeHtml(link)}" style="color:${COLOURS.link};text-decoration:none">${escapeHtml(about)}</a>`;
  return `<p class="quiet" style="margin:0 0 4px;font-size:13px;line-height:18px;color:${COLOURS.quiet}">${name}</p>`;
}

/** Text of others, set apart by a line at its side. */
const quotedHtml = (text: string): string =>
  `<p class="words line" style="margin:0 0 8px;padding:0 0 0 12px;border-left:3px solid ${COLOURS.line};font-size:16px;line-height:24px;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

const messageRow = ({ introduction, paragraphs }: EmailMessage): string =>
  row([...(introduction ? [remark(introduction)] : []), ...paragraphs.map(quotedHtml)].join('\n'));

const evidenceRow = ({ heading, why, quotes }: EmailEvidence): string =>
  row(
    [
      subheading(heading),
      remark(why),
      ...quotes.flatMap(({ quote, ...source }) => [quotedHtml(quote), sourceHtml(source)]),
    ].join('\n'),
  );

type Picture = NonNullable<EmailChart['picture']>;

/** The URL from which a mail program loads a picture. */
type PictureUrl = (picture: Picture) => string;

const attachedPicture: PictureUrl = ({ cid }) => `cid:${cid}`;

/** The picture contains its title, and the words are its alternative text: readers get one or the other. */
const chartRows = ({ title, inWords, picture }: EmailChart, urlOf: PictureUrl): string =>
  row(picture ? pictureHtml(urlOf(picture), inWords) : `${subheading(title)}\n${paragraph(inWords)}`);

const pictureHtml = (url: string, inWords: string): string =>
  `<img src="${escapeHtml(url)}" width="480" alt="${escapeHtml(inWords)}" style="display:block;width:100%;max-width:480px;height:auto;margin:0 auto 12px;border:0;border-radius:8px;background-color:#ffffff;color:#1b2430;font-size:14px;line-height:20px">`;

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

function emailHtml(email: Email, reader: Reader, pictureUrl = attachedPicture): string {
  const { subject, preheader, message, lead, evidence, charts, sections, notes, figures } = email;
  const rows = [
    headRow(email),
    ...(message ? [messageRow(message)] : []),
    ...(message && lead.length > 0 ? [row(paragraphsHtml(lead))] : []),
    ...(evidence ? [evidenceRow(evidence)] : []),
    ...(figures ? [figureRows(figures)] : []),
    ...charts.map((chart) => chartRows(chart, pictureUrl)),
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

const paragraphsHtml = (lead: readonly string[]): string => lead.map((text) => paragraph(text)).join('\n');

/** The introduction stands below the message of the sender, if there is one. */
function headRow(email: Email): string {
  const { heading, message, lead } = email;
  const above = escapeHtml(overline(email));
  return `<tr><td style="padding:28px 24px 4px">
<p class="quiet" style="margin:0 0 8px;font-size:13px;line-height:18px;color:${COLOURS.quiet};overflow-wrap:anywhere">${above}</p>
<h1 class="words" style="margin:0 0 16px;font-size:24px;line-height:31px;font-weight:700;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(heading)}</h1>
${message ? '' : paragraphsHtml(lead)}
</td></tr>`;
}

function footRow({ reason, unsubscribeAddress }: Reader): string {
  const link = `<a class="quiet" href="${escapeHtml(unsubscribeAddress)}" style="color:${COLOURS.quiet};text-decoration:underline">Unsubscribe</a>`;
  return `<tr><td align="center" style="padding:20px 24px 28px">
<p class="quiet" style="margin:0;font-size:13px;line-height:20px;color:${COLOURS.quiet};overflow-wrap:anywhere">${escapeHtml(reason)}<br>${link}</p>
</td></tr>`;
}
