/** Makes the queries that go to the sources, out of the question, the kind of research, its places and its depth. */
import * as v from 'valibot';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { isOffline, OFFLINE } from '../../model/offline.ts';
import { ask, MATERIAL } from './ask.ts';
import { handOn, takeUp } from './carried.ts';
import type { ResearchSetting } from './ports.ts';
import { queriesFor } from './queries.ts';

const ANSWER_TOKENS = 1_000;
const MOST_CHARACTERS = 200;

const answers = v.object({ queries: v.array(v.string()) });

const RULES = [
  'You plan a research. Nobody can answer questions.',
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
    const known = await takeUp(setting, carried);
    const model = await ports.modelOf(input.model, work);
    const own = queriesFor(wish);
    known.plan = { queries: own, by: 'rules' };
    if (model.provider !== OFFLINE) {
      const { query, researchType, scope, depth } = wish;
      const wished = { question: query, kind: researchType, places: scope, most_queries: depth.queries };
      const messages = [JSON.stringify(wished)];
      const asked = { model, rules: RULES, messages, schema: answers, signal };
      const answer = await ask(known, { ...asked, answerTokens: ANSWER_TOKENS });
      const queries = distinct([own[0] ?? query, ...(answer?.queries ?? [])]).slice(0, depth.queries);
      if (queries.length > 1) known.plan = { queries, by: 'model' };
    }
    return handOn(setting, address, { known, stages: ['planning'] });
  },
});

function distinct(queries: readonly string[]): string[] {
  const clean = queries.map((query) =>
    query
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, MOST_CHARACTERS),
  );
  return [...new Map(clean.filter((query) => query !== '').map((query) => [query.toLowerCase(), query])).values()];
}
