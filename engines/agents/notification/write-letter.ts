/** Writes the mail out of what was gathered: everything in it was read, sent along by the caller, or counted. */
import type { GatheredItems, SourceItem } from '../../../shared/sources/gathered.ts';
import type { Entry, Letter, LetterChart, LetterSection } from '../../mail/letter.ts';
import { linkOf, oneLine } from '../../mail/plain-words.ts';
import { latestFigures, seriesIn } from './figures.ts';
import { MOST_ENTRIES, type NotificationPlan } from './plan.ts';
import { newIn } from './since.ts';
import { counted, dayOf, listed, longDay, sourceTitle } from './words.ts';

/** Of the reader's words: as the model wrote them, or as they were found. */
export type Opening = { subject: string; heading: string; lead: string[] };

export type Written = { plan: NotificationPlan; gathered: GatheredItems[]; since: number | undefined; at: number };

const MOST_TITLE = 160;
const MOST_TEXT: Record<NotificationPlan['kind'], number> = { digest: 320, alert: 400, report: 600, reminder: 160 };
const MOST_PREHEADER = 140;
const MOST_NOTES = 12;

export function writeLetter(written: Written, opening: Opening, charts: LetterChart[]): Letter {
  const { plan, gathered, at } = written;
  const subject = plan.subject ?? opening.subject;
  const figures = plan.kind === 'reminder' ? undefined : latestFigures(gathered.flatMap(seriesIn), subject, plan.zone);
  const lead = [...plan.message, ...opening.lead, ...samplesTold(gathered)];
  return {
    subject,
    preheader: oneLine(lead.join(' '), MOST_PREHEADER),
    kind: plan.title,
    heading: plan.subject ?? opening.heading,
    date: longDay(at, plan.zone),
    lead,
    ...(figures ? { figures } : {}),
    charts,
    sections: gathered.map((one) => sectionOf(written, one)).filter((section) => section !== undefined),
    notes: notesOf(written),
  };
}

function samplesTold(gathered: readonly GatheredItems[]): string[] {
  const samples = gathered.filter(({ isSample, items }) => isSample && items.length > 0);
  const names = listed(samples.map(({ source }) => sourceTitle(source)));
  return samples.length === 0 ? [] : [`${names}: sample data that came with the product, nothing of which is news.`];
}

/** What has figures stands under them, and in the charts; where there is nothing else, the newest of it is read, too. */
export function toRead(items: readonly SourceItem[]): SourceItem[] {
  const plain = items.filter(({ figures = [] }) => figures.length === 0);
  return plain.length > 0 ? plain : items.slice(0, 1);
}

function sectionOf({ plan, since }: Written, gathered: GatheredItems): LetterSection | undefined {
  const fresh = toRead(newIn(gathered, since));
  if (fresh.length === 0) return undefined;
  const shown = fresh.slice(0, MOST_ENTRIES[plan.kind]);
  const left = fresh.length - shown.length;
  return {
    heading: sourceTitle(gathered.source),
    ...(left > 0 ? { note: `The first ${shown.length} of ${fresh.length}.` } : {}),
    entries: shown.map((item) => entryOf(item, plan, gathered.isSample)),
  };
}

/** Nobody can go to where a sample stands. */
function entryOf(
  { title, text, address, publishedAt }: SourceItem,
  { kind, zone }: NotificationPlan,
  isSample: boolean,
): Entry {
  const link = isSample ? undefined : linkOf(address);
  const host = link === undefined ? '' : new URL(link).hostname;
  const name = oneLine(title, MOST_TITLE) || host || 'Untitled';
  const words = oneLine(text, MOST_TEXT[kind]);
  return {
    title: name,
    text: words === name ? '' : words,
    about: [publishedAt === undefined ? '' : dayOf(publishedAt, zone), host].filter((part) => part !== '').join(' · '),
    ...(link === undefined ? {} : { address: link }),
  };
}

function notesOf({ plan, gathered, since }: Written): string[] {
  const stale = gathered.filter((one) => one.items.length > 0 && newIn(one, since).length === 0);
  const empty = gathered.filter(({ items, faults }) => items.length === 0 && faults.length === 0);
  const faults = gathered.flatMap(({ source, faults }) =>
    faults.map(({ address, reason }) => `${sourceTitle(source)}: ${oneLine(`${address} ${reason}`, 300)}.`),
  );
  const shown = [
    ...stale.map(({ source }) => `${sourceTitle(source)}: nothing new since ${dayOf(since ?? 0, plan.zone)}.`),
    ...empty.map(({ source }) => `${sourceTitle(source)}: nothing was published.`),
    ...faults,
  ];
  const left = shown.length - MOST_NOTES;
  return left > 0 ? [...shown.slice(0, MOST_NOTES), `${counted(left, 'more fault')}.`] : shown;
}

/** How much there is, and from where. */
export function tally({ plan, gathered, since }: Written): string {
  const fresh = gathered.filter((one) => newIn(one, since).length > 0);
  const items = fresh.flatMap((one) => newIn(one, since));
  const inFigures = items.filter(({ figures = [] }) => figures.length > 0).length;
  if (plan.sources.length === 0) return '';
  if (items.length === 0) return 'There is nothing new in the sources of this mail.';
  const from = listed(fresh.map(({ source }) => sourceTitle(source)));
  return `${counted(items.length, 'new item')} from ${from}${inFigures > 0 ? `, ${inFigures} with figures` : ''}.`;
}
