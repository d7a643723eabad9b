/** What a verb answers, as JSON or as aligned text. */

export type CommandOutput = Record<string, unknown>;
/** `failed`: what is shown is no good, and the line ends as one that failed. */
export type ShownValue = { report: CommandOutput | CommandOutput[]; note?: string; failed?: true };

/** What goes with every answer that holds a secret. */
export const SHOWN_ONCE = 'Keep the secrets above now: they are shown this once.';

export const jsonOf = ({ report }: ShownValue): string => JSON.stringify(report);

export function textOf({ report, note }: ShownValue): string {
  const table = Array.isArray(report) ? listText(report) : recordText(report);
  return note === undefined ? table : `${table}\n\n${note}`;
}

function recordText(report: CommandOutput): string {
  return aligned(Object.entries(report).map(([name, value]) => [name, cell(value)]));
}

function listText(rows: CommandOutput[]): string {
  const [first] = rows;
  if (!first) return '  none';
  const names = Object.keys(first);
  return aligned([names, ...rows.map((row) => names.map((name) => cell(row[name])))]);
}

function aligned(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines
    .map((line) => line.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text))))
    .map((line) => `  ${line.join('  ')}`.trimEnd())
    .join('\n');
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;
const widthOf = (text: string): number =>
  Array.from(text.replace(/[\p{M}\p{Cf}]/gu, '')).reduce((width, sign) => width + (WIDE.test(sign) ? 2 : 1), 0);

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value !== 'object') return plain(String(value));
  const parts = Object.entries(value).map(([name, inner]) =>
    typeof inner === 'object' ? `${plain(name)} (${cell(inner)})` : `${plain(name)} ${cell(inner)}`,
  );
  return parts.join(', ') || '-';
}

/** Nothing that was stored can move the cursor or colour the terminal. */
const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

export const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
