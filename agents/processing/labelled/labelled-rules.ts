/** The labelled rules: each gives one value of a document with its place, the reason for it, and the other candidates. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import type { Habits } from '../rules/match.ts';
import { contractParties } from './contract-parties.ts';
import { effectiveDate, jurisdiction, term } from './contract-terms.ts';
import { buyer, seller, sellerAddress } from './issuer.ts';
import { type Candidate, linesIn, oncePerPaper, type Paper } from './lines.ts';
import { currency, subtotal, tax, total } from './money.ts';
import { dueDate, invoiceNumber, issueDate } from './papers.ts';

type LabelledRule = (paper: Paper) => Candidate[];

export const LABELLED_RULES = {
  total,
  subtotal,
  tax,
  currency,
  invoice_number: invoiceNumber,
  issue_date: issueDate,
  due_date: dueDate,
  seller,
  seller_address: sellerAddress,
  buyer,
  effective_date: effectiveDate,
  jurisdiction,
  term,
  contract_parties: contractParties,
} as const satisfies Record<LabelledName, LabelledRule>;

/** A candidate with less evidence is not given as the value. */
const ENOUGH = 1.5;
const MAX_CANDIDATES = 5;

type Chosen = { best: Candidate; others: Candidate[] };

/**
 * Returns the best candidate and those with other values, or nothing without enough evidence. A rule for several values
 * gives each of them.
 */
export function choose(rule: LabelledName, paper: Paper): Chosen[] {
  const known = chosenOf(paper);
  const chosen = known.get(rule) ?? chooseNow(rule, paper);
  known.set(rule, chosen);
  return chosen;
}

/** Several fields of a schema may use one rule. */
const chosenOf = oncePerPaper(() => new Map<LabelledName, Chosen[]>());

function chooseNow(rule: LabelledName, paper: Paper): Chosen[] {
  const all = LABELLED_RULES[rule](paper).toSorted((a, b) => b.score - a.score);
  if (rule === 'contract_parties')
    return all.filter(({ score }) => score >= ENOUGH).map((best) => ({ best, others: [] }));
  const [best, ...rest] = all;
  if (!best || best.score < ENOUGH) return [];
  const values = new Set([best.value]);
  const others = rest.filter(({ value }) => !values.has(value) && values.add(value));
  return [{ best, others: others.slice(0, MAX_CANDIDATES) }];
}

export const paperOf = (parts: readonly DocumentPart[], habits: Habits): Paper => ({
  parts,
  lines: linesIn(parts),
  habits,
});
