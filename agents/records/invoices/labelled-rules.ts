/** The labelled rules: each gives one value of a document with its place, the reason for it, and the other candidates. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import type { Habits } from '../../values/match.ts';
import { type Candidate, linesIn, oncePerPaper, type Paper } from '../matching/lines.ts';
import { currency, subtotal, tax, total } from './money.ts';
import { dueDate, invoiceNumber, issueDate } from './numbers-and-dates.ts';

type LabelledRule = (paper: Paper) => Candidate[];

export const LABELLED_RULES = {
  total,
  subtotal,
  tax,
  currency,
  invoice_number: invoiceNumber,
  issue_date: issueDate,
  due_date: dueDate,
} as const satisfies Record<LabelledName, LabelledRule>;

/** A candidate with less evidence is not given as the value. */
const ENOUGH = 1.5;
const MAX_CANDIDATES = 5;

type Chosen = { best: Candidate; others: Candidate[] };

/** Returns the best candidate and those with other values, or undefined without enough evidence. */
export function choose(rule: LabelledName, paper: Paper): Chosen | undefined {
  const chosen = chosenOf(paper);
  if (!chosen.has(rule)) chosen.set(rule, chooseNow(rule, paper));
  return chosen.get(rule);
}

/** Several fields of a schema may use one rule. */
const chosenOf = oncePerPaper(() => new Map<LabelledName, Chosen | undefined>());

function chooseNow(rule: LabelledName, paper: Paper): Chosen | undefined {
  const [best, ...rest] = LABELLED_RULES[rule](paper).toSorted((a, b) => b.score - a.score);
  if (!best || best.score < ENOUGH) return undefined;
  const values = new Set([best.value]);
  const others = rest.filter(({ value }) => !values.has(value) && values.add(value));
  return { best, others: others.slice(0, MAX_CANDIDATES) };
}

export const paperOf = (parts: readonly DocumentPart[], habits: Habits): Paper => ({
  parts,
  lines: linesIn(parts),
  habits,
});
