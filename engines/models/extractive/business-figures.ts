/** Figures that a report seldom names, such as a quick ratio, and the rows of its statements that they are worked out from. */

import { cellsOf, type QuoteUnit, unitsOf } from './passages.ts';
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

/**
 * The row of each label. A report repeats such rows, so the page that has most of the labels comes first, as the
 * statement itself does.
 */
export function statementRows(labels: readonly string[], searched: SearchedPassages): QuoteUnit[] {
  const pages = rowsByPage(labels, searched);
  const missing = new Set(labels.keys());
  const gain = (rows: Map<number, QuoteUnit>): number => [...rows.keys()].filter((label) => missing.has(label)).length;
  const units: QuoteUnit[] = [];
  while (pages.length > 0) {
    const best = pages.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    if (gain(best) === 0) break;
    for (const [label, unit] of best) if (missing.delete(label)) units.push(unit);
  }
  return units;
}

/** For each page, the first row with figures of each label. */
function rowsByPage(labels: readonly string[], searched: SearchedPassages): Map<number, QuoteUnit>[] {
  if (labels.length === 0) return [];
  const { sieved, passages, lexicon, language } = searched;
  const pages = new Map<number, Map<number, QuoteUnit>>();
  const labelsOf = labelReader(labels, lexicon);
  for (const hit of sieved.hits) {
    if (hit.block.kind !== 'row') continue;
    const [unit] = unitsOf(hit, passages, language);
    for (const label of unit ? labelsOf(unit.text) : []) {
      const rows = pages.get(hit.passage) ?? new Map<number, QuoteUnit>();
      pages.set(hit.passage, rows);
      if (unit && !rows.has(label)) rows.set(label, unit);
    }
  }
  return [...pages.values()];
}

/** Returns which of the labels a row with figures has. */
function labelReader(labels: readonly string[], lexicon: Lexicon) {
  const wanted = labels.map((label) =>
    termsOf(label).map(({ word }) => lexicon.terms.findIndex((term) => term.word === word)),
  );
  return (row: string): number[] => {
    const [name = '', ...cells] = cellsOf(row).filter((cell) => cell !== '');
    if (!cells.some((cell) => /\d/.test(cell))) return [];
    const { found, words } = findAll(name, lexicon);
    const has = (terms: readonly number[]): boolean =>
      words <= terms.length + MAX_OTHER_WORDS && terms.every((term) => (found.get(term)?.weight ?? 0) >= 1);
    return wanted.flatMap((terms, label) => (has(terms) ? [label] : []));
  };
}
