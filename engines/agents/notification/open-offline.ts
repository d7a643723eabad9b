/** The subject and the opening of a mail without a model: the telling sentences of what was read, word for word. */
import type { SourceItem } from '../../../shared/sources/gathered.ts';
import { oneLine } from '../../mail/plain-words.ts';
import type { Passage } from '../../model/extractive/passage.ts';
import { summarise } from '../../model/extractive/summarise.ts';
import { gistOf } from './gist.ts';
import type { NotificationPlan } from './plan.ts';
import { newIn } from './since.ts';
import { sourceTitle } from './words.ts';
import { type Opening, tally, toRead, type Written } from './write-letter.ts';

const SENTENCES = { digest: 2, alert: 1, report: 3, reminder: 0 } as const;
const MAX_OFFLINE_SUBJECT = 100;
const MOST_SENTENCE = 280;
const MOST_ITEMS = 40;

export function openOffline(written: Written): Opening {
  const { plan, gathered, since } = written;
  const items = gathered.flatMap((one) => toRead(newIn(one, since))).slice(0, MOST_ITEMS);
  const found = plan.kind === 'reminder' ? '' : (items[0]?.title ?? '');
  return {
    subject: subjectOf(plan, found || gistOf(plan.message)),
    // A message stands below, whole.
    heading: oneLine(found, MAX_OFFLINE_SUBJECT) || plan.title,
    lead: [tally(written), ...quotesOf(items, SENTENCES[plan.kind])].filter((text) => text !== ''),
  };
}

function subjectOf({ title, type, sources }: NotificationPlan, told: string): string {
  if (told === '') return title;
  const isMessage = !type && sources.length === 0;
  return oneLine(isMessage ? told : `${title}: ${told}`, MAX_OFFLINE_SUBJECT);
}

function quotesOf(items: readonly SourceItem[], count: number): string[] {
  const passages: Passage[] = items.map(({ title, text }) => ({ source: title, place: '', text }));
  const wanted = passages.map((_, at) => at);
  const units = summarise(wanted, passages, { count: 3 * count, focus: new Set(), language: 'en' });
  const first = units.filter(({ passage }, at) => units.findIndex((unit) => unit.passage === passage) === at);
  return first.slice(0, count).map(({ text, passage }) => {
    const { source = '', title = '' } = items[passage] ?? {};
    return `“${oneLine(text, MOST_SENTENCE)}” (${sourceTitle(source)}: ${oneLine(title, 100)})`;
  });
}
