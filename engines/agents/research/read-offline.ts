/** What the offline model takes out of documents: the sentences that fit the question best, and those of each topic. */
import type { Deliverable } from './deliverables.ts';
import type { Pace } from './pace.ts';
import type { Proposed } from './proposed.ts';
import { corpusOf, countIn, searchFor, type TermCounts } from './search.ts';
import { type Sentence, sentencesOf } from './sentences-of.ts';
import type { Chosen, ResearchState } from './state.ts';
import { type Topic, topicOf } from './topics.ts';
import type { ResearchRequest } from './wish.ts';

/** A sentence much weaker than its document's best one is about something else. */
const LEAST_OF_BEST = 0.35;
const LEAST_FOR_TOPIC = 0.2;
const EACH_TOPIC = 2;
const TOPIC_BONUS = 0.1;
const WORDS_OF_SENTENCE = 25;

type OfflineReading = { known: ResearchState; batch: readonly Chosen[]; pace: Pace };

export async function readOffline(wish: ResearchRequest, { known, batch, pace }: OfflineReading): Promise<Proposed[]> {
  const search = searchFor({ ...wish, queries: known.plan?.queries ?? [] });
  const counts: TermCounts[] = [];
  for (const { title, text } of known.documents) {
    await pace(text.length);
    counts.push(countIn(`${title}\n${text}`, search.lexicon));
  }
  const topics = wish.deliverables.filter(({ kind }) => kind === 'topic').map((one: Deliverable) => topicOf(one));
  // Weighed as sentences: next to whole documents all of them would be short.
  const corpus = { ...corpusOf(counts, search), averageWords: WORDS_OF_SENTENCE };
  const proposed: Proposed[] = [];
  for (const document of batch) {
    await pace(document.text.length);
    proposed.push(...chosenIn(document, sentencesOf(document, corpus), { wish, topics }));
  }
  return proposed;
}

function chosenIn(
  document: Chosen,
  sentences: Sentence[],
  { wish, topics }: { wish: ResearchRequest; topics: Topic[] },
) {
  const best = sentences[0]?.score ?? 0;
  const chosen = new Map<Sentence, string[]>();
  for (const sentence of sentences.slice(0, wish.analysis.ofDocument)) {
    if (sentence.score >= LEAST_OF_BEST * best) chosen.set(sentence, []);
  }
  const fitting = sentences.filter(({ score }) => score >= LEAST_FOR_TOPIC * best);
  for (const { title, fits } of topics) {
    const ofTopic = fitting
      .map((sentence) => ({ sentence, fit: fits(sentence.text) }))
      .filter(({ fit }) => fit > 0)
      .sort((a, b) => b.fit * b.sentence.score - a.fit * a.sentence.score)
      .slice(0, EACH_TOPIC);
    for (const { sentence } of ofTopic) chosen.set(sentence, [...(chosen.get(sentence) ?? []), title]);
  }
  return [...chosen].map(
    ([{ text, score }, belongs]): Proposed => ({
      text,
      is_quote: true,
      citations: [{ document: document.document, quote: text }],
      topics: belongs,
      score: rounded(
        ((0.4 + 0.6 * document.relevance) * score) / (best || 1) + TOPIC_BONUS * Math.min(1, belongs.length),
      ),
    }),
  );
}

const rounded = (score: number): number => Math.round(1_000 * score) / 1_000;
