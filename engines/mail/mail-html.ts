/**
 * The HTML part of a mail: tables and inline styles only, as programs that read mail know little else. The one style
 * sheet says what changes where it is dark; whoever leaves it out sees all of the mail.
 */
import { escapeHtml } from '../../shared/core/console.ts';
import type { Email, Envelope } from './letter.ts';
import { COLOURS, DARK_STYLE, FONT, paragraph } from './mail-look.ts';
import { chartRows, figureRows, noteRows, sectionRows } from './mail-rows.ts';
import { overline } from './overline.ts';

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
