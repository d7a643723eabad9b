/** Tells what a line of text is by how it begins. */

export type LineKind = 'blank' | 'plain' | 'heading' | 'item' | 'row' | 'pair' | 'rule' | 'fence';

/** [start, end) without the white space around it, which begins at `from`. `level` is a heading's, or 0 for the rule under a table's header. */
export type TextLine = {
  kind: LineKind;
  from: number;
  start: number;
  end: number;
  next: number;
  level: number;
  afterBlank: boolean;
};

/** How much of a line is looked at, whatever its length. */
const HEAD = 64;
const ITEM = /^(?:[-*+•–·▪◦‣]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s|\[[ x]\]\s)/iu;
const HASHES = /^(#{1,6})\s/;
const BOLD = /^\*\*[^*]+\*\*$|^__[^_]+__$/;
const PAIR = /^[\p{Lu}\p{Lt}\p{Lo}\d*"][^:.;!?|]{0,40}:\*{0,2}\s+\S/u;
const TABLE_RULE = /^[|\s:-]+$/;
const RULE = /^(?:[-*_=]\s?)+$/;
const MAX_PAIR = 300;
const CAPITALS = /^[^\p{Ll}]*\p{Lu}{2}[^\p{Ll}]*$/u;

export function lineAt(text: string, from: number, afterBlank: boolean, code: boolean): TextLine | undefined {
  if (from >= text.length) return undefined;
  const newline = text.indexOf('\n', from);
  const stop = newline === -1 ? text.length : newline;
  let start = from;
  let end = stop;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  const line: TextLine = { kind: 'plain', from, start, end, next: stop + 1, level: 6, afterBlank };
  if (start === end) line.kind = 'blank';
  else if (!code) classify(text, line);
  if (line.kind === 'plain' && !code)
    while (text.charCodeAt(line.start) === 0x3e && line.start < end) skipQuoteMark(text, line);
  return line;
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

function skipQuoteMark(text: string, line: TextLine): void {
  line.start++;
  while (line.start < line.end && isBlank(text.charCodeAt(line.start))) line.start++;
  if (line.start === line.end) line.kind = 'blank';
}

function classify(text: string, line: TextLine): void {
  const head = text.slice(line.start, Math.min(line.end, line.start + HEAD));
  const hashes = HASHES.exec(head);
  if (hashes) {
    line.level = hashes[1]?.length ?? 6;
    line.start += hashes[0].length;
  }
  if (head.startsWith('|')) line.level = TABLE_RULE.test(head) ? 0 : 1;
  line.kind = KINDS.find(([, fits]) => fits(head, line))?.[0] ?? 'plain';
}

const KINDS: [LineKind, (head: string, line: TextLine) => boolean][] = [
  ['heading', (head) => HASHES.test(head)],
  ['row', (head) => head.startsWith('|')],
  ['fence', (head) => head.startsWith('```') || head.startsWith('~~~')],
  ['rule', (head) => head.length > 2 && RULE.test(head)],
  ['heading', (head, line) => isShort(line, HEAD) && (BOLD.test(head) || (line.afterBlank && CAPITALS.test(head)))],
  ['item', (head) => ITEM.test(head)],
  ['pair', (head, line) => isShort(line, MAX_PAIR) && PAIR.test(head)],
];

const isShort = ({ start, end }: TextLine, length: number): boolean => end - start <= length;
