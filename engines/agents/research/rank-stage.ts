/** Chooses what is to be read: the best of what was gathered, each story once, as many as the depth says. */
import type { Stage } from '../../../shared/tasks/agent.ts';
import { lexiconOf, termsOf } from '../../model/extractive/terms.ts';
import { repeatsFigures } from '../retold.ts';
import { handOn, takeUp } from './carried.ts';
import { checkAlive } from './check-alive.ts';
import { choose } from './choose.ts';
import { type Pace, pacer } from './pace.ts';
import type { ResearchSetting } from './ports.ts';
import { countIn, PRESENT, type Search, searchFor } from './search.ts';
import type { Chosen, FindingPoint, Gathering, ResearchState } from './state.ts';

const MOST_POINTS = 2_000;

export const rankStage = (setting: ResearchSetting): Stage => ({
  name: 'ranking',
  mayRepeat: true,
  async run({ address, signal }, carried) {
    const { wish } = setting;
    const known = await takeUp(setting, carried);
    checkAlive(known.sources);
    const search = searchFor({ ...wish, queries: known.plan?.queries ?? [] });
    const pace = pacer(signal);
    const { documents, leftOut } = await choose(known.items, { search, most: wish.depth.documents, pace });
    const chosen: ResearchState = {
      ...known,
      items: [],
      documents,
      leftOut,
      points: pointsOf(known.items, documents, search),
    };
    if (wish.places.length > 0) chosen.placesNotMentioned = await notMentioned(wish.places, documents, pace);
    return handOn(setting, address, { known: chosen, stages: ['planning', 'gathering', 'ranking'] });
  },
});

/** A place is mentioned where each of its words, or one of its kin, stands in the same document. */
async function notMentioned(places: readonly string[], documents: readonly Chosen[], pace: Pace): Promise<string[]> {
  const lexicon = lexiconOf(termsOf(places.join('\n')));
  const termOf = new Map(lexicon.terms.map(({ word }, at) => [word, at]));
  const left = new Map(places.map((place) => [place, termsOf(place).map(({ word }) => termOf.get(word) ?? -1)]));
  for (const { title, text } of documents) {
    await pace(text.length);
    const { best } = countIn(`${title}\n${text}`, lexicon);
    for (const [place, terms] of left) {
      if (terms.every((term) => (best.get(term) ?? 0) >= PRESENT)) left.delete(place);
    }
  }
  return [...left.keys()];
}

/**
 * All figures of a kind that one of the chosen documents has, so that a series is whole; where documents have figures of
 * many kinds, those whose labels are about the question.
 */
function pointsOf(items: readonly Gathering[], documents: readonly Chosen[], search: Search): FindingPoint[] {
  const kindOf = (source: string, label: string) => JSON.stringify([source, label]);
  const all = documents.flatMap(({ source, figures }) => figures.map(({ label }) => ({ source, label })));
  const fitting = all.filter(({ label }) => isAbout(label, search));
  const kinds = new Set((fitting.length > 0 ? fitting : all).map(({ source, label }) => kindOf(source, label)));
  const numbers = new Map(documents.map((one) => [placeOf(one.source, one.address, one.title), one.document]));
  const retold = retoldAmong(documents);
  return items
    .filter((item) => !retold(item))
    .flatMap(({ source, address, title, publishedAt, isSample, figures = [] }): FindingPoint[] =>
      figures
        .filter(({ label, value }) => Number.isFinite(value) && kinds.has(kindOf(source, label)))
        .map((figure) => ({
          ...figure,
          source,
          title,
          at: publishedAt ?? null,
          document: numbers.get(placeOf(source, address, title)) ?? null,
          isSample,
        })),
    )
    .slice(0, MOST_POINTS);
}

/** Whether a document that was chosen has told it, figures and all, within a few days. */
function retoldAmong(documents: readonly Chosen[]): (item: Gathering) => boolean {
  const tellers = new Map(
    documents.flatMap((one) =>
      one.duplicates.map(({ source, address, title }) => [placeOf(source, address, title), one] as const),
    ),
  );
  return (item) => {
    const teller = tellers.get(placeOf(item.source, item.address, item.title));
    if (!teller) return false;
    const { published_at: at, ...told } = teller;
    return repeatsFigures(item, { ...told, ...(at === null ? {} : { publishedAt: at }) });
  };
}

const isAbout = (label: string, { lexicon, main }: Search): boolean =>
  [...countIn(label, lexicon).best].some(([term, best]) => main.has(term) && best >= PRESENT);

const placeOf = (...parts: string[]): string => JSON.stringify(parts);
