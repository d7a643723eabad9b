/** The text part of an email, as Markdown or as plain text. */
import { type Email, type EmailChart, type EmailSection, type Envelope, overline, safeLink } from './email.ts';

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

export function emailMarkdown(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = email;
  const parts = [
    `_${escapeMarkdown(overline(email))}_`,
    `# ${escapeMarkdown(heading)}`,
    ...lead.map(escapeMarkdown),
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

const chartMarkdown = ({ title, inWords }: EmailChart): string =>
  `## ${escapeMarkdown(title)}\n\n${escapeMarkdown(inWords)}`;

function sectionMarkdown({ heading, note, entries }: EmailSection): string {
  const shown = entries.map(({ title, text, about, address }) => {
    const link = safeLink(address);
    const name = link === undefined ? `**${escapeMarkdown(title)}**` : `**[${escapeMarkdown(title)}](<${link}>)**`;
    const lines = [about, text].filter((line) => line !== '').map((line) => `  ${escapeMarkdown(line)}`);
    return [`- ${name}`, ...lines].join('  \n');
  });
  return [
    `## ${escapeMarkdown(heading)}`,
    ...(note === undefined ? [] : [escapeMarkdown(note)]),
    shown.join('\n'),
  ].join('\n\n');
}

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
