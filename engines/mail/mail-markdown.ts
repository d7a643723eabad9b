/** The text part of a mail as Markdown. Foreign words stay words, whatever signs they hold. */
import type { Envelope, Letter, LetterChart, LetterSection } from './letter.ts';
import { overline } from './overline.ts';
import { linkOf } from './plain-words.ts';

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

export function mailMarkdown(letter: Letter, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = letter;
  const parts = [
    `_${plain(overline(letter))}_`,
    `# ${plain(heading)}`,
    ...lead.map(plain),
    ...(figures ? [`## ${plain(figures.heading)}`, table(figures.rows)] : []),
    ...charts.map(chart),
    ...sections.map(section),
    ...(notes.length > 0 ? ['## Not in this mail', notes.map((note) => `- ${plain(note)}`).join('\n')] : []),
    '---',
    `${plain(reason)} [Unsubscribe](<${unsubscribeAddress}>)`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Neither a sign inside of a word, nor one that no entity or heading follows from. */
const ACTING = /[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)|(?<=^|\s)#(?=#*(?:\s|$))/gu;

/** Escaped where Markdown, or HTML inside of it, would read more than a sign. */
const plain = (text: string): string =>
  text
    .replaceAll(ACTING, '\\$&')
    .replace(/^(\s*)([-+](?=\s|$)|[-=](?=[-=\s]*$))/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

const table = (rows: { name: string; value: string; about: string }[]): string =>
  [
    '| | | |',
    '| --- | ---: | --- |',
    ...rows.map((row) => `| ${[row.name, row.value, row.about].map(plain).join(' | ')} |`),
  ].join('\n');

const chart = ({ title, inWords }: LetterChart): string => `## ${plain(title)}\n\n${plain(inWords)}`;

function section({ heading, note, entries }: LetterSection): string {
  const shown = entries.map(({ title, text, about, address }) => {
    const link = linkOf(address);
    const name = link === undefined ? `**${plain(title)}**` : `**[${plain(title)}](<${link}>)**`;
    const lines = [about, text].filter((line) => line !== '').map((line) => `  ${plain(line)}`);
    return [`- ${name}`, ...lines].join('  \n');
  });
  return [`## ${plain(heading)}`, ...(note === undefined ? [] : [plain(note)]), shown.join('\n')].join('\n\n');
}
