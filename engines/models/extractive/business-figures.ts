/** Figures that a report seldom names, such as a quick ratio, and the rows of its statements that they are worked out from. */

import { cellsOf, type QuoteUnit, readUnits, unitsOf } from '../../retrieval/passages.ts';
import type { SearchedPassages } from './ranking.ts';
import { findAll, type Lexicon, termsOf } from './terms.ts';

/** Behind each figure stand the labels of its rows, as annual reports word them. */
const FIGURES: readonly (readonly [figure: RegExp, labels: readonly string[]])[] = [
  [/\bgross (?:profit )?margins?\b/iu, ['gross profit', 'cost of sales', 'net sales']],
  [/\b(?:operating|ebit) margins?\b/iu, ['operating income', 'net sales', 'revenues']],
  [/\b(?:net|profit) margins?\b/iu, ['net income', 'net sales', 'revenues']],
  [/\b(?:quick|acid[- ]test) ratio\b/iu, ['total current assets', 'inventories', 'total current liabilities']],
  [/\bcurrent ratio\b|\bworking capital\b/iu, ['total current assets', 'total current liabilities']],
  [/\binterest cover(?:age)?\b|\btimes interest earned\b/iu, ['interest expense', 'operating income']],
  [/\bcap(?:ital)? ?ex(?:penditures?)?\b/iu, ['capital expenditures', 'purchases of property']],
  [/\bfree cash flow\b/iu, ['net cash operating activities', 'capital expenditures']],
  [/\basset turnover\b/iu, ['net revenues', 'net sales', 'property equipment', 'total assets']],
  [/\bpp&?e\b/iu, ['property equipment']],
  [/\b(?:inventory turnover|days inventory|dio)\b/iu, ['cost of sales', 'inventories']],
  [/\b(?:days sales outstanding|dso|receivables? turnover)\b/iu, ['receivables', 'net sales']],
  [/\b(?:days payables? outstanding|dpo|payables? turnover)\b/iu, ['accounts payable', 'cost of sales']],
  [/\b(?:return on assets|roa)\b/iu, ['net income', 'total assets']],
  [/\b(?:return on equity|roe)\b/iu, ['net income', 'total equity']],
  [/\b(?:debt[- ](?:to[- ])?equity|leverage)\b/iu, ['total debt', 'long-term debt', 'total equity']],
  [/\b(?:dividend )?pay-?out ratio\b/iu, ['dividends paid', 'net income']],
  [/\beffective tax rate\b/iu, ['income tax expense', 'income before taxes']],
  [/\bebitda\w?\b/iu, ['depreciation amortization', 'adjusted EBITDA']],
  [/\beps\b/iu, ['earnings per share']],
  [/\btop[- ]?line\b/iu, ['net sales', 'net revenues']],
  [/\bbottom[- ]?line\b/iu, ['net income', 'net earnings']],
];

/** The labels of the rows that the figures of a question are worked out from. */
export const statementLabels = (question: string): string[] => [
  ...new Set(FIGURES.flatMap(([figure, labels]) => (figure.test(question) ? labels : []))),
];

/** A row's label may have this many words beside the wanted ones. */
const MAX_OTHER_WORDS = 3;

/** The title of a statement stands at the beginning of its page. */
const TITLE_LENGTH = 300;
const TITLE =
  /\b(?:balance sheets?|(?:income|cash flow) statements?|statements? of (?:consolidated )?(?:income|operations|earnings|profit|cash flows?|financial (?:position|condition)))\b/iu;
/** A page under such a title counts as if it had this many more of the labels. */
const TITLED = 1.5;

/**
 * The row of each label. A report repeats such rows, so a statement itself comes first, and then the page that has most
 * of the labels.
 */
export function statementRows(labels: readonly string[], searched: SearchedPassages): QuoteUnit[] {
  const pages = [...rowsByPage(labels, searched)].map(([page, rows]) => ({
    rows,
    titled: TITLE.test(searched.passages[page]?.text.slice(0, TITLE_LENGTH) ?? '') ? TITLED : 0,
  }));
  const missing = new Set(labels.keys());
  const gain = ({ rows, titled }: (typeof pages)[number]): number => {
    const gained = [...rows.keys()].filter((label) => missing.has(label)).length;
    return gained === 0 ? 0 : gained + titled;
  };
  const units: QuoteUnit[] = [];
  while (pages.length > 0) {
    const best = pages.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    if (gain(best) === 0) break;
    for (const [label, rows] of best.rows) if (missing.delete(label)) units.push(...rows);
  }
  return units;
}

/** A line above rows that belong to it, such as "Inventories, net", is a label too; this many of them are quoted. */
const MAX_CAPTION = 60;
const ROWS_BELOW = 3;

/** For each page, the rows of each label: the first row with figures under that name, or the rows below that line. */
function rowsByPage(labels: readonly string[], searched: SearchedPassages): Map<number, Map<number, QuoteUnit[]>> {
  const pages = new Map<number, Map<number, QuoteUnit[]>>();
  if (labels.length === 0) return pages;
  const labelsOf = labelReader(labels, searched.lexicon);
  for (const hit of searched.sieved.hits) {
    const named = labelledRows(hit, searched);
    for (const label of named ? labelsOf(named.label) : []) {
      const rows = pages.get(hit.passage) ?? new Map<number, QuoteUnit[]>();
      pages.set(hit.passage, rows);
      if (named && !rows.has(label)) rows.set(label, named.rows);
    }
  }
  return pages;
}

type Block = Pick<QuoteUnit, 'passage' | 'block'>;

function labelledRows(hit: Block, { passages, language }: SearchedPassages) {
  const { passage, block } = hit;
  const text = passages[passage]?.text ?? '';
  const isCaption = block.kind !== 'row' && block.end - block.start <= MAX_CAPTION;
  if (block.kind !== 'row' && !(isCaption && /^\s*\|/.test(text.slice(block.end, block.end + 10)))) return undefined;
  if (!isCaption) {
    const rows = unitsOf(hit, passages, language);
    const [label = '', ...cells] = cellsOf(rows[0]?.text ?? '').filter((cell) => cell !== '');
    return cells.some((cell) => /\d/.test(cell)) ? { label, rows } : undefined;
  }
  const below = readUnits(passage, passages, language).filter((unit) => unit.block.start > block.start);
  const rows = below.slice(0, ROWS_BELOW).filter((unit) => unit.block.kind === 'row');
  return { label: text.slice(block.start, block.end), rows };
}

/** Returns which of the labels a row's name is. */
function labelReader(labels: readonly string[], lexicon: Lexicon) {
  const wanted = labels.map((label) =>
    termsOf(label).map(({ word }) => lexicon.terms.findIndex((term) => term.word === word)),
  );
  return (name: string): number[] => {
    const { found, words } = findAll(name, lexicon);
    const has = (terms: readonly number[]): boolean =>
      words <= terms.length + MAX_OTHER_WORDS && terms.every((term) => (found.get(term)?.weight ?? 0) >= 1);
    return wanted.flatMap((terms, label) => (has(terms) ? [label] : []));
  };
}
