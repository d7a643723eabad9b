/** The class of a document, and the labels that it is chosen from. */

import type { DocumentClass } from '../../shared/agents/results/processing.ts';
import type { RecordPlan } from '../records/record-plan.ts';

export type ClassLabel = { name: string; description?: string };

/** A document without a class, and why. */
export const unclassified = (reason: string): DocumentClass => ({ label: null, basis: [], reason, candidates: [] });

const DEFAULT_LABELS = [
  'invoice',
  'credit note',
  'receipt',
  'order',
  'quote',
  'delivery note',
  'contract',
  'bank statement',
  'payslip',
  'cv',
  'report',
  'minutes',
  'letter',
];

type LabelInput = string | { name: string; description?: string | null | undefined };

/** The caller's labels; else the first enumeration of the schema; else common kinds of documents. */
export function labelsOf(
  callerLabels: readonly LabelInput[] | null | undefined,
  record: RecordPlan | undefined,
): ClassLabel[] {
  if (callerLabels != null)
    return callerLabels.map((label) => {
      const { name, description } = typeof label === 'string' ? { name: label, description: null } : label;
      return { name, ...(description == null ? {} : { description }) };
    });
  const enumField = record?.fields.find(({ leaf }) => leaf.kind === 'string' && (leaf.values?.length ?? 0) > 1);
  return (enumField?.leaf.values?.map(String) ?? DEFAULT_LABELS).map((name) => ({ name }));
}
