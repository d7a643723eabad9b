/** The key-value pairs of a document: on lines, in forms, and in tables of two columns. */

import { oneLine } from '../../shared/core/one-line.ts';
import LABELS from './form-labels.json' with { type: 'json' };
import { phrasesPattern } from './phrases.ts';
import { type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';
import { type MarkdownCell, type MarkdownRow, placedLines, tablesIn } from './tables.ts';

const KEY = "\\p{L}[\\p{L}\\d .'’/&()°º#-]{0,39}?";

const PAIR = new RegExp(`^(?:[>*\\-\\s]{0,6})(?<key>${KEY})\\*{0,2} ?:\\*{0,2}[ \\t\\u00a0]+(?<value>\\S.*)$`, 'u');

const MAX_WORDS = 5;

const MAX_VALUE = 300;

export const keyValuePairs: Rule = (text) =>
  withoutOverlaps([...onLines(text), ...belowLabels(text), ...inTables(text)]);

const pairOf = (key: string, value: string): Pick<RuleMatch, 'value' | 'more'> => ({
  value: `${key} = ${value}`,
  more: { key, value },
});

function onLines(text: string): RuleMatch[] {
  return placedLines(text).flatMap(({ text: line, start }): RuleMatch[] => {
    const { key = '', value = '' } = PAIR.exec(line)?.groups ?? {};
    const name = oneLine(key);
    if (name === '' || line.startsWith('|') || value.length > MAX_VALUE || name.split(' ').length > MAX_WORDS)
      return [];
    const at = line.indexOf(key);
    return [
      { start: start + at, end: start + line.trimEnd().length, ...pairOf(name, oneLine(value).replace(/\*+$/, '')) },
    ];
  });
}

/** What the boxes of a form are called, in English, German, French, Spanish and Italian. */
const FORM_LABELS = phrasesPattern(LABELS);
const FORM_LABEL = new RegExp(`^(?:${FORM_LABELS})[*:]?$`, 'iu');
/** A label and its value in one box, where the longest label counts: the reader joins the lines of a cell. */
const BOX = new RegExp(
  `^(?<key>(?:${FORM_LABELS})(?:,? (?:${FORM_LABELS}))?)(?: \\([^)|]{1,60}\\))?(?:[*:]? |: ?|<br>)(?=[^\\s:])(?<value>.+)$`,
  'iu',
);
const BROKEN = /^(?<key>\p{L}[^\d<]{1,39}?)<br>(?<value>.+)$/u;
const MAX_BOX = 200;

function boxOf({ text, start, end }: MarkdownCell): RuleMatch | undefined {
  const short = text.length > MAX_BOX ? '' : text;
  const { key, value } = (BROKEN.exec(short) ?? BOX.exec(short))?.groups ?? {};
  return key && value && !FORM_LABEL.test(short) ? { start, end, ...pairOf(oneLine(key), oneLine(value)) } : undefined;
}

const MIN_PAIRS = 3;

/** A form whose lines are labels and values by turns. */
function belowLabels(text: string): RuleMatch[] {
  const lines = placedLines(text).filter(({ text: line }) => line.trim() !== '');
  const isLabel = (at: number) => FORM_LABEL.test(lines[at]?.text.trim() ?? '');
  const isValue = (at: number) =>
    !isLabel(at) && /^[^|#]/.test(lines[at]?.text ?? '') && !lines[at]?.text.includes(': ');
  const matches: RuleMatch[] = [];
  for (let at = 0; at < lines.length; at++) {
    let pairs = 0;
    while (isLabel(at + 2 * pairs) && isValue(at + 2 * pairs + 1)) pairs++;
    if (pairs < MIN_PAIRS) continue;
    for (const end = at + 2 * pairs; at < end; at += 2) {
      const [key, value] = [lines[at], lines[at + 1]];
      if (!key || !value) continue;
      const { start, text: line } = value;
      matches.push({ start, end: start + line.trimEnd().length, ...pairOf(nameIn(key.text), oneLine(line)) });
    }
    at--;
  }
  return matches;
}

const filled = (row: MarkdownRow): MarkdownCell[] => row.cells.filter(({ text }) => text.trim() !== '');

/** A form to write on, with the labels under the lines: a label and the value of the next line share a cell. */
function aboveLabels(rows: readonly MarkdownRow[]): RuleMatch[] | undefined {
  const columns = rows[0]?.cells ?? [];
  const pairs = columns.flatMap((_, column): [key: string, value: MarkdownCell][] => {
    const cells = rows.map((row) => row.cells[column]).filter((cell) => cell !== undefined && cell.text !== '');
    const keys = cells.map((cell) => (FORM_LABEL.test(cell?.text ?? '') ? cell?.text : boxKeyOf(cell)));
    return cells.slice(1).flatMap((cell, at): [string, MarkdownCell][] => {
      const [above, key] = [cells[at], keys[at + 1]];
      if (!cell || !above || key === undefined) return [];
      const begin = above.text.length - boxValueOf(above).length;
      return [[key, { ...above, text: boxValueOf(above), start: above.start + begin }]];
    });
  });
  const [first, last] = [rows[0], rows.at(-1)];
  const isForm =
    rows.length > 2 &&
    !first?.cells.some((cell) => FORM_LABEL.test(cell.text) || boxOf(cell)) &&
    last !== undefined &&
    filled(last).every(({ text }) => FORM_LABEL.test(text)) &&
    pairs.length === rows.slice(1).flatMap(filled).length;
  return isForm ? pairs.map(([key, value]) => pairIn({ ...value, text: key }, value)) : undefined;
}

const moreOf = (cell: MarkdownCell | undefined): Record<string, unknown> => (cell && boxOf(cell)?.more) ?? {};
const boxKeyOf = (cell: MarkdownCell | undefined): string | undefined => {
  const { key } = moreOf(cell);
  return typeof key === 'string' ? key : undefined;
};
const boxValueOf = (cell: MarkdownCell): string => {
  const { value } = moreOf(cell);
  return typeof value === 'string' ? value : cell.text;
};

/** A form of boxes, each with its label above the value. */
function inBoxes(rows: readonly MarkdownRow[]): RuleMatch[] | undefined {
  const cells = rows.flatMap(filled);
  const boxes = cells.flatMap((cell) => boxOf(cell) ?? []);
  return cells.length > 2 && boxes.length * 2 > cells.length ? boxes : undefined;
}

/** A form whose rows are labels and values by turns. */
function alternatingRows(rows: readonly MarkdownRow[]): RuleMatch[] | undefined {
  const isLabels = (row: MarkdownRow) =>
    filled(row).filter(({ text }) => FORM_LABEL.test(text)).length * 2 > filled(row).length;
  const isForm = rows.length > 3 && rows.every((row, at) => filled(row).length > 0 && isLabels(row) === (at % 2 === 0));
  if (!isForm) return undefined;
  return rows.flatMap(({ cells }, at) =>
    at % 2 === 1
      ? []
      : cells.flatMap((key, column): RuleMatch[] => {
          const value = rows[at + 1]?.cells[column];
          return value && value.text !== '' && key.text !== '' ? [pairIn(key, value)] : [];
        }),
  );
}

/** A form whose columns are labels and values by turns, in four columns and more. */
function alternatingColumns(rows: readonly MarkdownRow[]): RuleMatch[] | undefined {
  const pairs = rows.flatMap(({ cells }) =>
    cells.flatMap((key, column) => {
      const value = cells[column + 1];
      return column % 2 === 0 && value && (key.text !== '' || value.text !== '') ? [{ key, value }] : [];
    }),
  );
  const isForm = pairs.length > 3 && pairs.every(({ key, value }) => key.text !== '' && !FORM_LABEL.test(value.text));
  const labels = pairs.filter(({ key }) => FORM_LABEL.test(key.text)).length;
  if (!isForm || labels * 2 <= pairs.length || rows.some(({ cells }) => cells.length < 4)) return undefined;
  return pairs.flatMap(({ key, value }) => (value.text === '' ? [] : [pairIn(key, value)]));
}

const pairIn = (key: MarkdownCell, value: MarkdownCell): RuleMatch => ({
  start: value.start,
  end: value.end,
  ...pairOf(nameIn(key.text), oneLine(value.text)),
});

/** A label, without the colon and the dots that lead to its value. */
const nameIn = (text: string): string => oneLine(text).replace(/(?<=[^\s:._])[\s:._]+$/, '');

const MARKED = /^[Xx✓✔☒☑]$/;

const isBox = (cell: MarkdownCell | undefined): boolean => !cell || cell.text === '' || MARKED.test(cell.text);

/**
 * The marked options of a form with rows such as `Sex | X | female | | male` or `Sex | female | X | male | |`. Each mark
 * stands in a column of nothing but marks, so a table of data with a column named X has none. A column of boxes that
 * are all empty may be missing.
 */
function choicesIn(head: MarkdownRow, rows: readonly MarkdownRow[]): RuleMatch[] {
  const allRows = [head, ...rows];
  const columns = head.cells.map((_, column) => column > 0 && allRows.every(({ cells }) => isBox(cells[column])));
  const isBefore = columns[1] === true;
  if (!isBefore && columns.at(-1) !== true) return [];
  const choices = rows.flatMap((row) => choiceIn(row, columns, isBefore));
  // A first row that no other row resembles names columns.
  return rows.length === 0 || choices.length > 0 ? [...choiceIn(head, columns, isBefore), ...choices] : [];
}

function choiceIn({ cells }: MarkdownRow, columns: readonly boolean[], isBefore: boolean): RuleMatch[] {
  const [label] = cells;
  const marks = cells.flatMap(({ text }, column) => (column > 0 && MARKED.test(text) ? [column] : []));
  const [mark = 0] = marks;
  const option = mark + (isBefore ? 1 : -1);
  const options = cells.filter(({ text }, column) => column > 0 && columns[column] === false && text !== '');
  const value = cells[option];
  const isChoice = marks.length === 1 && columns[mark] === true && columns[option] === false && options.length > 1;
  return label && value && value.text !== '' && isChoice && FORM_LABEL.test(label.text) ? [pairIn(label, value)] : [];
}

/**
 * Reads forms, and tables of two columns whose first one holds keys. The header is a pair, too, unless it names the
 * columns.
 */
function inTables(text: string): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const form =
      aboveLabels([head, ...rows]) ??
      inBoxes([head, ...rows]) ??
      alternatingRows([head, ...rows]) ??
      alternatingColumns([head, ...rows]);
    if (form) return form;
    const choices = choicesIn(head, rows);
    if (choices.length > 0) return choices;
    const pairRows = isTitle(head) ? rows : [head, ...rows];
    if (![head, ...rows].every(({ cells }) => cells.length === 2) || !pairRows.every(isPair)) return [];
    return pairRows.map(
      ({ cells: [key, value] }): RuleMatch => ({
        start: key?.start ?? 0,
        end: value?.end ?? 0,
        ...pairOf(nameIn(key?.text ?? ''), oneLine(value?.text ?? '')),
      }),
    );
  });
}

const isPair = ({ cells: [key, value] }: MarkdownRow): boolean =>
  key !== undefined && value !== undefined && value.text !== '' && /^\p{L}/u.test(key.text) && key.text.length <= 40;

/**
 * Matches a header such as `Person | Euros an hour`: two column names, without digits and without a colon. `Surname |
 * Lund` is a pair.
 */
const isTitle = ({ cells }: MarkdownRow): boolean =>
  cells.every(({ text }) => !/[\d:@]/.test(text)) &&
  !(
    FORM_LABEL.test(cells[0]?.text ?? '') &&
    !FORM_LABEL.test(cells[1]?.text ?? '') &&
    !COLUMN.test(cells[1]?.text ?? '')
  );

/** What a column of values is called. */
const COLUMN = /^(?:values?|details?|data|entry|answer|information|wert|angaben?|valeurs?|valor|waarde|valore)$/iu;
