/** What a question asks for that stands in table rows and labelled lines of documents: tables with their own heads. */
import { cellsOf, headingsOf, readUnits } from '../../engines/models/extractive/passages.ts';
import { minPresent } from '../repeated-figures.ts';
import { isLaidOut, linesOf } from './claims/quote-context.ts';
import { countIn, type Pace, PRESENT, type Search, searchFor, sectionOf } from './search.ts';
import type { Chosen, EvidenceTable, SubQuestion } from './state.ts';

const LABELLED = ['Label', 'Value'];

/** `heading` is the one of the section that it stands in. */
type Row = { key: string; heading: string; columns: string[]; cells: string[] };

/** Rows with the heads above them, lines of columns, and lines such as `Due date: 14 March`. */
function rowsIn(text: string): Row[] {
  return readUnits(0, [{ source: '', place: '', text }], 'en').flatMap((unit): Row[] => {
    const { kind, start, end } = unit.block;
    const heading = sectionOf(headingsOf(unit.block));
    if (kind === 'row') {
      const columns = cellsOf(unit.lead);
      return [{ key: columns.join('|'), heading, columns, cells: cellsOf(unit.text) }];
    }
    if (kind === 'pair') {
      const [label = '', ...value] = unit.text.split(':');
      return [{ key: '', heading, columns: LABELLED, cells: [label.trim(), value.join(':').trim()] }];
    }
    const raw = text.slice(start, end);
    if (kind !== 'prose' || unit.nth > 0 || !isLaidOut(raw)) return [];
    const lines = linesOf(raw).map((line) => line.split(/[^\S\n]{2,}|\t+/));
    const rows = lines.filter((cells) => cells.length > 1);
    const [head = []] = rows;
    const isHead = !head.some((cell) => /\d/.test(cell));
    const columns = isHead ? head : head.map(() => '');
    return (isHead ? rows.slice(1) : rows).map((cells) => ({ key: `${start}`, heading, columns, cells }));
  });
}

const MAX_ROWS = 20;
const MAX_TABLES = 4;
const MAX_CELL = 200;
const MIN_OF_LABEL = 0.5;

type Fit = { row: Row; present: number; part: number };

/** A section that the question names belongs to the answer with all its rows. */
const isEnoughOf = (terms: number, main: ReadonlySet<number>): boolean => terms > 0 && terms >= minPresent(main.size);

/** How many terms of the question its cells have; with the heads they must have enough of it. */
function fitOf(row: Row, { lexicon, main, names }: Search): number {
  const termsIn = (cells: readonly string[]) => {
    const { best } = countIn(cells.join('\n'), lexicon);
    return [...main].filter((term) => (best.get(term) ?? 0) >= PRESENT);
  };
  const own = termsIn(row.cells);
  const isNamed = own.some((term) => names.has(term));
  const isEnough = new Set([...own, ...termsIn(row.columns)]).size >= minPresent(main.size);
  const [label = ''] = row.cells;
  const isLabelled = row.key === '' && termsIn([label]).length >= MIN_OF_LABEL * label.split(/\s+/).length;
  if (row.key === '') return isLabelled ? own.length : 0;
  const ofHeading = termsIn([row.heading]).length;
  return isNamed || isEnough ? own.length : isEnoughOf(ofHeading, main) ? ofHeading : 0;
}

/** Of each table the rows with most of the question's terms; those of a document's own labels are a table of two columns. */
export async function askedTables(
  documents: readonly Chosen[],
  subQuestions: readonly SubQuestion[],
  pace: Pace,
): Promise<EvidenceTable[]> {
  const searches = subQuestions.map(({ text, sub_question: part }) => ({
    part,
    search: searchFor({ query: text, places: [], queries: [] }),
  }));
  const tables: (EvidenceTable & { present: number })[] = [];
  for (const { document, title, text } of documents) {
    await pace(text.length);
    const fits = rowsIn(text).flatMap((row): Fit[] =>
      searches
        .map(({ part, search }) => ({ row, part, present: fitOf(row, search) }))
        .filter(({ present }) => present > 0),
    );
    for (const own of Map.groupBy(fits, ({ row, part }) => JSON.stringify([row.key, row.columns, part])).values()) {
      const present = Math.max(...own.map((fit) => fit.present));
      const rows = own.filter((fit) => fit.present === present).map(({ row }) => row.cells);
      const [{ row, part } = { row: { columns: [] as string[] }, part: 0 }] = own;
      tables.push({
        ...{ title, document, present, sub_question: part, columns: row.columns.map(cut) },
        rows: rows.slice(0, MAX_ROWS).map((cells) => ({ cells: cells.map(cut), document })),
        rows_left_out: Math.max(0, rows.length - MAX_ROWS),
      });
    }
  }
  const best = tables.toSorted((a, b) => b.present - a.present).slice(0, MAX_TABLES);
  return best.map(({ present: _, ...table }) => table);
}

const cut = (cell: string): string => cell.slice(0, MAX_CELL);

const UNIT = /\(([^()]{1,10})\)/;

/** Figures with the unit that their head has. */
export const textOfTable = ({ columns, rows }: EvidenceTable): { text: string } => {
  const units = columns.map((column) => UNIT.exec(column)?.[1]);
  const lines = rows.map(({ cells }) =>
    cells.map((cell, at) => (units[at] && /\d$/.test(cell) ? `${cell} ${units[at]}` : cell)).join(' '),
  );
  return { text: [columns.join(' '), ...lines].join('\n') };
};
