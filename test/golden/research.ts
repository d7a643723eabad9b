/** Evaluates research: duplicate stories, and whether cited text is in its source. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fingerprintOf, isNearDuplicate } from '../../agents/repeated-figures.ts';
import type { ResearchResults } from '../../agents/research/results.ts';
import { samplesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { sampleCorpora, sampleItems } from '../../engines/sources/bundled-sources.ts';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import type { SourceItem } from '../../shared/sources/source.ts';
import { openResearch } from '../research/setup.ts';
import { halves } from './evaluate.ts';
import { quoteMatcher } from './held-in.ts';

const FOLDER = join(import.meta.dirname, 'research');
const read = <T>(file: string): T => parse(readFileSync(join(FOLDER, file), 'utf8'));

export type Pair = { same: boolean; one: string; two: string };
export const pairs = (): Pair[] => read<Pair[]>('duplicates.yaml');

const isTakenForSame = ({ one, two }: Pair): boolean => isNearDuplicate(fingerprintOf(one), fingerprintOf(two));

export function scoreOfPairs(all: readonly Pair[]) {
  const taken = all.filter(isTakenForSame);
  const right = taken.filter(({ same }) => same).length;
  const same = all.filter((pair) => pair.same).length;
  return { pairs: all.length, same, precision: right / Math.max(1, taken.length), recall: right / Math.max(1, same) };
}

/** Two pairs of each kind follow each other: every second of them is held out. */
export const pairHalves = (all: readonly Pair[]) => halves([...all]);

type Entry = { id: string; source: string; published: string; title: string; text: string };
type ResearchQuestion = { query: string; reads: string[]; says: string[] };

const researchQuestions = (): ResearchQuestion[] => read('questions.yaml');

const addressOf = (id: string): string => `https://golden.errand-tests.org/${id}`;

const goldenCorpus = (): SourceItem[] =>
  read<Entry[]>('corpus.yaml').map(({ id, source, published, title, text }) => ({
    source,
    address: addressOf(id),
    title,
    text,
    publishedAt: new Date(published).toISOString(),
  }));

/** How much of each cited sentence stands in the documents that are cited for it, on average and at worst. */
type Shares = { words: number; trigrams: number };
export type Judged = {
  query: string;
  results: ResearchResults;
  /** Citations in findings and paragraphs. */
  citations: number;
  /** Of these, whose document was read and has the quote word for word. */
  resolved: number;
  sentences: number;
  mean: Shares;
  worst: Shares;
};

const EVERYTHING = ['executive_summary', 'key_findings', 'market_overview', 'competitor_analysis', 'trends', 'risks'];

/** A research by the agent itself, without a language model, over these items. */
async function judgeResearch(query: string, items: readonly SourceItem[]): Promise<Judged> {
  const sources = [...new Set(items.map(({ source }) => source))];
  const at = openResearch(
    Object.fromEntries(sources.map((source) => [source, { items: items.filter((item) => item.source === source) }])),
  );
  try {
    const { results } = await at.run({ query, analysis_depth: 'expert', deliverables: EVERYTHING });
    return judge(query, results, items);
  } finally {
    at.close();
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function judge(query: string, results: ResearchResults, items: readonly SourceItem[]): Judged {
  const texts = new Map(
    results.documents
      .filter(({ status }) => status === 'read')
      .map(({ document, address, title }) => {
        const item = items.find((one) => one.address === address && one.title === title);
        return [document, oneLine(`${item?.title ?? ''}\n${item?.text ?? ''}`)];
      }),
  );
  const quotes = results.findings.flatMap(({ citations }) => citations);
  const paragraphs = results.deliverables.flatMap((written) => written.paragraphs);
  const marks = paragraphs.flatMap(({ citations }) => citations);
  const resolved =
    quotes.filter(({ document, quote }) => texts.get(document)?.includes(oneLine(quote))).length +
    marks.filter((document) => texts.has(document)).length;
  const shares = paragraphs.map(({ text, citations }) =>
    quoteMatcher(citations.map((document) => texts.get(document) ?? '').join('\n')).contains(text),
  );
  const of = (take: (all: number[]) => number): Shares => ({
    words: take(shares.map(({ words }) => words)),
    trigrams: take(shares.map(({ trigrams }) => trigrams)),
  });
  return {
    query,
    results,
    citations: quotes.length + marks.length,
    resolved,
    sentences: paragraphs.length,
    mean: of((all) => all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length)),
    worst: of((all) => Math.min(1, ...all)),
  };
}

/** Of the labelled documents how many were read, in themselves or in a copy; of what was labelled to be said, how much is. */
function labelsMet({ results }: Judged, { reads, says }: ResearchQuestion) {
  const read = results.documents.flatMap(({ address, duplicates }) => [
    address,
    ...duplicates.map((one) => one.address),
  ]);
  const said = results.findings.map(({ text }) => text).join('\n');
  return {
    read: reads.filter((id) => read.includes(addressOf(id))).length,
    toRead: reads.length,
    said: says.filter((words) => said.includes(words)).length,
    toSay: says.length,
    first: reads.includes(idOf(results.documents[0]?.address)),
  };
}

const idOf = (address = ''): string => address.slice(address.lastIndexOf('/') + 1);

/** Questions that the bundled sample corpora have something on. */
const SAMPLE_QUERIES = [
  'How did port fees and container freight rates change?',
  'How is Brightwater Logistics doing?',
  'What moves the price of wheat?',
  'Will there be a strike at Halden Bay?',
  'Progress of the Storholm wind park and of Norvik Hydro',
  'Calder & Finch Foods: closures, recalls and results',
];

/** Any day will do, as long as it is always the same. */
const SAMPLED_AT = Date.UTC(2026, 10, 20);

async function sampleCorpus(): Promise<SourceItem[]> {
  const bundled = sampleCorpora(samplesFromCheckout());
  const all = await Promise.all(KNOWN_SOURCES.map(bundled));
  return all.flatMap((found) => (found && 'sample' in found ? sampleItems(found.sample, SAMPLED_AT) : []));
}

/** A report on each question: over the labelled corpus, and over the samples. */
export async function judgeReports(): Promise<{ ofLabelled: Judged[]; ofSamples: Judged[] }> {
  const judge = async (queries: readonly string[], items: readonly SourceItem[]) => {
    const all: Judged[] = [];
    for (const query of queries) all.push(await judgeResearch(query, items));
    return all;
  };
  const ofLabelled = await judge(
    researchQuestions().map(({ query }) => query),
    goldenCorpus(),
  );
  return { ofLabelled, ofSamples: await judge(SAMPLE_QUERIES, await sampleCorpus()) };
}

/** Over all labelled questions; `first` says that each report has a labelled document at its head. */
export function labelsMetBy(ofLabelled: readonly Judged[]) {
  const met = researchQuestions().map((question, at) => labelsMet(ofLabelled[at] as Judged, question));
  const sum = (of: 'read' | 'toRead' | 'said' | 'toSay') => met.reduce((so, one) => so + one[of], 0);
  return {
    read: sum('read'),
    toRead: sum('toRead'),
    said: sum('said'),
    toSay: sum('toSay'),
    first: met.every(({ first }) => first),
  };
}
