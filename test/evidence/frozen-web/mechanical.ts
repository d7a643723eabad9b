/** A researcher without understanding: it sees only the question and what pages say, and asks for names it has not asked for. */

import type { FrozenWeb } from './serve.ts';

/** Words that are names: several capitalized words in a row, behind other words or at the beginning. */
const NAMES = /\p{Lu}[\p{Ll}\p{M}]+(?:\s+\p{Lu}[\p{Ll}\p{M}]+)+/gu;
const WORDS = /[\p{L}\p{N}]{4,}/gu;

/** Question words carry nothing to search for. */
const ASKING =
  /^(?:what|when|which|where|year|many|much|long|does|quelle|cu[aá]ntas|quanti|viele|wieviel|did|was|were|the|how|who)$/i;

const nounsOf = (question: string): string =>
  (question.match(WORDS) ?? []).filter((word) => !ASKING.test(word)).join(' ');

const namesIn = (text: string): string[] => [...new Set(text.match(NAMES) ?? [])];

const overlap = (text: string, question: string): number => {
  const words = new Set(text.toLowerCase().match(WORDS) ?? []);
  return (nounsOf(question).toLowerCase().match(WORDS) ?? []).filter((word) => words.has(word)).length;
};

/** The sentence of a page that shares the most words with the question. */
function noteOf(text: string, question: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/);
  return sentences.reduce((best, one) => (overlap(one, question) > overlap(best, question) ? one : best), '');
}

type Read = { url: string; text: string; query: string };
export type Walk = { read: Read[]; refused: string[]; queries: string[] };

type Budget = { rounds: number; pages: number };

/** Searches, opens pages, notes a sentence of each, and asks for the names in the notes in the next round. */
export async function mechanicalWalk(
  web: Pick<FrozenWeb, 'connector' | 'openPage'>,
  question: string,
  { rounds, pages }: Budget,
): Promise<Walk> {
  const ask = { organization: 'one', signal: new AbortController().signal, ownHosts: [] };
  const walk: Walk = { read: [], refused: [], queries: [] };
  const tried = new Set<string>();
  let queries = [nounsOf(question)];
  for (let round = 0; round < rounds; round++) {
    const notes: string[] = [];
    for (const query of queries) {
      walk.queries.push(query);
      const { hits } = await web.connector.search({ text: query, count: 10 }, ask.signal);
      for (const { url } of hits.filter(({ url }) => !tried.has(url)).slice(0, pages)) {
        tried.add(url);
        const page = await web.openPage(url, ask);
        if ('refused' in page) {
          walk.refused.push(`${page.refused} ${url}`);
          continue;
        }
        walk.read.push({ url: page.url, text: page.text, query });
        notes.push(noteOf(page.text, question));
      }
    }
    const names = notes.flatMap(namesIn).filter((name) => !walk.queries.includes(name) && !question.includes(name));
    queries = [...new Set(names)].slice(0, 3);
  }
  return walk;
}

/** Searches for the question itself and reads ten hits: what a loop is compared with. */
export async function baselineWalk(web: Pick<FrozenWeb, 'connector' | 'openPage'>, question: string): Promise<Walk> {
  const ask = { organization: 'one', signal: new AbortController().signal, ownHosts: [] };
  const { hits } = await web.connector.search({ text: question, count: 10 }, ask.signal);
  const read: Read[] = [];
  const refused: string[] = [];
  for (const { url } of hits) {
    const page = await web.openPage(url, ask);
    if ('refused' in page) refused.push(`${page.refused} ${url}`);
    else read.push({ url: page.url, text: page.text, query: question });
  }
  return { read, refused, queries: [question] };
}
