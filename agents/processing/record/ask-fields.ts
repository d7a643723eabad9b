/** Asks a model for the fields that labels and tables leave open: proposals, one repair, and a second look at judgements. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { fieldRules, outlineOf, verdictRules } from '../../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../../runtime.ts';
import { type CheckedProposal, checkProposal, type Proposal, quotedNumber, sentenceStart } from './check-proposals.ts';
import { OPERATIONS, type Operand } from './compute-fields.ts';
import type { Field } from './field-words.ts';
import {
  type ArrayField,
  computedResult,
  type FieldResult,
  type Findings,
  type FoundField,
  findRecord,
  pathOf,
  provenOperands,
  type RecordRequest,
  resultOf,
  withComputed,
} from './find-record.ts';
import type { FieldCandidate } from './find-values.ts';
import { keyField } from './merge-findings.ts';
import { isSameValue, valueFrom } from './typed-values.ts';

const MAX_CALLS = 8;
const STRETCH = 40_000;
const ANSWER_TOKENS = 8_000;

/** Groups whole parts into stretches. A part that is longer than a stretch is cut. */
export function stretchesOf(parts: readonly DocumentPart[]): string[] {
  const stretches: string[] = [];
  for (const { label, text } of parts) {
    for (let from = 0; from < text.length; from += STRETCH) {
      const piece = `[${label}]\n${text.slice(from, from + STRETCH)}\n\n`;
      const last = stretches.at(-1);
      if (last !== undefined && last.length + piece.length <= STRETCH) stretches[stretches.length - 1] = last + piece;
      else stretches.push(piece);
    }
  }
  return stretches;
}

/** The same flat form for all providers: no schema of a caller is sent as a strict one. */
const proposals = v.object({
  fields: v.array(
    v.object({
      path: v.string(),
      value: v.nullish(v.union([v.string(), v.number(), v.boolean()])),
      document: v.nullish(v.number()),
      quote: v.nullish(v.string()),
      computed: v.nullish(
        v.object({
          op: v.picklist(OPERATIONS),
          of: v.array(v.union([v.string(), v.object({ value: v.union([v.string(), v.number()]), quote: v.string() })])),
          to: v.nullish(v.string()),
        }),
      ),
    }),
  ),
});
type ModelField = v.InferOutput<typeof proposals>['fields'][number];
type ComputedProposal = NonNullable<ModelField['computed']>;

const verdicts = v.object({ answers: v.array(v.object({ number: v.number(), follows: v.boolean() })) });

type FieldsRequest = RecordRequest & {
  model: LanguageModelV4;
  name: string;
  now: number;
  parts: readonly DocumentPart[];
  /** What the caller says of the values that are meant; it proves none. */
  task?: readonly string[];
  /** For documents that a search found: they may be about something else than the record. */
  isStrict?: boolean;
  /** Called with the usage of each answer. */
  onAnswer?: AnswerCounts['onAnswer'];
};

type FieldsAnswer = { findings: Findings } & AnswerCounts;

type Accepted = { path: string; field: Field; candidate: FieldCandidate; isProven: boolean };
type Rejected = { path: string; fault: string };
type ComputedField = { path: string; field: Field; result: FieldResult };
/** What the answers gave that code could follow. */
type Taken = { values: Accepted[]; computed: ComputedField[] };

export async function askFields(request: FieldsRequest): Promise<FieldsAnswer> {
  const findings = await findRecord(request);
  const { entry } = request.plan;
  if (entry && findings.entries) {
    const { findings: own, ...counts } = await askFields({ ...request, plan: entry });
    return { findings: { ...findings, entries: [own] }, ...counts };
  }
  const open = openFields(findings);
  const { onAnswer } = request;
  const counts: AnswerCounts = { calls: 0, unusable: 0, ...(onAnswer ? { onAnswer } : {}) };
  if (open.length === 0) return { findings, ...counts };
  const taken: Taken = { values: [], computed: [] };
  for (const stretch of stretchesOf(request.parts).slice(0, MAX_CALLS)) {
    const round = { findings, open, stretch, counts, into: taken };
    const rejected = await propose(request, round);
    const isOpen = ({ path }: Rejected) => ![...taken.values, ...taken.computed].some((one) => one.path === path);
    const faults = rejected.filter(isOpen);
    // One repair for a stretch, with what is wrong with each proposal; what is wrong again is missing.
    if (faults.length > 0) await propose(request, { ...round, faults });
  }
  const agreed = await judge(request, taken, counts);
  const stated = withComputed(request, withAgreed(request, findings, agreed.values));
  return { findings: withFormulas(stated, agreed.computed), ...counts };
}

/** Fields without a label, and arrays without a table. */
function openFields({ single, lists }: Findings): Field[] {
  const unproven = single.filter(({ result }) => result.status === 'missing' || result.status === 'judged');
  const empty = lists.filter(({ entries }) => entries.length === 0);
  return [...unproven.map(({ field }) => field), ...empty.flatMap(({ array }) => array.fields)];
}

type Round = {
  findings: Findings;
  open: Field[];
  stretch: string;
  counts: AnswerCounts;
  into: Taken;
  faults?: Rejected[];
};

async function propose(request: FieldsRequest, round: Round): Promise<Rejected[]> {
  const { model, name, document, now, signal, task = [] } = request;
  const outline = outlineOf(request.parts);
  const { findings, open, stretch, counts, into, faults } = round;
  const repair = faults?.map(({ path, fault }) => `${JSON.stringify(path)}: ${fault}`).join('\n');
  const messages = [
    ...task,
    `Fields:\n${open.map(describedField).join('\n')}\n\nDocument ${document}, ${JSON.stringify(name)}. Its outline:\n${outline}\n${stretch}`,
    ...knownNumbers(findings),
    ...(repair ? [`These proposals were wrong. Correct them, or leave the fields out:\n${repair}`] : []),
  ];
  const answer = await countedAnswer(counts, {
    model,
    rules: fieldRules(now, task.length > 0).join('\n'),
    messages,
    schema: proposals,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
  const rejected: Rejected[] = [];
  const computations: (() => void)[] = [];
  for (const { path, value, quote, computed } of answer?.fields ?? []) {
    const reject = (fault: string) => rejected.push({ path: path.slice(0, MAX_PATH), fault });
    if (computed) {
      computations.push(() => {
        const one = checkComputed(request, { findings, open, into }, { path, value, computed });
        if (one && 'fault' in one) reject(one.fault);
        else if (one) into.computed.push(one);
      });
      continue;
    }
    if (value == null) continue;
    const all = [
      ...into.values.map((one) => ({ path: one.path, value: one.candidate.value })),
      ...(answer?.fields ?? []),
    ];
    const checked = checkOne(request, { open, all }, { path, value, quote: quote ?? '' });
    if (checked && 'fault' in checked) reject(checked.fault);
    else if (checked) into.values.push(checked);
  }
  // Values of the same answer may be operands.
  for (const check of computations) check();
  return rejected;
}

const MAX_KNOWN = 100;

/** The proven numbers that a computation may name by path. */
function knownNumbers(findings: Findings): string[] {
  const lines = [...provenOperands(findings).values()]
    .filter(({ candidate }) => typeof candidate.value === 'number')
    .slice(0, MAX_KNOWN)
    .map(({ name, candidate }) => `${JSON.stringify(name)} = ${candidate.value}`);
  return lines.length > 0 ? [`Known fields:\n${lines.join('\n')}`] : [];
}

type ComputedOne = { path: string; value: unknown; computed: ComputedProposal };

/** Code computes the value: what the model says of it must agree. */
function checkComputed(
  request: FieldsRequest,
  { findings, open, into }: Pick<Round, 'findings' | 'open' | 'into'>,
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

const MAX_PATH = 300;
const MAX_TEXT = 200;

/** JSON keeps what a caller wrote on one line and in quotes. */
const describedField = (field: Field): string => JSON.stringify(askedField(field));

/** A field as models see it. */
export function askedField({ names, leaf }: Field) {
  const { kind, format, values, title, description } = leaf;
  return {
    path: pathOf(names),
    type: format ?? kind,
    values,
    title: title?.slice(0, MAX_TEXT),
    description: description?.slice(0, MAX_TEXT),
  };
}

function checkOne(
  request: FieldsRequest,
  { open, all }: { open: readonly Field[]; all: readonly Pick<ModelField, 'path' | 'value'>[] },
  proposal: Proposal,
): Accepted | { fault: string } | undefined {
  const { paper, plan, isStrict = false } = request;
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

/** Judgements and formulas need a second look, which sees nothing but field, value and quotes. */
async function judge(request: FieldsRequest, { values, computed }: Taken, counts: AnswerCounts): Promise<Taken> {
  const { model, now, signal } = request;
  const judged = values.filter(({ isProven }) => !isProven);
  const proven = values.filter(({ isProven }) => isProven);
  if (judged.length + computed.length === 0) return { values: proven, computed };
  const shown = [
    ...judged.map(({ path, field, candidate }) => {
      const { basis } = resultOf(request, field, path, candidate);
      return { ...shownField(path, field), value: candidate.value, quote: basis[0]?.quote };
    }),
    ...computed.map(({ path, field, result: { value, reason, basis } }) => {
      const quotes = basis.map(({ quote }) => quote);
      return { ...shownField(path, field), value, formula: reason, quotes };
    }),
  ];
  const follows = await secondLook(counts, { model, rules: verdictRules(now).join('\n'), signal }, shown);
  return {
    values: [...proven, ...judged.filter((_, at) => follows(at))],
    computed: computed.filter((_, at) => follows(judged.length + at)),
  };
}

type SecondLook = { model: LanguageModelV4; rules: string; signal: AbortSignal };

/** Whether each of these follows from the quotes that it is shown with. Without an answer, it does not. */
export async function secondLook(
  counts: AnswerCounts,
  asked: SecondLook,
  shown: readonly object[],
): Promise<(at: number) => boolean> {
  const answer = await countedAnswer(counts, {
    ...asked,
    messages: [shown.map((one, at) => JSON.stringify({ number: at + 1, ...one })).join('\n')],
    schema: verdicts,
    answerTokens: ANSWER_TOKENS,
  });
  const agreed = new Set(answer?.answers.filter(({ follows }) => follows).map(({ number }) => number));
  return (at) => agreed.has(at + 1);
}

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
