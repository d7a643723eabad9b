/** The text part of a mail: all that the HTML part says, for readers and programs that show no HTML. */
import type { Envelope, Letter, LetterChart, LetterSection } from './letter.ts';
import { overline } from './overline.ts';
import { linkOf } from './plain-words.ts';

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

export function mailText(letter: Letter, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = letter;
  const parts = [
    overline(letter, (kind) => kind.toUpperCase()),
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

const underlined = (text: string, with_: string): string => `${text}\n${with_.repeat(Math.min(72, text.length))}`;

const figureLine = ({ name, value, about }: { name: string; value: string; about: string }): string =>
  `- ${name}: ${value}${about === '' ? '' : ` (${about})`}`;

const chartText = ({ title, inWords }: LetterChart): string => `${underlined(title, '-')}\n\n${inWords}`;

function sectionText({ heading, note, entries }: LetterSection): string {
  const shown = entries.map(({ title, text, about, address }) =>
    [`* ${title}`, about, text, linkOf(address) ?? ''].filter((line) => line !== '').join('\n  '),
  );
  return [underlined(heading, '-'), ...(note === undefined ? [] : [note]), ...shown].join('\n\n');
}
