/** What a notification is composed from, and what code says of it without a model. */

import { cleanLine } from '../../engines/mail/email.ts';
import type { NotificationKind } from '../../shared/agents/notification-kind.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import { sourceName } from '../source-names.ts';
import type { ItemView, NewItem } from './items.ts';
import { newItemsIn } from './since.ts';
import type { NotificationPlan } from './state.ts';
import { countLabel, dayOf, nameList } from './wording.ts';

export type GatheredNews = {
  plan: NotificationPlan;
  gathered: readonly GatheredItems[];
  /** Items count as new since then; undefined: all of them. */
  since: number | undefined;
  at: number;
  items: readonly NewItem[];
  /** Those of the items that a model is shown, in their order. */
  views: readonly ItemView[];
  /** The name of the organization, or an empty text. */
  sender: string;
};

/** How many entries an e-mail of a model has; without one, each source has as many. */
export const MAX_ENTRIES: Record<NotificationKind, number> = { digest: 5, report: 8, reminder: 3 };

/**
 * Items with figures appear in the figures table and in the charts. If there are no others, the newest one is shown as
 * text, too.
 */
export function itemsToRead(items: readonly SourceItem[]): SourceItem[] {
  const plain = items.filter(({ figures = [] }) => figures.length === 0);
  return plain.length > 0 ? plain : items.slice(0, 1);
}

export const messageHeading = (sender: string): string => `A message from ${sender || 'the sender'}`;

const MAX_SUBJECT = 100;

/** The first item that an e-mail without a model shows. */
export const firstItem = ({ gathered, since }: GatheredNews): SourceItem | undefined =>
  gathered.flatMap((source) => itemsToRead(newItemsIn(source, since)))[0];

/** The subject and the heading without a model: the title of the first item that is shown, and no line of the message. */
export function plainSubject(
  { plan, sender }: GatheredNews,
  shownItem: SourceItem | undefined,
): { subject: string; heading: string } {
  const title = plan.kind === 'reminder' ? '' : (shownItem?.title ?? '');
  const name = plan.title || messageHeading(sender);
  return {
    subject: title === '' ? name : cleanLine(`${name}: ${title}`, MAX_SUBJECT),
    heading: cleanLine(title, MAX_SUBJECT) || name,
  };
}

/** Summarizes how many new items there are, and from which sources. */
export function newItemSummary({ plan, gathered, since }: GatheredNews): string[] {
  if (plan.sources.length === 0) return [];
  const fresh = gathered.filter((source) => newItemsIn(source, since).length > 0);
  const items = fresh.flatMap((source) => newItemsIn(source, since));
  if (items.length === 0) return ['There is nothing new in the sources of this e-mail.'];
  const inFigures = items.filter(({ figures = [] }) => figures.length > 0).length;
  const from = nameList(fresh.map(({ source }) => sourceName(source)));
  return [`${countLabel(items.length, 'new item')} from ${from}${inFigures > 0 ? `, ${inFigures} with figures` : ''}.`];
}

export function sampleNotes(gathered: readonly GatheredItems[]): string[] {
  const samples = gathered.filter(({ isSample, items }) => isSample && items.length > 0);
  const names = nameList(samples.map(({ source }) => sourceName(source)));
  return samples.length === 0 ? [] : [`${names}: fictional sample data, not news.`];
}

const MAX_NOTES = 12;

/** What could not be read, or is not new. */
export function missingNotes({ plan, gathered, since }: GatheredNews): string[] {
  const stale = gathered.filter((source) => source.items.length > 0 && newItemsIn(source, since).length === 0);
  const empty = gathered.filter(({ items, faults }) => items.length === 0 && faults.length === 0);
  const faults = gathered.flatMap(({ source, faults: ofSource }) =>
    ofSource.map(({ address, reason }) => `${sourceName(source)}: ${cleanLine(`${address} ${reason}`, 300)}.`),
  );
  const notes = [
    ...stale.map(({ source }) => `${sourceName(source)}: nothing new since ${dayOf(since ?? 0, plan.zone)}.`),
    ...empty.map(({ source }) => `${sourceName(source)}: nothing was published.`),
    ...faults,
  ];
  const omittedCount = notes.length - MAX_NOTES;
  return omittedCount > 0 ? [...notes.slice(0, MAX_NOTES), `${countLabel(omittedCount, 'more fault')}.`] : notes;
}
