/** Asks a model for the fields of a record: proposals, a second look at them, and one repair of what does not hold. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { Basis } from '../../shared/agents/results/records.ts';
import type { ApplyRule } from '../apply-rule.ts';
import type { PromptPicture } from '../generate-answer.ts';
import { documentOutline, fieldRules } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { lookGroups } from '../verification/look-groups.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Verdict } from '../verification/statement-verdict.ts';
import { type ModelAnswer, proposals, type RejectedProposal } from './model-answers.ts';
import { type PromptExcerpt, promptExcerpts, WHOLE_TOKENS } from './prompt-excerpts.ts';
import type { PromptField } from './prompt-field.ts';
import { type RecordFindings, unsearchedFindings } from './record-findings.ts';
import { isPathOf, type RecordPlan } from './record-plan.ts';
import { restoredFindings } from './stored-findings.ts';

const ANSWER_TOKENS = 16_000;
/** More than a person reads: what is left over is not verified. */
const MAX_STATEMENTS = 600;
const MAX_REPAIRED = 100;

/** Who is asked about which document, and what for. */
export type FieldsQuestion = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  /** Whether that model accepts images. Without it, none is sent to it. */
  verifierAcceptsImages?: boolean;
  /** Of the document. */
  name: string;
  now: number;
  signal: AbortSignal;
  /** What the caller says of the values that are meant; it proves none. */
  task?: readonly string[];
  /** What the record is about, of documents that a search found: they may be about something else. */
  about?: string;
  /** Of pages whose text says too little, for a model that sees. */
  pictures?: readonly PromptPicture[];
  /** A document up to so many tokens is shown whole; of a longer one, what the fields are about. */
  wholeTokens?: number | undefined;
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

/** `read` are the places that the model was shown, where that was not the whole document. */
type FieldsAnswer = { findings: RecordFindings; read?: string[] } & AnswerCounts;

export async function askFields(request: FieldsRequest): Promise<FieldsAnswer> {
  const { plan, parts, document, name, applyRule, model, verifier, now, signal, pictures = [], onAnswer } = request;
  const counts: AnswerCounts = { calls: 0, unusable: 0, ...(onAnswer ? { onAnswer } : {}) };
  const progress = {
    answers: [] as ModelAnswer[],
    verdicts: {} as Record<string, Verdict | null>,
    read: '',
    isWhole: true,
  };
  let lookedBy: NonNullable<Basis['looked_by']> = verifier ? 'verify_model' : 'same_model';
  const checkAnswers = () =>
    applyRule('answeredRecord', {
      ...{ plan, parts, document, name, ...progress, lookedBy },
      hasPictures: pictures.length > 0,
    });
  const before = await checkAnswers();
  if (!before) return { findings: unsearchedFindings(plan), ...counts };
  const excerpts = await promptExcerpts({
    ...{ parts, name, fields: before.fields, applyRule },
    wholeTokens: request.wholeTokens ?? WHOLE_TOKENS,
  });
  // Each group of fields is shown places of its own, and several groups the same one.
  const readPlaces = [...new Set(excerpts.flatMap(({ places }) => places))];
  progress.read = placesText(readPlaces);
  progress.isWhole = excerpts.every(({ isWhole }) => isWhole);

  async function propose(excerpt: PromptExcerpt, faults?: readonly RejectedProposal[]): Promise<void> {
    const answer = await askOnce(request, counts, { excerpt, proposed: before?.proposed ?? [], faults });
    if (answer) progress.answers.push(answer);
  }

  /** Asks a second look for what it was not asked yet. */
  async function requestVerdicts(): Promise<Awaited<ReturnType<typeof checkAnswers>>> {
    const after = await checkAnswers();
    if (!after || after.toLook.length === 0) return after;
    const groups = lookGroups(request, after.toLook.slice(0, MAX_STATEMENTS), restsOnPicture);
    for (const { model: reviewer, pictures: ownPictures, looked: keyedStatements } of groups) {
      // One record names one kind of second look: the one that is worth less.
      if (reviewer === model) lookedBy = 'same_model';
      const statements = keyedStatements.map(({ statement }) => statement);
      const verdicts = await secondLook(
        counts,
        { model: reviewer, pictures: ownPictures, about: request.about, now, signal },
        statements,
      );
      for (const [at, { key }] of keyedStatements.entries()) progress.verdicts[key] = verdicts[at] ?? null;
    }
    for (const { key } of after.toLook) progress.verdicts[key] ??= null;
    return checkAnswers();
  }

  for (const excerpt of excerpts) await propose(excerpt);
  // An answer that takes too long to be checked counts as none.
  let after = (progress.answers.length > 0 ? await requestVerdicts() : before) ?? before;
  // One repair, with what is wrong with each proposal.
  const rejected = after.rejected.slice(0, MAX_REPAIRED);
  if (rejected.length > 0) {
    for (const excerpt of excerpts) {
      const excerptFaults = rejected.filter(({ path }) => hasField(excerpt, path));
      if (excerptFaults.length > 0) await propose(excerpt, excerptFaults);
    }
    after = (await requestVerdicts()) ?? after;
  }
  return {
    findings: restoredFindings(plan, after.findings),
    ...(progress.isWhole ? {} : { read: readPlaces }),
    ...counts,
  };
}

const MAX_PLACES = 12;

/** The places in words, such as `page 1, page 2`. */
function placesText(places: readonly string[]): string {
  const [first, last] = [places[0] ?? '', places.at(-1) ?? ''];
  return places.length > MAX_PLACES ? `${places.length} places from ${first} to ${last}` : places.join(', ');
}

const restsOnPicture = ({ isPictured }: { isPictured: boolean }): boolean => isPictured;

const hasField = ({ fields }: PromptExcerpt, path: string): boolean =>
  fields.some((field) => isPathOf(field.path.split('.'), path));

type Round = { excerpt: PromptExcerpt; proposed: readonly string[]; faults: readonly RejectedProposal[] | undefined };

function askOnce(request: FieldsRequest, counts: AnswerCounts, { excerpt, proposed, faults }: Round) {
  const { model, name, document, parts, now, signal, task = [], pictures = [] } = request;
  const repair = faults?.map((rejected) => JSON.stringify(rejected)).join('\n');
  // JSON keeps what a caller wrote on one line and in quotes.
  const fields = excerpt.fields.map((field: PromptField) => JSON.stringify(field)).join('\n');
  // The document comes first: a provider that caches the beginning of requests charges it once.
  const messages = [
    ...task,
    `Document ${document}, ${JSON.stringify(name)}. Its outline:\n${documentOutline(parts)}\n${excerpt.text}`,
    `Fields:\n${fields}`,
    ...(proposed.length > 0 ? [`Found by labels and tables:\n${proposed.join('\n')}`] : []),
    ...(repair
      ? [
          `These proposals of yours do not hold so far, each for the reason in "fault". Give each of these fields again, corrected or with a better quote, and no others; leave out what the document does not state:\n${repair}`,
        ]
      : []),
  ];
  return countedAnswer(counts, {
    model,
    rules: fieldRules(now, { hasTask: task.length > 0, isWhole: excerpt.isWhole }).join('\n'),
    messages,
    pictures,
    schema: proposals,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
}
