/** The labelled rules: each gives one value of a document with its place, the reason for it, and the other candidates. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import type { DocumentLocale } from '../../values/rule.ts';
import { type Candidate, linesIn, oncePerDocument, type ParsedDocument } from '../matching/parsed-document.ts';
import { currency, subtotal, tax, total } from './money.ts';
import { dueDate, invoiceNumber, issueDate } from './numbers-and-dates.ts';

type LabelledRule = (parsed: ParsedDocument) => Candidate[];

export const LABELLED_RULES = {
  total,
  subtotal,
  tax,
  currency,
  invoice_number: invoiceNumber,
  issue_date: issueDate,
  due_date: dueDate,
} as const satisfies Record<LabelledName, LabelledRule>;

type RuleChoice = { best: Candidate; others: Candidate[] };

/** Returns the best candidate and those with other values, or undefined without enough evidence. */
export function chooseCandidate(rule: LabelledName, parsed: ParsedDocument): RuleChoice | undefined {
  const choices = choicesOf(parsed);
  if (!choices.has(rule)) choices.set(rule, findChoice(rule, parsed));
  return choices.get(rule);
}

export const toParsedDocument = (parts: readonly DocumentPart[], locale: DocumentLocale): ParsedDocument => ({
  parts,
  lines: linesIn(parts),
  locale,
});

/** A candidate with less evidence is not given as the value. */
const ENOUGH = 1.5;
const MAX_CANDIDATES = 5;

/** Several fields of a schema may use one rule. */
const choicesOf = oncePerDocument(() => new Map<LabelledName, RuleChoice | undefined>());

function findChoice(rule: LabelledName, parsed: ParsedDocument): RuleChoice | undefined {
  const [best, ...runnersUp] = LABELLED_RULES[rule](parsed).toSorted((a, b) => b.score - a.score);
  if (!best || best.score < ENOUGH) return undefined;
  const values = new Set([best.value]);
  const others = runnersUp.filter(({ value }) => !values.has(value) && values.add(value));
  return { best, others: others.slice(0, MAX_CANDIDATES) };
}
