/** Finds the values of a schema's fields in a document: each with its status and its evidence, before the record is shaped. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { Basis, FieldResult } from '../../../shared/agents/results/records.ts';
import { pageOf } from '../../verification/evidence/quotes.ts';
import { type Field, fieldWords, labelKey, wordsOf } from '../field-words.ts';
import { toParsedDocument } from '../invoices/labelled-rules.ts';
import {
  type FieldFinding,
  type ListResult,
  missingResult,
  namedColumnCount,
  type RecordFindings,
  statedFieldCount,
} from '../record-findings.ts';
import { type ArrayField, pathInEntry, pathOf, type RecordPlan, titleAndDescription } from '../record-plan.ts';
import { computedValue } from './compute-fields.ts';
import { decideValue, type FieldCandidate, listedValues } from './find-values.ts';
import { type CompleteList, impliedComputation } from './implied-computations.ts';
import { localeOfParts } from './named-rules.ts';
import type { Computation, Operand } from './operand-measures.ts';
import { candidateConfidence, type ParsedDocument } from './parsed-document.ts';
import { rowsFor } from './table-rows.ts';
import { faultOfValue } from './typed-values.ts';

/** What a person sees of the document. */
export function parseVisibleParts(allParts: readonly DocumentPart[]): ParsedDocument {
  const parts = allParts.filter(({ hidden }) => !hidden);
  return toParsedDocument(parts, localeOfParts(parts));
}

export type RecordRequest = {
  plan: RecordPlan;
  parsed: ParsedDocument;
  /** The document's number in the task. */
  document: number;
};

/** What labels, tables and computations give without a model. */
export function findRecord(request: RecordRequest): RecordFindings {
  const findings = withComputed(request, findStated(request));
  const { entry } = request.plan;
  if (!entry) return findings;
  const whole = findRecord({ ...request, plan: entry });
  return isOneEntry(entry, whole, findings) ? { ...findings, entries: [whole] } : findings;
}

/** A word below this confidence of OCR may be another one on the paper. */
const READ_SURELY = 0.5;

export const isReadSurely = (parsed: ParsedDocument, candidate: FieldCandidate): boolean =>
  candidateConfidence(parsed, candidate) >= READ_SURELY;

/** Computes what is missing and follows from proven values by the names of the fields. */
export function withComputed(request: RecordRequest, findings: RecordFindings): RecordFindings {
  const operands = provenOperands(findings);
  const lists = completeLists(findings, operands);
  const proven = new Map(
    findings.single.flatMap(({ field, result }) => {
      const operand = operands.get(result.path);
      return operand ? [[field, operand] as const] : [];
    }),
  );
  const single = findings.single.map((finding): FieldFinding => {
    if (finding.result.status !== 'missing' || finding.result.candidates.length > 0) return finding;
    const computation = impliedComputation(request.parsed, finding.field, proven, lists);
    const result = computation && computedResult(request, finding.field, computation);
    return result && !('fault' in result) ? { field: finding.field, result } : finding;
  });
  return { ...findings, single };
}

/** A document without a table of entries is one by most of its fields, and always if entries have tables of their own. */
function isOneEntry({ fields, arrays }: RecordPlan, whole: RecordFindings, rows: RecordFindings): boolean {
  const hasTables = arrays.some(({ node }) => node.items.kind === 'object');
  const columns = namedColumnCount(rows);
  const stated = statedFieldCount(whole);
  return columns > 0 ? stated > columns : hasTables || stated > fields.length / 2;
}

/** What labels and tables of the document say of each field. */
function findStated(request: RecordRequest): RecordFindings {
  const { plan } = request;
  return {
    single: plan.fields.map((field) => singleField(request, field)),
    lists: plan.arrays.map((array) =>
      array.node.items.kind === 'object' ? rowList(request, array) : valueList(request, array),
    ),
  };
}

const MAX_QUOTE = 300;
const AROUND = 120;

/** The line around the value, or the row of its table. */
const SENTENCE_END = /[.!?](?=\s+\p{Lu}|\s*$)/u;
const ALL_ENDS = new RegExp(SENTENCE_END, 'gu');

/** Behind the last sentence that ends in the text. */
const lastEnd = (text: string): number => ([...text.matchAll(ALL_ENDS)].at(-1)?.index ?? -1) + 1;

function basisOf({ parsed, document }: RecordRequest, { line, start, end, column }: FieldCandidate): Basis {
  const { label = '', text = '', ...part } = parsed.parts[line.part] ?? {};
  const page = pageOf({ label, ...part });
  const lineEnd = Math.max(end, line.start + line.text.length);
  const sentence = { from: line.start, to: lineEnd };
  // A paragraph may be one line.
  if (lineEnd - line.start > MAX_QUOTE) {
    sentence.from += lastEnd(text.slice(line.start, start));
    sentence.to = end + (SENTENCE_END.exec(text.slice(end, lineEnd))?.index ?? lineEnd - end) + 1;
  }
  // The whole value, and what fits of the words before it.
  const from = Math.max(sentence.from, start - Math.max(0, Math.min(AROUND, MAX_QUOTE - (end - start))));
  const to = Math.min(sentence.to, from + MAX_QUOTE);
  const quote = text.slice(from, to).trim();
  const at = from + text.slice(from, to).length - text.slice(from, to).trimStart().length;
  return {
    document,
    place: label,
    quote,
    ...(column === undefined ? {} : { column }),
    ...(page === undefined ? {} : { page }),
    from: at,
    to: at + quote.length,
  };
}

const candidateOf = (request: RecordRequest, candidate: FieldCandidate) => ({
  value: candidate.value,
  basis: basisOf(request, candidate),
  reason: candidate.reason,
});

/** The result for one value that stands in the document. */
function resultOf(request: RecordRequest, { leaf }: Field, path: string, candidate: FieldCandidate): FieldResult {
  const fault = faultOfValue(leaf, candidate.value);
  if (fault)
    return { ...missingResult(path, `The value found ${fault}.`), candidates: [candidateOf(request, candidate)] };
  const isSure = isReadSurely(request.parsed, candidate);
  return {
    path,
    status: candidate.hasLabel && isSure ? 'proven' : 'judged',
    value: candidate.value,
    basis: [basisOf(request, candidate)],
    reason: isSure ? candidate.reason : `${candidate.reason}, read by OCR with little confidence`,
    candidates: [],
  };
}

function singleField(request: RecordRequest, field: Field): FieldFinding {
  const path = pathOf(field.names);
  const decision = decideValue(request.parsed, field);
  if (!decision)
    return {
      field,
      result: missingResult(path, 'No label of the document names this field beside a value of its type.'),
    };
  const { best, rivals, others } = decision;
  if (rivals.length > 0) {
    const candidates = [best, ...rivals].map((candidate) => candidateOf(request, candidate));
    const reason = 'The document gives different values under labels that fit equally well.';
    const basis = candidates.map((candidate) => candidate.basis);
    return { field, result: { path, status: 'conflict', value: null, basis, reason, candidates } };
  }
  const result = resultOf(request, field, path, best);
  const candidates = [...result.candidates, ...others.map((candidate) => candidateOf(request, candidate))];
  return { field, result: { ...result, candidates }, candidate: best };
}

function rowList(request: RecordRequest, array: ArrayField): ListResult {
  const table = rowsFor(request.parsed, array);
  if (!table)
    return { array, entries: [], fault: 'No table of the document has columns for at least half of the fields.' };
  const { maxItems = Infinity } = array.node;
  const entries = table.rows.slice(0, maxItems).map(({ values, lists }, row) => [
    ...array.fields.map((field): FieldFinding => {
      const path = pathInEntry(field, row);
      const value = values.get(field);
      const result = value
        ? resultOf(request, field, path, value)
        : missingResult(path, 'The row has no value of this type for it.');
      return { field, result, ...(value ? { candidate: value } : {}) };
    }),
    ...array.lists.flatMap((field): FieldFinding[] => {
      const listCandidates = lists.get(field) ?? [];
      if (listCandidates.length === 0)
        return [{ field, result: missingResult(pathInEntry(field, row), 'The row has no list for it.') }];
      return listCandidates.map(
        (candidate, nth): FieldFinding => ({
          field,
          result: resultOf(request, field, pathInEntry(field, row, nth), candidate),
          candidate,
          nth,
        }),
      );
    }),
  ]);
  const isCut = table.isCut || table.rows.length > maxItems;
  return { array, entries, ...(isCut ? { fault: 'The table has more rows than are taken.' } : {}) };
}

function valueList(request: RecordRequest, array: ArrayField): ListResult {
  const [field] = array.fields;
  if (!field) return { array, entries: [], fault: 'An array within an array is not filled.' };
  // The array's own name is that of the list; its entries have none.
  const words = fieldWords(array.names, { ...field.leaf, ...titleAndDescription(array.node) });
  const values = listedValues(request.parsed, { ...field, words }).slice(0, array.node.maxItems);
  const entries = values.map((value, at): FieldFinding[] => [
    { field, result: resultOf(request, field, `${pathOf(array.names)}.${at}`, value), candidate: value },
  ]);
  return {
    array,
    entries,
    ...(entries.length > 0 ? {} : { fault: 'No list of the document is named by this field.' }),
  };
}

/** The values that a label or the head of a column proves, by path. */
function provenOperands({ single, lists }: RecordFindings): Map<string, Operand> {
  const allFindings = [...single, ...lists.flatMap(({ entries }) => entries.flat())];
  return new Map(
    allFindings.flatMap(({ result: { path, status }, candidate }) =>
      status === 'proven' && candidate ? [[path, { name: path, candidate }] as const] : [],
    ),
  );
}

/** Arrays of which no row was left out, with the columns that have a proven value in each row. */
function completeLists({ lists }: RecordFindings, operands: ReadonlyMap<string, Operand>): CompleteList[] {
  return lists.flatMap(({ array, entries, fault }): CompleteList[] => {
    if (fault !== undefined || entries.length === 0) return [];
    const columns = array.fields.flatMap((field, at) => {
      const values = entries.flatMap((row) => operands.get(row[at]?.result.path ?? '') ?? []);
      return values.length === entries.length ? [{ field, values }] : [];
    });
    const { keys } = fieldWords(array.names, { kind: 'string', ...titleAndDescription(array.node) });
    // `number_of_lines` counts the only array, whatever its name is, if it has line items.
    const isCounted = lists.length === 1 && (ROW_WORDS.some((key) => keys.has(key)) || hasLineItems(array));
    return [{ name: pathOf(array.names), keys: new Set([...keys, ...(isCounted ? ROW_WORDS : [])]), columns }];
  });
}

const ROW_WORDS = ['lines', 'items', 'line items', 'rows', 'entries', 'positions'].map(labelKey);
const ITEM_WORDS = ['description', 'quantity', 'unit price'].map(labelKey);
const RATE = labelKey('rate');

/** A rate may be the price of an hour, or that of a tax. */
const hasLineItems = ({ fields }: ArrayField): boolean =>
  fields.some(
    ({ names, words }) =>
      labelKey(wordsOf(names.at(-1) ?? '')) !== RATE && ITEM_WORDS.some((key) => words.keys.has(key)),
  );

const MAX_BASIS = 50;

/** The result of a computation over values of the document, each of which stands in `basis`. */
function computedResult(
  request: RecordRequest,
  field: Field,
  computation: Computation,
): FieldResult | { fault: string } {
  const computed = computedValue(request.parsed, field, computation);
  if ('fault' in computed) return computed;
  const fault = faultOfValue(field.leaf, computed.value);
  if (fault) return { fault: `the result ${fault}` };
  return {
    path: pathOf(field.names),
    status: 'computed',
    value: computed.value,
    basis: computation.of.slice(0, MAX_BASIS).map(({ candidate }) => basisOf(request, candidate)),
    reason: computed.formula,
    candidates: [],
  };
}
