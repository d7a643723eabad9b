/** Writes a document in the form in which its reading is stored: pages and sheets one after the other, then their index. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import type {
  NotRead,
  ReadingIndex,
  ReadingPage,
  Span,
  TextTable,
  WrittenReading,
} from '../../shared/files/reading-format.ts';
import { languageOf } from './detect-language.ts';
import type { DocumentPart, WholeDocument } from './document.ts';
import type { Sheet } from './sheets/sheet.ts';

/** Lengths of JSON texts. A sheet fits into one answer of the API, as Lambda returns it: as a JSON text within JSON. */
const MAX_SHEET = 4_500_000;
const MAX_SHEETS = 40_000_000;

export function toStoredForm({
  kind,
  parts,
  tables,
  sheets,
  main,
  notRead = [],
  pictured = [],
}: WholeDocument): WrittenReading {
  const pieces: Buffer[] = [];
  let end = 0;
  const write = (value: unknown): { from: number; to: number } => {
    const piece = Buffer.from(JSON.stringify(value));
    pieces.push(piece);
    end += piece.length;
    return { from: end - piece.length, to: end };
  };
  const writePages = (pages: readonly ReadingPage[]): Span[] =>
    pages.map((page) => ({ number: page.number, ...write(page) }));

  const pages = writePages(pagesOf(parts, sheets ? [] : tables));
  const mainPages = main && writePages(pagesOf(main.parts));
  const cut = sheets && cutSheets(sheets);
  const index: ReadingIndex = {
    kind,
    language: main?.language ?? languageOf(parts),
    pages,
    ...(main ? { head: main.head } : {}),
    ...definedFields({
      main: mainPages,
      sheets: cut?.sheets.map((sheet, at) => ({ number: at + 1, ...write(sheet) })),
    }),
    notRead: [...notRead, ...(cut?.notRead ?? [])],
    ...(pictured.length > 0 ? { pictured } : {}),
  };
  const indexAt = end;
  write(index);
  return { bytes: Buffer.concat(pieces), indexAt };
}

const NUMBERED = /^(?:page|slide) (\d+)\b/;

const numberIn = ({ label, page }: DocumentPart): number | undefined =>
  page ?? (NUMBERED.test(label) ? Number(NUMBERED.exec(label)?.[1]) : undefined);

/** Parts of a document without pages are numbered; a part without a number belongs to the page before it. */
function pagesOf(parts: readonly DocumentPart[], tables?: readonly TextTable[]): ReadingPage[] {
  const hasNumbers = parts.some((part) => numberIn(part) !== undefined);
  const pages = new Map<number, ReadingPage>();
  let last = 1;
  for (const [at, part] of parts.entries()) {
    last = hasNumbers ? (numberIn(part) ?? last) : at + 1;
    const page = pages.get(last) ?? { number: last, parts: [] };
    pages.set(last, page);
    const { page: _number, ...content } = part;
    page.parts.push(content);
  }
  for (const page of pages.values()) {
    const pageTables = tables ? tables.filter((table) => pageOf(table) === page.number) : page.parts.flatMap(tablesIn);
    if (pageTables.length > 0) page.tables = pageTables;
  }
  return [...pages.values()].sort((a, b) => a.number - b.number);
}

const pageOf = ({ place }: TextTable): number => Number(NUMBERED.exec(place)?.[1] ?? 1);

const RULE = /^\|(?: --- \|)+$/;

/** The tables of a part, from the Markdown that our own readers write. */
function tablesIn({ label, text, hidden }: DocumentPart): TextTable[] {
  if (hidden || !text.includes('| --- |')) return [];
  const lines = text.split('\n');
  return lines.flatMap((line, at): TextTable[] => {
    const head = lines[at - 1];
    if (!RULE.test(line) || !head?.startsWith('|')) return [];
    const following = lines.slice(at + 1);
    const end = following.findIndex((row) => !row.startsWith('|'));
    const rows = (end < 0 ? following : following.slice(0, end)).map(cellsIn);
    return [{ place: label, headerRows: 1, header: cellsIn(head), rows, rowCount: rows.length }];
  });
}

const cellsIn = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** Leaves out the last rows of very long sheets. Their number stays. */
function cutSheets(sheets: readonly Sheet[]): { sheets: Sheet[]; notRead: NotRead[] } {
  const notRead: NotRead[] = [];
  let remaining = MAX_SHEETS;
  const cut = sheets.map((sheet): Sheet => {
    let room = Math.min(remaining, MAX_SHEET) - lengthOf({ ...sheet, tables: [] });
    remaining -= MAX_SHEET - room;
    const tables = sheet.tables.map((table) => {
      room -= lengthOf({ ...table, rows: [] });
      const before = room;
      const end = table.rows.findIndex((row) => {
        room -= lengthOf(row);
        return room < 0;
      });
      remaining -= before - Math.max(0, room);
      if (end < 0) return table;
      const reason = `only the first ${end} of ${table.rowCount} rows are shown`;
      notRead.push({ place: table.place, reason });
      return { ...table, rows: table.rows.slice(0, end) };
    });
    return { ...sheet, tables };
  });
  return { sheets: cut, notRead };
}

const lengthOf = (value: unknown): number => JSON.stringify(JSON.stringify(value)).length;
