/**
 * A model without understanding, for every role of a research: it sees only the text of the request. It plans noun phrases
 * first, then names in the notes that it has not asked for yet; it ranks and reads by word overlap, and writes one sentence
 * a note.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { verdictsOn } from '../../agents/scripted-look.ts';

const NAMES = /\p{Lu}[\p{Ll}\p{M}]+(?:\s+\p{Lu}[\p{Ll}\p{M}]+)+/gu;
const ASKING =
  /^(?:what|when|which|where|year|many|much|long|does|quelle|cu[aá]ntas|quanti|viele|wieviel|did|was|were|the|how|who|and|in|of|is|a|the)$/i;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const nounsOf = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 && !ASKING.test(word)).join(' ');

/** `retire` and `retired` are one word. */
const isSame = (one: string, other: string): boolean =>
  one === other || (Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one)));

const overlap = (text: string, wanted: string): number => {
  const own = [...new Set(wordsOf(text))];
  return [...new Set(wordsOf(nounsOf(wanted)))].filter((word) => own.some((one) => isSame(word, one))).length;
};

type Json = Record<string, unknown>;
type Note = { sub_question: number; text: string };
type Shown = { document: number; text: string };
/** A long text has headings and passages in place of its beginning. */
type Item = { item: number; title: string; beginning?: string; headings?: string[]; passages?: string[] };

/** How the instructions of a role begin, and what it answers to the first two parts of its request, and to all its texts. */
export type Role = [RegExp, (wished: Json, material: unknown, texts: readonly string[]) => Json];

/** The objects of a request, one a line, that begin with this key. */
export const linesIn = <T>(texts: readonly string[], key: string): T[] =>
  texts.flatMap((text) =>
    text.split('\n').flatMap((line) => (line.startsWith(`{"${key}":`) ? [JSON.parse(line) as T] : [])),
  );

type Wished = { sections: { section: number; title: string; kind: string }[]; most_rows: number; most_added: number };

/** What a writer is asked for. */
export const wishedIn = (texts: readonly string[]): Wished =>
  jsonIn(texts.find((text) => text.startsWith('What is wished:'))) as Wished;

const answers: Role[] = [
  [/^You plan a research/, ({ question }) => ({ sub_questions: [question], queries: [nounsOf(String(question))] })],
  [
    /^You choose what is read/,
    ({ sub_questions: parts, queries }, items) => {
      const wanted = [...(parts as Note[]).map(({ text }) => text), ...(queries as string[])].join(' ');
      const scored = (items as Item[]).map(({ item, title, beginning = '', headings = [], passages = [] }) => ({
        item,
        score: overlap([title, beginning, ...headings, ...passages].join(' '), wanted),
      }));
      const best = Math.max(1, ...scored.map(({ score }) => score));
      return { items: scored.map(({ item, score }) => ({ item, score: (3 * score) / best })) };
    },
  ],
  [
    /^You read documents/,
    ({ question }, documents) => {
      const best = new Map<number, { text: string; fit: number }>();
      for (const { document, text } of documents as Shown[]) {
        for (const sentence of text.split(/(?<=[.!?])\s+|\n+/)) {
          const fit = overlap(sentence, String(question)) + (/\d/.test(sentence) ? 0.5 : 0);
          if (fit >= 1 && sentence.split(/\s+/).length > 3 && fit > (best.get(document)?.fit ?? 0))
            best.set(document, { text: sentence, fit });
        }
      }
      const findings = [...best].map(([document, { text }]) => ({
        ...{ statement: text, importance: 3, sub_question: 1, topics: [] },
        citations: [{ document, quote: text }],
      }));
      return { findings };
    },
  ],
  [
    /^You lead a research/,
    ({ question, queries_asked: asked, sub_questions: parts }, notes) => {
      const known = [String(question), ...(asked as string[])];
      const names = (notes as Note[]).flatMap(({ text }) => text.match(NAMES) ?? []);
      return {
        covered: (parts as Note[]).map(({ sub_question }) => sub_question),
        queries: [...new Set(names)].filter((name) => !known.some((text) => text.includes(name))).slice(0, 3),
      };
    },
  ],
  [
    /^You write a report/,
    (_, __, texts) => {
      const paragraphs = linesIn<{ finding: number; text: string }>(texts, 'finding').map(({ finding, text }) => ({
        sentences: [{ text, kind: 'fact', findings: [finding] }],
      }));
      return { sections: wishedIn(texts).sections.map(({ section }) => ({ section, paragraphs })), rows: [] };
    },
  ],
  [
    /^You check statements/,
    (_, __, texts) =>
      JSON.parse(verdictsOn(texts.join('\n'), ({ text = '', quotes }) => quotes.some((quote) => says(quote, text)))),
  ],
  [/^You correct statements/, () => ({ statements: [] })],
];

const plainOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const says = ({ text }: { text: string }, statement: string): boolean => plainOf(text).includes(plainOf(statement));

const equalScores = ({ items }: Json): Json => ({ items: (items as Item[]).map(({ item }) => ({ item, score: 1 })) });

const textIn = (content: LanguageModelV4CallOptions['prompt'][number]['content']): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Null of what is no JSON as a whole. */
function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text.replace(/^[^\n{[]*:\n/, ''));
  } catch {
    return null;
  }
}

/** `given` are the requests, in their order. With `isRanking: false`, all items are worth the same; `roles` come before its own. */
export function mechanicalModel({ isRanking = true, tokensOfCall = 0, roles = [] as readonly Role[] } = {}) {
  const given: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'mechanical',
    modelId: 'mechanical',
    supportedUrls: {},
    async doGenerate(options) {
      given.push(options);
      const [system = '', ...user] = options.prompt.map(({ content }) => textIn(content));
      const role = [...roles, ...answers].find(([begins]) => begins.test(system));
      if (!role) throw new Error(`The mechanical model does not know this role: ${system.slice(0, 80)}`);
      const answer = role[1](jsonIn(user[0]) as Json, jsonIn(user[1]), user);
      const text = JSON.stringify('items' in answer && !isRanking ? equalScores(answer) : answer);
      const tokens = (whole: string) => tokensOfCall || Math.ceil(whole.length / 4);
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: {
            total: tokens(JSON.stringify(options.prompt)),
            noCache: undefined,
            cacheRead: 0,
            cacheWrite: 0,
          },
          outputTokens: { total: tokens(text), text: tokens(text), reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('Not streamed.');
    },
  };
  return { model, given };
}
