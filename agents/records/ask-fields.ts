/** Asks a model for the fields that labels and tables leave open: proposals, one repair, and a second look at judgements. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import { fieldRules, outlineOf, verdictRules } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../runtime.ts';
import { secondLook } from '../second-look.ts';
import { stretchesOf } from '../stretches.ts';
import type { ApplyRule } from '../text-work.ts';
import { restoredFindings, type StoredFindings } from './merge-findings.ts';
import { type ModelField, proposals, type Rejected } from './model-answers.ts';
import { type AskedField, type Findings, type RecordPlan, unsearched } from './record-plan.ts';

const MAX_CALLS = 8;
const ANSWER_TOKENS = 8_000;

/** Who is asked about which document, and what for. */
export type FieldsQuestion = {
  model: LanguageModelV4;
  /** Of the document. */
  name: string;
  now: number;
  signal: AbortSignal;
  /** What the caller says of the values that are meant; it proves none. */
  task?: readonly string[];
  /** For documents that a search found: they may be about something else than the record. */
  isStrict?: boolean;
  /** Called with the usage of each answer. */
  onAnswer?: AnswerCounts['onAnswer'];
};

type FieldsRequest = FieldsQuestion & {
  plan: RecordPlan;
  /** What a person sees of the document, and its number in the task. */
  parts: readonly DocumentPart[];
  document: number;
  applyRule: ApplyRule;
};

type FieldsAnswer = { findings: Findings } & AnswerCounts;

export async function askFields(request: FieldsRequest): Promise<FieldsAnswer> {
  const { plan, parts, document, isStrict = false, applyRule, model, now, signal, onAnswer } = request;
  const counts: AnswerCounts = { calls: 0, unusable: 0, ...(onAnswer ? { onAnswer } : {}) };
  const answers: (readonly ModelField[])[] = [];
  const look = (follows?: boolean[]) =>
    applyRule('answeredRecord', { plan, parts, document, isStrict, answers, ...(follows ? { follows } : {}) });
  const ended = (stored: StoredFindings | undefined) => ({
    findings: stored ? restoredFindings(plan, stored) : unsearched(plan),
    ...counts,
  });
  const before = await look();
  if (!before || before.findings) return ended(before?.findings);
  const asked: Asked = before;
  let { toJudge } = before;

  async function propose(stretch: string, faults?: Rejected[]): Promise<Rejected[]> {
    const answer = await askOnce(request, counts, { asked, stretch, faults });
    if (!answer || answer.fields.length === 0) return [];
    answers.push(answer.fields);
    const after = await look();
    // An answer that takes too long to be checked counts as none.
    if (!after) answers.pop();
    toJudge = after?.toJudge ?? toJudge;
    return after?.rejected ?? [];
  }

  for (const stretch of stretchesOf(parts).slice(0, MAX_CALLS)) {
    // One repair for a stretch, with what is wrong with each proposal; what is wrong again is missing.
    const faults = await propose(stretch);
    if (faults.length > 0) await propose(stretch, faults);
  }
  const rules = verdictRules(now).join('\n');
  const follows = toJudge.length > 0 ? await secondLook(counts, { model, rules, signal }, toJudge) : () => false;
  return ended((await look(toJudge.map((_, at) => follows(at))))?.findings);
}

type Asked = { open: readonly AskedField[]; knownNumbers: readonly string[] };
type Round = { asked: Asked; stretch: string; faults: readonly Rejected[] | undefined };

function askOnce(request: FieldsRequest, counts: AnswerCounts, { asked, stretch, faults }: Round) {
  const { model, name, document, parts, now, signal, task = [] } = request;
  const repair = faults?.map((rejected) => JSON.stringify(rejected)).join('\n');
  // JSON keeps what a caller wrote on one line and in quotes.
  const fields = asked.open.map((field) => JSON.stringify(field)).join('\n');
  // The document comes first: a provider that caches the beginning of requests charges it once.
  const messages = [
    ...task,
    `Document ${document}, ${JSON.stringify(name)}. Its outline:\n${outlineOf(parts)}\n${stretch}`,
    `Fields:\n${fields}`,
    ...(asked.knownNumbers.length > 0 ? [`Known fields:\n${asked.knownNumbers.join('\n')}`] : []),
    ...(repair
      ? [
          `These proposals of yours were refused, each for the reason in "fault". Correct them, or leave the fields out:\n${repair}`,
        ]
      : []),
  ];
  return countedAnswer(counts, {
    model,
    rules: fieldRules(now, task.length > 0).join('\n'),
    messages,
    schema: proposals,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
}
