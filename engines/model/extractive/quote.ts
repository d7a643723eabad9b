/** Writes foreign words as quotes that stay quotes: no sign in them can begin a heading, a link, a tag or a source. */
import { cellsOf, plainText, withoutUnseen } from './plain-text.ts';

const MAX_TITLE = 100;

/** Escapes what Markdown or HTML would act on. Square brackets too, so that only we write citations. */
const escapeMarkdown = (text: string): string =>
  plainText(text)
    .replace(/[\\[\]`|~]/g, '\\$&')
    .replace(/\*(?=\S)|(?<=\S)\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/&(?=#?\w{1,8};)(?!lt;)/gi, '&amp;')
    .replace(/^[#>]/, '\\$&');

/** A name or a question as a title: short, and as harmless as a quote. */
export const titleOf = (text: string): string => escapeMarkdown(text.slice(0, MAX_TITLE));

export const quoteProse = (text: string, mark: string): string => `> ${escapeMarkdown(text)} ${mark}`;

/** Items of one list under the line that introduces them. */
export function quoteList(lead: string, items: string[], mark: string): string {
  if (items.length === 1) return quoteProse(lead === '' ? (items[0] ?? '') : `${lead} … ${items[0]}`, mark);
  const introduced = lead === '' ? [] : [`> ${escapeMarkdown(lead)}`, '>'];
  const listed = items.map((item) => `> - ${escapeMarkdown(item)}`);
  return [...introduced, ...listed].join('\n').concat(` ${mark}`);
}

const MAX_CELLS = 24;

/** Rows of one table, under its header. */
export function quoteRows(header: string, rows: string[], mark: string): string {
  const cells = rows.map(cellsOf);
  const head = header === '' ? (cells[0] ?? []).map(() => '') : cellsOf(header);
  const line = (row: string[]) => `> | ${row.slice(0, MAX_CELLS).map(escapeMarkdown).join(' | ')} |`;
  const rule = `> |${' --- |'.repeat(Math.min(head.length, MAX_CELLS))}`;
  return [line(head), rule, ...cells.map(line), '>', `> ${mark}`].join('\n');
}

export function quoteCode(code: string, mark: string): string {
  const lines = withoutUnseen(code).replace(/\r/g, '').trimEnd().split('\n');
  const longest = Math.max(0, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return [fence, ...lines, fence, mark].join('\n');
}
