/** The rows of a mail's table: a section, a chart, figures, and what is not in it. */
import { escapeHtml } from '../../shared/core/console.ts';
import type { EmailChart, EmailEntry, EmailFigures, EmailSection } from './letter.ts';
import { COLOURS, paragraph, remark, subheading } from './mail-look.ts';
import { safeLink } from './plain-words.ts';

const row = (inner: string): string =>
  `<tr><td class="line" style="padding:20px 24px 8px;border-top:1px solid ${COLOURS.line}">
${inner}
</td></tr>`;

export const sectionRows = ({ heading, note, entries }: EmailSection): string =>
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

/** Its title stands in the picture. Its words are its other form: a reader is given one of the two. */
export const chartRows = ({ title, inWords, picture }: EmailChart): string =>
  row(picture ? pictureHtml(picture.cid, inWords) : `${subheading(title)}\n${paragraph(inWords)}`);

const pictureHtml = (cid: string, inWords: string): string =>
  `<img src="cid:${escapeHtml(cid)}" width="480" alt="${escapeHtml(inWords)}" style="display:block;width:100%;max-width:480px;height:auto;margin:0 auto 12px;border:0;border-radius:8px;background-color:#ffffff;color:#1b2430;font-size:14px;line-height:20px">`;

export function figureRows({ heading, rows }: EmailFigures): string {
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

export const noteRows = (notes: string[]): string =>
  row([subheading('Not in this mail'), ...notes.map((note) => remark(note))].join('\n'));
