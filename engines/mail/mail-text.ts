/** The text part of a mail: all that the HTML part says, for readers and programs that show no HTML. */
import type { Email, EmailChart, EmailSection, Envelope } from './letter.ts';
import { overline } from './overline.ts';
import { safeLink } from './plain-words.ts';

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

export function emailText(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = email;
  const parts = [
    overline(email, (kind) => kind.toUpperCase()),
    underlined(heading, '='),
    ...lead,
    ...(figures ? [underlined(figures.heading, '-'), figures.rows.map(figureLine).join('\n')] : []),
    ...charts.map(chartText),
    ...sections.map(sectionText),
    ...(notes.length > 0 ? [underlined('Not in this mail', '-'), notes.map((note) => `- ${note}`).join('\n')] : []),
    `-- \n${reason}\nUnsubscribe: ${unsubscribeAddress}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const underlined = (text: string, line: string): string => `${text}\n${line.repeat(Math.min(72, text.length))}`;

const figureLine = ({ name, value, about }: { name: string; value: string; about: string }): string =>
  `- ${name}: ${value}${about === '' ? '' : ` (${about})`}`;

const chartText = ({ title, inWords }: EmailChart): string => `${underlined(title, '-')}\n\n${inWords}`;

function sectionText({ heading, note, entries }: EmailSection): string {
  const shown = entries.map(({ title, text, about, address }) =>
    [`* ${title}`, about, text, safeLink(address) ?? ''].filter((line) => line !== '').join('\n  '),
  );
  return [underlined(heading, '-'), ...(note === undefined ? [] : [note]), ...shown].join('\n\n');
}
