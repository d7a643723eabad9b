/** The record of a document as far as the answers of a model go: code checks each proposal, and puts together what holds. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { isSameValue } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import { keyField, type StoredFindings, storedFindings } from '../merge-findings.ts';
import type { ComputedProposal, ModelField, Rejected } from '../model-answers.ts';
import {
  type ArrayField,
  type AskedField,
  askedField,
  type FieldResult,
  type Findings,
  type FoundField,
  pathOf,
  type RecordPlan,
} from '../record-plan.ts';
import { type CheckedProposal, checkProposal, type Proposal, quotedNumber, sentenceStart } from './check-proposals.ts';
import type { Operand } from './compute-fields.ts';
import {
  computedResult,
  findRecord,
  paperOfParts,
  provenOperands,
  type RecordRequest,
  resultOf,
  withComputed,
} from './find-record.ts';
import type { FieldCandidate } from './find-values.ts';
import { valueFrom } from './typed-values.ts';

type AnsweredInput = {
  plan: RecordPlan;
  parts: readonly DocumentPart[];
  document: number;
  /** For documents that a search found: they may be about something else than the record. */
  isStrict: boolean;
  /** What the model answered so far, in its order. */
  answers: readonly (readonly ModelField[])[];
  /** What a second look says of each entry of `toJudge`, once it was asked. */
  follows?: readonly boolean[];
};

type AnsweredRecord = {
  /** The fields that labels and tables leave open, and the proven numbers that a computation may name by path. */
  open: AskedField[];
  knownNumbers: string[];
  /** The proposals of the last answer that do not hold, of fields that are still open. */
  rejected: Rejected[];
  /** Judgements and formulas, which need a second look: it sees nothing but field, value and quotes. */
  toJudge: object[];
  /** Present if nothing is open, or once the second look was asked. */
  findings?: StoredFindings;
};

type FieldsRequest = RecordRequest & Pick<AnsweredInput, 'isStrict'>;

/** Works from the document and all answers each time it is called, so that nothing is kept between two calls. */
export function answeredRecord({ plan, parts, answers, follows, ...about }: AnsweredInput): AnsweredRecord {
  const paper = paperOfParts(parts);
  const whole = findRecord({ ...about, plan, paper });
  const [entry] = whole.entries ?? [];
  const findings = entry ?? whole;
  const request = { ...about, plan: (entry && plan.entry) ?? plan, paper };
  const open = openFields(findings);
  const into: Taken = { values: [], computed: [] };
  let rejected: Rejected[] = [];
  for (const fields of answers) rejected = takeAnswer(request, { findings, open, into }, fields);
  const isOpen = ({ path }: Rejected) => ![...into.values, ...into.computed].some((one) => one.path === path);
  const judged = into.values.filter(({ isProven }) => !isProven);
  const proven = into.values.filter(({ isProven }) => isProven);
  const ended = (own: Findings) => ({ findings: storedFindings(entry ? { ...whole, entries: [own] } : own) });
  const agreed = (follows: readonly boolean[]): Findings => {
    const values = [...proven, ...judged.filter((_, at) => follows[at])];
    const computed = into.computed.filter((_, at) => follows[judged.length + at]);
    return withFormulas(withComputed(request, withAgreed(request, findings, values)), computed);
  };
  return {
    open: open.map(askedField),
    knownNumbers: knownNumbers(findings),
    rejected: rejected.filter(isOpen),
    toJudge: shownToJudge(request, judged, into.computed),
    ...(open.length === 0 ? ended(findings) : follows ? ended(agreed(follows)) : {}),
  };
}

type Accepted = { path: string; field: Field; candidate: FieldCandidate; isProven: boolean };
type ComputedField = { path: string; field: Field; result: FieldResult };
/** What the answers gave that code could follow. */
type Taken = { values: Accepted[]; computed: ComputedField[] };

/** Fields without a label, and arrays without a table. */
function openFields({ single, lists }: Findings): Field[] {
  const unproven = single.filter(({ result }) => result.status === 'missing' || result.status === 'judged');
  const empty = lists.filter(({ entries }) => entries.length === 0);
  return [...unproven.map(({ field }) => field), ...empty.flatMap(({ array }) => array.fields)];
}

type Round = { findings: Findings; open: Field[]; into: Taken };

const MAX_PROPOSED = 300;

/** What was proposed, and why it is refused. */
const rejectedOne = (
  { path, value, quote }: Pick<ModelField, 'path' | 'value' | 'quote'>,
  fault: string,
): Rejected => ({
  path: shortened(path),
  fault,
  ...(value == null ? {} : { value: shortened(value) }),
  ...(quote == null ? {} : { quote: shortened(quote) }),
});

const shortened = <T>(value: T): T | string =>
  typeof value === 'string' ? value.slice(0, MAX_PROPOSED).toWellFormed() : value;

function takeAnswer(request: FieldsRequest, round: Round, fields: readonly ModelField[]): Rejected[] {
  const { open, into } = round;
  const rejected: Rejected[] = [];
  const computations: (() => void)[] = [];
  for (const { path, value, quote, computed } of fields) {
    const reject = (fault: string) => rejected.push(rejectedOne({ path, value, quote }, fault));
    if (computed) {
      computations.push(() => {
        const one = checkComputed(request, round, { path, value, computed });
        if (one && 'fault' in one) reject(one.fault);
        else if (one) into.computed.push(one);
      });
      continue;
    }
    if (value == null) continue;
    const all = [...into.values.map((one) => ({ path: one.path, value: one.candidate.value })), ...fields];
    const checked = checkOne(request, { open, all }, { path, value, quote: quote ?? '' });
    if (checked && 'fault' in checked) reject(checked.fault);
    else if (checked) into.values.push(checked);
  }
  // Values of the same answer may be operands.
  for (const check of computations) check();
  return rejected;
}

const MAX_KNOWN = 100;

const knownNumbers = (findings: Findings): string[] =>
  [...provenOperands(findings).values()]
    .filter(({ candidate }) => typeof candidate.value === 'number')
    .slice(0, MAX_KNOWN)
    .map(({ name, candidate }) => `${JSON.stringify(name)} = ${candidate.value}`);

type ComputedOne = { path: string; value: unknown; computed: ComputedProposal };

/** Code computes the value: what the model says of it must agree. */
function checkComputed(
  request: FieldsRequest,
  { findings, open, into }: Round,
  { path, value, computed: { op, of, to } }: ComputedOne,
): ComputedField | { fault: string } | undefined {
  const field = open.find(({ names }) => pathOf(names) === path);
  if (!field) return undefined;
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return { fault: 'only numbers are computed' };
  const known = provenOperands(
    withAgreed(
      request,
      findings,
      into.values.filter(({ isProven }) => isProven),
    ),
  );
  const operands = of.map((one) => (typeof one === 'string' ? namedOperands(known, one) : quotedOperand(request, one)));
  const unknown = operands.findIndex((some) => some.length === 0);
  if (unknown >= 0)
    return {
      fault: `operand ${unknown + 1} is neither the path of a proven field nor a number that stands in its quote`,
    };
  const computation = { op, of: operands.flat(), ...(to == null ? {} : { to }) };
  const result = computedResult(request, field, computation);
  if ('fault' in result) return result;
  const isOther = value != null && Number(value) !== result.value;
  return isOther ? { fault: `the value does not follow: ${result.reason}` } : { path, field, result };
}

/** `lines.*.amount` are all entries of the column, of which none may be missing. */
function namedOperands(known: ReadonlyMap<string, Operand>, path: string): Operand[] {
  const own = known.get(path);
  if (own) return [own];
  const isEntry = ({ name }: Operand) =>
    name
      .split('.')
      .map((part) => (/^\d+$/.test(part) ? '*' : part))
      .join('.') === path;
  return path.includes('*') ? [...known.values()].filter(isEntry) : [];
}

function quotedOperand(
  { paper }: FieldsRequest,
  { value, quote }: { value: string | number; quote: string },
): Operand[] {
  const candidate = quotedNumber(paper, value, quote);
  return candidate ? [{ name: JSON.stringify(quote), candidate }] : [];
}

/** A field that the document states, or that code computes, is not replaced. */
function withFormulas(findings: Findings, computed: readonly ComputedField[]): Findings {
  const single = findings.single.map((found): FoundField => {
    const own = found.result.status === 'missing' ? computed.filter(({ field }) => field === found.field) : [];
    const [first, ...rest] = own;
    const isClear = rest.every(({ result }) => result.value === first?.result.value);
    return first && isClear ? { field: found.field, result: first.result } : found;
  });
  return { ...findings, single };
}

function checkOne(
  request: FieldsRequest,
  { open, all }: { open: readonly Field[]; all: readonly Pick<ModelField, 'path' | 'value'>[] },
  proposal: Proposal,
): Accepted | { fault: string } | undefined {
  const { paper, plan, isStrict } = request;
  const pattern = proposal.path.split('.').map((name) => (/^\d{1,4}$/.test(name) ? '*' : name));
  const field = open.find(({ names }) => pathOf(names) === proposal.path || pathOf(names) === pathOf(pattern));
  if (!field) return undefined;
  const depth = field.names.indexOf('*');
  if (depth >= 0 && proposal.path.includes('*')) return { fault: 'the path has no number of the entry' };
  const entryOf = (path: string) =>
    path
      .split('.')
      .slice(0, depth + 1)
      .join('.');
  const isSame = ({ path }: { path: string }) => entryOf(path) === entryOf(proposal.path);
  const others = depth < 0 ? plan.fields : [...plan.fields, ...plan.arrays.flatMap(({ fields }) => fields)];
  const own = depth < 0 ? [] : all.filter(isSame);
  const entry = depth < 0 ? undefined : own.flatMap(({ value }) => value ?? []);
  const columns = plan.arrays.find(({ fields }) => fields.includes(field));
  const beside = columns && keyField(columns) === field ? valuesBeside(request, field, columns, own) : [];
  const checked: CheckedProposal = checkProposal({ paper, field, others, isStrict, entry, beside }, proposal);
  return 'fault' in checked ? checked : { path: proposal.path, field, ...checked };
}

/** What is proposed for the other columns of an entry. */
const valuesBeside = (
  { paper }: FieldsRequest,
  key: Field,
  { fields }: ArrayField,
  entry: readonly Pick<ModelField, 'path' | 'value'>[],
) =>
  entry.flatMap(({ path, value: given }) => {
    const field = fields.find(({ names }) => names.at(-1) === path.split('.').at(-1));
    const value = field && valueFrom(field.leaf, given, paper.habits);
    return field && field !== key && value !== undefined ? [{ field, value }] : [];
  });

const shownToJudge = (
  request: FieldsRequest,
  judged: readonly Accepted[],
  computed: readonly ComputedField[],
): object[] => [
  ...judged.map(({ path, field, candidate }) => {
    const { basis } = resultOf(request, field, path, candidate);
    return { ...shownField(path, field), value: candidate.value, quote: basis[0]?.quote };
  }),
  ...computed.map(({ path, field, result: { value, reason, basis } }) => {
    const quotes = basis.map(({ quote }) => quote);
    return { ...shownField(path, field), value, formula: reason, quotes };
  }),
];

const shownField = (field: string, { leaf: { title, description } }: Field) => ({ field, title, description });

/** The answers of all stretches make one record. */
function withAgreed(request: FieldsRequest, findings: Findings, agreed: readonly Accepted[]): Findings {
  const single = findings.single.map((found) => {
    const own = agreed.filter(({ field }) => field === found.field);
    const proven = own.filter(({ isProven }) => isProven);
    return own.length === 0 ? found : chosen(request, found, proven.length > 0 ? proven : own);
  });
  const lists = findings.lists.map((list) => {
    const rows = list.entries.length > 0 ? [] : rowsOf(request, list.array, agreed);
    return rows.length > 0 ? { array: list.array, entries: rows } : list;
  });
  return { single, lists };
}

function chosen(request: FieldsRequest, found: FoundField, own: readonly Accepted[]): FoundField {
  const { field, result } = found;
  const [first, ...rest] = own as [Accepted, ...Accepted[]];
  const other = rest.find(({ candidate }) => !isSameValue(field.leaf, candidate.value, first.candidate.value));
  const known = resultOf(request, field, result.path, { ...first.candidate, hasLabel: first.isProven });
  if (!other) {
    const candidates = [...known.candidates, ...result.candidates];
    return { field, result: { ...known, candidates }, found: first.candidate };
  }
  const both = [first, other].map(({ candidate }) => {
    const { basis } = resultOf(request, field, result.path, candidate);
    return {
      value: candidate.value,
      basis: basis[0] ?? { document: request.document, place: '', quote: '' },
      reason: candidate.reason,
    };
  });
  const reason = 'The document gives different values that fit equally well.';
  return {
    field,
    result: {
      ...result,
      status: 'conflict',
      value: null,
      basis: both.map(({ basis }) => basis),
      reason,
      candidates: both,
    },
  };
}

/** The values of an entry stand on one line, or in a sentence of a line of several entries. */
function rowsOf(request: FieldsRequest, array: ArrayField, agreed: readonly Accepted[]): FoundField[][] {
  const own = agreed.filter(({ field }) => array.fields.includes(field));
  const depth = array.names.length;
  const byEntry = Map.groupBy(own, ({ path }) => path.split('.')[depth] ?? '');
  const unitOf = unitsOf([...byEntry.values()].flatMap(([first]) => first?.candidate ?? []));
  const all = [...byEntry]
    .sort(([a], [b]) => Number(a) - Number(b))
    .flatMap(([, values]) => (values[0] ? [spanOf(values, unitOf(values[0].candidate), unitOf)] : []));
  const isSingle = array.node.items.kind !== 'object';
  const entries = all
    .filter((one, at) => isSingle || !all.some((other, nth) => nth !== at && isMixed(one, other, nth < at)))
    .map(({ values }) => values);
  return entries.slice(0, array.node.maxItems).map((values, at) =>
    array.fields.map((field) => {
      const path = pathOf(field.names.map((name) => (name === '*' ? String(at) : name)));
      const one = values.find((value) => value.field === field);
      const missing = {
        path,
        status: 'missing' as const,
        value: null,
        basis: [],
        reason: 'The line of this entry does not give it.',
        candidates: [],
      };
      return { field, result: one ? resultOf(request, field, path, one.candidate) : missing };
    }),
  );
}

type Span = { unit: string; values: Accepted[]; from: number; to: number; isRow: boolean };

function spanOf(all: readonly Accepted[], unit: string, unitOf: (candidate: FieldCandidate) => string): Span {
  const values = all.filter(({ candidate }) => unitOf(candidate) === unit);
  const from = Math.min(...values.map(({ candidate }) => candidate.start));
  const to = Math.max(...values.map(({ candidate }) => candidate.end));
  return { unit, values, from, to, isRow: values.some(({ candidate }) => candidate.line.cells !== undefined) };
}

/** One sentence may give several entries one behind the other. Of those that cross each other, no word tells what is whose. */
const isMixed = (one: Span, other: Span, isBefore: boolean): boolean =>
  one.unit === other.unit &&
  (one.isRow ? isBefore : one.from < other.to && other.from < one.to && (isBefore || one.from !== other.from));

const lineKey = ({ line }: FieldCandidate): string => `${line.part}:${line.start}`;

/** What a value shares with the others of its entry; `firsts` are the first values of all entries. */
function unitsOf(firsts: readonly FieldCandidate[]): (candidate: FieldCandidate) => string {
  const byLine = Map.groupBy(firsts, lineKey);
  return (candidate) => {
    const line = lineKey(candidate);
    const isShared = (byLine.get(line)?.length ?? 0) > 1 && !candidate.line.cells;
    return isShared ? `${line}:${sentenceStart(candidate)}` : line;
  };
}
