/** Builds the queries for the sources from the question, the research type, the places and the depth. */

import * as v from 'valibot';
import { QUESTION_WORDS, STOP_WORDS, wordsOf } from '../../engines/models/extractive/words.ts';
import { isOffline, OFFLINE } from '../../engines/models/offline.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import type { ResearchRequest } from './request.ts';
import { ask, checkpoint, MATERIAL, type ResearchSetting, resume } from './stages.ts';

const MAX_WORDS = 12;
const MAX_CHARACTERS = 200;
const PARTS =
  /[?;\n]+|(?<=[.!])\s+|,?\s+(?:and|as well as|und|et|y)\s+(?=how|what|who|which|why|when|where|whether)/giu;

/**
 * Builds the queries by rules: the question, its parts, and combinations with places and facets. The most specific come
 * first, as a shallow research sends only those.
 */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const subject = telling(query);
  const parts = query.split(PARTS).map(telling);
  const made = [
    subject,
    ...places.map((place) => joined(subject, place)),
    ...(parts.length > 1 ? parts : []),
    ...facets.map((facet) => joined(subject, facet)),
    ...facets.flatMap((facet) => places.map((place) => joined(subject, `${facet} ${place}`))),
  ];
  const queries = [...new Set(made.filter((text) => text !== ''))].slice(0, depth.queries);
  return queries.length > 0 ? queries : [query.slice(0, MAX_CHARACTERS)];
}

/** Removes question words and stop words. Text that consists of nothing else stays as it is. */
function telling(text: string): string {
  const words = text.match(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}.'&/-]*/gu) ?? [];
  const kept = words.map((word) => word.replace(/['.]+$/, '')).filter(isTelling);
  return (kept.length > 0 ? kept : words).slice(0, MAX_WORDS).join(' ').slice(0, MAX_CHARACTERS);
}

const isTelling = (word: string): boolean =>
  !wordsOf(word).every((folded) => STOP_WORDS.has(folded) || QUESTION_WORDS.has(folded));

const joined = (subject: string, more: string): string =>
  subject.toLowerCase().includes(more.toLowerCase()) ? subject : `${subject} ${more}`.slice(0, MAX_CHARACTERS);

const ANSWER_TOKENS = 1_000;

const answers = v.object({ queries: v.array(v.string()) });

const RULES = [
  'You plan a research. You cannot ask questions.',
  'Write short search queries, of two to eight words each, that together cover the question, its kind and its places.',
  MATERIAL,
  'Answer with JSON of this form: {"queries": ["...", "..."]}.',
].join('\n');

export const planStage = (setting: ResearchSetting): Stage => ({
  name: 'planning',
  mayRepeat: isOffline(setting.input.model),
  async run(work, carried) {
    const { address, signal } = work;
    const { ports, wish, input } = setting;
    const known = await resume(setting, carried);
    const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
    const own = queriesFor(wish);
    known.plan = { queries: own, by: 'rules' };
    if (model.provider !== OFFLINE) {
      const { query, researchType, scope, depth } = wish;
      const wished = {
        question: query,
        kind: researchType,
        places: scope,
        most_queries: depth.queries,
        ...definedFields({ published: input.asked.time_range ?? undefined, language: wish.language }),
      };
      const messages = [JSON.stringify(wished)];
      const asked = { model, rules: RULES, messages, schema: answers, signal };
      const answer = await ask(known, { ...asked, answerTokens: ANSWER_TOKENS });
      const queries = distinct([own[0] ?? query, ...(answer?.queries ?? [])]).slice(0, depth.queries);
      if (queries.length > 1) known.plan = { queries, by: 'model' };
    }
    return checkpoint(setting, address, { known, stages: ['planning'] });
  },
});

function distinct(queries: readonly string[]): string[] {
  const clean = queries.map((query) =>
    query
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_CHARACTERS),
  );
  return [...new Map(clean.filter((query) => query !== '').map((query) => [query.toLowerCase(), query])).values()];
}
