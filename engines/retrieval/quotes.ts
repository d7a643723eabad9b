/** Writes found passages as Markdown quotes with numbered sources. Text of strangers stays text. */
import { cellsOf, isCode, plainText, withoutUnseen } from './passages.ts';
import type { FoundPassage } from './search.ts';

type Quotes = { text: string; sources: string };

/** A quote for each passage, and the list of their places, each once. */
export function quotesOf(passages: readonly FoundPassage[]): Quotes {
  const places = [...new Set(passages.map(placeOf))];
  const quotes = passages.map((passage) => quoteOf(passage, `[${places.indexOf(placeOf(passage)) + 1}]`));
  return { text: quotes.join('\n\n'), sources: places.map((place, at) => `- [${at + 1}] ${place}`).join('\n') };
}

const placeOf = ({ source, place }: FoundPassage): string =>
  [source || 'unnamed document', place]
    .filter((part) => part !== '')
    .map((part) => escapeMarkdown(part.slice(0, MAX_NAME)))
    .join(', ');

const MAX_NAME = 100;

function quoteOf({ text, header, source }: FoundPassage, mark: string): string {
  if (isCode(source)) return quoteCode(text, mark);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.every((line) => line.trimStart().startsWith('|'))) return quoteRows(header, lines, mark);
  const quoted = lines.map((line) => `> ${escapeMarkdown(line)}`);
  return `${quoted.join('  \n')} ${mark}`;
}

const MAX_CELLS = 24;

function quoteRows(header: string | undefined, rows: readonly string[], mark: string): string {
  const cells = rows.map(cellsOf);
  const head = header === undefined ? (cells[0] ?? []).map(() => '') : cellsOf(header);
  const line = (row: readonly string[]) => `> | ${row.slice(0, MAX_CELLS).map(escapeMarkdown).join(' | ')} |`;
  const rule = `> |${' --- |'.repeat(Math.min(head.length, MAX_CELLS))}`;
  return [line(head), rule, ...cells.map(line), '>', `> ${mark}`].join('\n');
}

function quoteCode(code: string, mark: string): string {
  const lines = withoutUnseen(code).replace(/\r/g, '').trimEnd().split('\n');
  const longest = Math.max(0, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return [fence, ...lines, fence, mark].join('\n');
}

/** Escapes what Markdown or HTML would interpret. Square brackets are escaped, too, so that only this code writes citations. */
const escapeMarkdown = (text: string): string =>
  plainText(text)
    .replace(/[\\[\]`|~]/g, '\\$&')
    .replace(/\*(?=\S)|(?<=\S)\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/&(?=#?\w{1,8};)(?!lt;)/gi, '&amp;')
    .replace(/^[#>]/, '\\$&');
