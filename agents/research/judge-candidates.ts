/** Asks the cheap model which candidates are worth reading, and for which sub-questions. */

import * as v from 'valibot';
import type { SubQuestion } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { rankRules } from '../prompts/research.ts';
import type { StoryCandidate } from './candidates.ts';
import { ask } from './model-calls.ts';
import type { PlannedState } from './pipeline-states.ts';
import type { SearchPlan } from './research-request.ts';
import { cheapModel, type StageRun } from './stages.ts';

/** `score` is from 0 to `BEST_SCORE`; `serves` are the numbers of sub-questions. */
type CandidateScore = { score: number; serves: readonly number[] };
export const BEST_SCORE = 3;

/** `isWhole`: each call had a usable answer. A candidate that no answer names has no judgement. */
type JudgedCandidates = { judgements: Map<StoryCandidate, CandidateScore>; isWhole: boolean };

const CANDIDATES_OF_CALL = 40;
const ANSWER_TOKENS = 3_000;
const answers = v.object({
  items: v.array(v.object({ item: v.number(), score: v.number(), sub_questions: v.nullish(v.array(v.number()), []) })),
});

/** The sub-questions that need more, or all if every one is covered and the model asks on nevertheless. */
export function openSubQuestions({ plan }: Pick<PlannedState, 'plan'>): SubQuestion[] {
  const parts = plan.subQuestions;
  const open = parts.filter(({ status }) => status !== 'covered');
  return open.length > 0 ? open : parts;
}

type Judging = { plan: SearchPlan; candidates: readonly StoryCandidate[] };

/** Resolves to undefined if there is no model. Each call shows some candidates of every source. */
export async function judgeCandidates(
  run: StageRun,
  { plan, candidates }: Judging,
): Promise<JudgedCandidates | undefined> {
  const { ports, request, work, calls } = run;
  const model = await cheapModel(run);
  if (!model) return undefined;
  const parts = openSubQuestions({ plan }).map(({ sub_question, text }) => ({ sub_question, text }));
  const queries = plan.queries.slice(-request.depth.queries);
  const assignment = { question: request.query, sub_questions: parts, queries, places: request.scope };
  const query = [...parts.map(({ text }) => text), ...queries].join('\n');
  const judgements = new Map<StoryCandidate, CandidateScore>();
  const judgeOnce = async (batch: readonly StoryCandidate[]): Promise<boolean> => {
    const items = await Promise.all(
      batch.map(async ({ item: { title, text, publishedAt, source, address } }, at) => ({
        item: at + 1,
        title,
        ...(await excerpt(text, query, run)),
        source,
        ...definedFields({ host: URL.parse(address)?.host || undefined, published_at: publishedAt }),
      })),
    );
    const answer = await ask(calls, {
      role: 'rank',
      model,
      rules: rankRules(ports.clock.now()).join('\n'),
      messages: [`What is wished:\n${JSON.stringify(assignment)}`, `The items:\n${JSON.stringify(items)}`],
      schema: answers,
      answerTokens: ANSWER_TOKENS,
      signal: work.signal,
    });
    const scored = (answer?.items ?? []).flatMap(({ item, score, sub_questions: serves }) => {
      const candidate = batch[item - 1];
      return candidate
        ? [[candidate, { score: Math.min(BEST_SCORE, Math.max(0, score)), serves: serves ?? [] }] as const]
        : [];
    });
    for (const [candidate, judgement] of scored) judgements.set(candidate, judgement);
    return scored.length > 0;
  };
  const batches = Array.from({ length: Math.ceil(candidates.length / CANDIDATES_OF_CALL) }, (_, at) =>
    candidates.slice(at * CANDIDATES_OF_CALL, (at + 1) * CANDIDATES_OF_CALL),
  );
  const usable = await Promise.all(batches.map(judgeOnce));
  return { judgements, isWhole: usable.every(Boolean) };
}

/** What is longer is shown by its headings and its passages about the sub-questions. */
const MAX_SHORT = 1_500;
const BEGINNING = 300;
const EXCERPT = 600;

async function excerpt(text: string, query: string, { applyRule }: StageRun): Promise<object> {
  if (text.length <= MAX_SHORT) return { beginning: text.slice(0, BEGINNING).toWellFormed() };
  const passages = await applyRule('excerptOf', { query, text, length: EXCERPT });
  return passages ?? { beginning: text.slice(0, EXCERPT).toWellFormed() };
}
