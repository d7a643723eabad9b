/** What the tools of a chat task read from the attached files and rulesets. */

import { isDocumentFailure } from '../../engines/documents/document.ts';
import { parseRange } from '../../engines/documents/sheets/sheet.ts';
import type { FoundPassage } from '../../engines/retrieval/search.ts';
import { PAGE_CHARACTERS, type WorkspacePage } from './document-pages.ts';
import { fairShares } from './fair-shares.ts';
import { matchPlace } from './match-place.ts';
import { condensedPlaces, outlinePages } from './outline.ts';
import { shortenedPassage } from './shortened-passage.ts';
import { filePartsOf, recordResult, visibleParts, type Workspace, type WorkspaceFile } from './workspace.ts';

/** A page of the whole outline of a file. */
export function listFile({ files }: Workspace, number: number, page: number) {
  const file = files[number - 1];
  const pages = file ? outlinePages(file, number - 1) : [];
  const outline = pages[page - 1];
  return outline ? { ...outline, page, pages: pages.length } : NO_FILE;
}

export function readPage(workspace: Workspace, number: number, page: number) {
  const file = workspace.files[number - 1];
  const readingPage = file?.pages[page - 1];
  if (!file || !readingPage) return NO_FILE;
  return { name: file.name, page, pages: file.pages.length, parts: readingPage.parts.map(toModelPart) };
}

/** Reads the stretches that a place names, as many as fit a page. Of cells in a table it reads the rows. */
export async function readPlace(workspace: Workspace, number: number, place: string) {
  const file = workspace.files[number - 1];
  if (!file) return NO_FILE;
  const rows = await readRange(workspace, file, number, place);
  if (rows) return rows;
  const fileParts = filePartsOf(file);
  const match = matchPlace(fileParts, place);
  if (!match) return { error: 'There is no such place in the file.', places: condensedPlaces(file) };
  const matchedParts: PagePart[] = [];
  let length = 0;
  let next: string | undefined;
  for (const { part: at, from, to } of match.stretches) {
    const part = fileParts[at];
    if (!part) continue;
    length += to - from;
    if (matchedParts.length > 0 && length > PAGE_CHARACTERS) {
      next = part.place;
      break;
    }
    matchedParts.push({ ...part, text: part.text.slice(from, to) });
  }
  return {
    name: file.name,
    place: match.place,
    ...(match.unmatched.length > 0 ? { notFound: match.unmatched } : {}),
    parts: matchedParts.map(toModelPart),
    ...(next === undefined ? {} : { next }),
  };
}

/** An invalid or slow statement is reported to the model and does not end the task. */
export async function runTableQuery(workspace: Workspace, sql: string | undefined) {
  try {
    const { tables, result, error } = await workspace.query(sql);
    if (error !== undefined) return { error, tables };
    if (!result || sql === undefined) return { tables };
    recordResult(workspace, { tool: 'query_table', input: sql, output: JSON.stringify(result) });
    return result;
  } catch (error) {
    if (isDocumentFailure(error)) return { error: `The query ${error.message.replace('read', 'answered')}.` };
    throw error;
  }
}

/** The passages of a search together; ten and more of them have room for a paragraph or some rows each. */
const SEARCH_CHARACTERS = 12_000;
const MAX_HITS = 12;
const PASSAGES_EACH = 2;
const MAX_ABOVE = 3;

/** The places that fit a query best, each with its best passages, so that no place crowds out the others. */
export async function searchFiles(workspace: Workspace, query: string) {
  const visible = visibleParts(workspace.files);
  const passages = await workspace.search(
    query,
    visible.map(({ passage }) => passage),
  );
  const byPlace = Map.groupBy(passages, ({ passage, place }) => `${visible[passage]?.file} ${place}`);
  const hits = [...byPlace.values()].slice(0, MAX_HITS).map((ofPlace) => ofPlace.slice(0, PASSAGES_EACH));
  const texts = hits.map(excerptOf);
  const rooms = fairShares(
    texts.map(({ length }) => length),
    SEARCH_CHARACTERS,
  );
  return hits.flatMap(([bestPassage], at) => {
    const origin = bestPassage && visible[bestPassage.passage];
    if (!bestPassage || !origin) return [];
    return {
      file: origin.file + 1,
      source: bestPassage.source,
      place: bestPassage.place,
      ...(bestPassage.headings.length > 0 ? { under: bestPassage.headings.slice(0, MAX_ABOVE) } : {}),
      excerpt: shortenedPassage(texts[at] ?? '', query, rooms[at] ?? 0),
    };
  });
}

/** Short rulesets are returned whole, of longer ones the passages that fit best. */
export async function searchRulesets({ rulesets, search }: Workspace, query: string) {
  const passages = rulesets.map(({ name, text: source }) => ({ source: name, place: '', text: source }));
  const length = passages.reduce((sum, passage) => sum + passage.text.length, 0);
  if (length <= RULES_CHARACTERS) return passages.map(({ source, text: rules }) => ({ ruleset: source, rules }));
  return withinLimit(await search(query, passages)).map(({ source, text: rules }) => ({ ruleset: source, rules }));
}

const NO_FILE = { error: 'There is no such file or page; the outline of the files says what there is.' };

type PagePart = WorkspacePage['parts'][number];

/** Positions and confidences of recognized words are for code alone. */
const toModelPart = ({ place, text, hidden }: PagePart) => ({ place, text, ...(hidden ? { hidden } : {}) });

/** Reads the table rows in a range such as `Costs!B4:F40`; `undefined` for other labels. */
async function readRange(workspace: Workspace, file: WorkspaceFile, number: number, place: string) {
  const wantedRange = rangeIn(place);
  if (!wantedRange || !file.load) return undefined;
  const { tables } = await workspace.query();
  for (const { table, file: fileNumber, place: tablePlace, rows } of tables) {
    const tableRange = rangeIn(tablePlace);
    if (fileNumber !== number || tableRange?.sheet !== wantedRange.sheet || !tableRange.range || !wantedRange.range)
      continue;
    // The rows end with the range; the rows above them are the header.
    const above = tableRange.range.bottom - rows;
    const [from, to] = [wantedRange.range.top - above, wantedRange.range.bottom - above];
    if (to < 1 || from > rows) continue;
    return runTableQuery(workspace, `SELECT * FROM ${table} WHERE row BETWEEN ${Math.max(1, from)} AND ${to}`);
  }
  return undefined;
}

function rangeIn(place: string) {
  const [, sheet = '', cells = ''] =
    /^(?:(.+)!)?(\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?)$/.exec(place.trim()) ?? [];
  return cells === '' ? undefined : { sheet, range: parseRange(cells) };
}

/** Passages of one place, with the lines above and the head of the table that their rows are from. */
function excerptOf(passages: readonly FoundPassage[]): string {
  const lines: string[] = [];
  for (const { caption, header, text, headings } of passages) {
    const above = [caption, header].filter(
      (line) => line !== undefined && !lines.includes(line) && !headings.includes(line),
    );
    lines.push(...above.filter((line) => line !== undefined), text);
  }
  return lines.join('\n');
}

const RULES_CHARACTERS = 12_000;

function withinLimit(matches: readonly FoundPassage[]): FoundPassage[] {
  let length = 0;
  return matches.filter((match) => {
    length += match.text.length;
    return length <= RULES_CHARACTERS;
  });
}
