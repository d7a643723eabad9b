/**
 * Finds what of the documents is nearest to a query: BM25 over stems, for models and without one alike. Texts of strangers are
 * searched in the threads of `agents/text-rules.ts`.
 */
import MiniSearch from 'minisearch';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { type Chunk, passageChunks } from './chunks.ts';
import { placeWithin } from './line-ranges.ts';
import { headingsOf, type Passage, type QuoteUnit, readUnits } from './passages.ts';
import { indexedWords, STOP_WORDS, stem } from './words.ts';

/** A stretch of a document, word for word. `passage` is the index of the passage that it stands in. */
export type FoundPassage = {
  passage: number;
  source: string;
  place: string;
  text: string;
  /** The header row of the table that its rows belong to. */
  header?: string;
  /** The lines right above its table. */
  caption?: string;
  /** The headings above it, the nearest first. */
  headings: string[];
  score: number;
};

type PassageQuery = { query: string; passages: readonly Passage[]; limit: number };

/** Returns the passages that are nearest to the query, the nearest first. */
export function searchPassages({ query, passages, limit }: PassageQuery): FoundPassage[] {
  const chunks = passageChunks(passages);
  return rankTexts({ query, texts: searchedTexts(chunks, passages) })
    .slice(0, limit)
    .flatMap(({ index, score }) => {
      const chunk = chunks[index];
      return chunk ? [{ ...toFoundPassage(chunk, passages), score }] : [];
    });
}

/** A stretch of the passage with this index. */
export type FoundStretch = { passage: number; start: number; end: number };

/** Returns a search for many queries over the same passages; it finds stretches, the nearest first. */
export function searchStretches(passages: readonly Passage[]): (query: string) => FoundStretch[] {
  const chunks = passageChunks(passages);
  const index = indexOf(searchedTexts(chunks, passages));
  return (query) =>
    hitsOf(index, query).flatMap(({ index: at }) => {
      const chunk = chunks[at];
      return chunk ? [{ passage: chunk.passage, start: chunk.start, end: chunk.end }] : [];
    });
}

const searchedTexts = (chunks: readonly Chunk[], passages: readonly Passage[]): SearchedText[] =>
  chunks.map((chunk) => {
    const { text, header = '', caption = '' } = toFoundPassage(chunk, passages);
    return { text, title: [...chunk.headings, caption, header].join('\n') };
  });

/** Returns how the documents begin: the first passage of each, then the second of each, and so on. */
export function leadingPassages({ passages, limit }: Omit<PassageQuery, 'query'>): FoundPassage[] {
  const bySource = [...Map.groupBy(passageChunks(passages), ({ passage }) => passages[passage]?.source).values()];
  const longest = Math.max(0, ...bySource.map(({ length }) => length));
  return Array.from({ length: Math.min(longest, limit) }, (_, nth) => bySource.flatMap((chunks) => chunks[nth] ?? []))
    .flat()
    .slice(0, limit)
    .map((chunk) => ({ ...toFoundPassage(chunk, passages), score: 0 }));
}

function toFoundPassage(chunk: Chunk, passages: readonly Passage[]): Omit<FoundPassage, 'score'> {
  const { passage, start, end, headings } = chunk;
  const { source, place, text } = passages[passage] ?? { source: '', place: '', text: '' };
  const textOf = (stretch: { start: number; end: number } | undefined) =>
    stretch && text.slice(stretch.start, stretch.end);
  return {
    passage,
    source,
    place: placeWithin({ source, place, text }, { start, end }),
    text: text.slice(start, end),
    ...definedFields({ header: textOf(chunk.lead), caption: textOf(chunk.caption) }),
    headings,
  };
}

/** `relevance` is the share of the score of the query's best sentence. `query` and `document` are indexes. */
export type FoundSentence = { query: number; document: number; text: string; heading: string; relevance: number };

type SentenceQuery = {
  queries: readonly string[];
  documents: readonly { title: string; text: string }[];
  /** Of each document, for each query. */
  limit: number;
};

/** Returns the sentences of each document that are nearest to each query, the nearest first. */
export function bestSentences({ queries, documents, limit }: SentenceQuery): FoundSentence[] {
  const sentences = documents.flatMap(({ title, text }, document) =>
    readUnits(0, [{ source: title, place: '', text: text.normalize('NFC') }], 'en')
      .filter(isSentence)
      .map((unit) => ({ document, text: unit.text, heading: headingsOf(unit.block)[0] ?? '' })),
  );
  const index = indexOf(sentences.map(({ text, heading }) => ({ text, title: heading })));
  return queries.flatMap((query, nth) => {
    const hits = hitsOf(index, query);
    const best = hits[0]?.score ?? 1;
    const countByDocument = new Map<number, number>();
    return hits.flatMap(({ index: at, score }): FoundSentence[] => {
      const sentence = sentences[at];
      const count = countByDocument.get(sentence?.document ?? -1) ?? 0;
      if (!sentence || count >= limit) return [];
      countByDocument.set(sentence.document, count + 1);
      return [{ ...sentence, query: nth, relevance: score / best }];
    });
  });
}

const SHORTEST = 30;
const LONGEST = 450;

/** Rows, labels and headings are no sentences. */
const isSentence = ({ block, text }: QuoteUnit): boolean =>
  (block.kind === 'prose' || block.kind === 'item') && text.length >= SHORTEST && text.length <= LONGEST;

type SearchedText = { text: string; title: string };

export type RankedText = { index: number; score: number };

/** Returns the texts that have words of the query in themselves or above them, the nearest first. */
export const rankTexts = ({ query, texts }: { query: string; texts: readonly SearchedText[] }): RankedText[] =>
  hitsOf(indexOf(texts), query);

function indexOf(texts: readonly SearchedText[]): MiniSearch {
  const index = new MiniSearch({ fields: ['text', 'title'], tokenize: indexedWords, processTerm });
  index.addAll(texts.map((searched, id) => ({ id, ...searched })));
  return index;
}

const processTerm = (word: string): string | null => (STOP_WORDS.has(word) ? null : stem(word));

/** A query is a sentence or a paragraph; what is longer is cut. */
const MAX_QUERY = 2_000;
/** From this length on, a word also finds longer words that begin with it, as in German compounds. */
const SHORTEST_PREFIX = 5;

const hitsOf = (index: MiniSearch, query: string): RankedText[] =>
  index
    .search(query.slice(0, MAX_QUERY), { prefix: (word) => word.length >= SHORTEST_PREFIX })
    .map(({ id, score }) => ({ index: id as number, score }));
