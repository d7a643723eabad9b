/** Builds the e-mail. Everything in it comes from a source, from the caller, from confirmed sentences, or from counting. */

import {
  cleanLine,
  type Email,
  type EmailChart,
  type EmailEntry,
  type EmailEvidence,
  type EmailMessage,
  type EmailSection,
  type EmailSource,
  safeLink,
} from '../../engines/mail/email.ts';
import type { ConditionEvidence, JudgedCondition } from '../../shared/agents/results/notification.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { GatheredItems } from '../../shared/sources/source-item.ts';
import { sourceName } from '../source-names.ts';
import { type FigureSeries, latestFigures, seriesIn, seriesOfItems } from './figures.ts';
import type { NewItem } from './items.ts';
import {
  firstItem,
  type GatheredNews,
  itemsToRead,
  MAX_ENTRIES,
  messageHeading,
  missingNotes,
  newItemSummary,
  plainSubject,
  sampleNotes,
} from './plain-texts.ts';
import { newItemsIn } from './since.ts';
import type { NotificationPlan } from './state.ts';
import { countLabel, dayOf } from './wording.ts';

/** What a model wrote and the items confirm. An entry without a title and a text of its own shows those of its first item. */
export type ConfirmedMail = {
  subject?: string;
  introduction: { text: string; items: NewItem[] }[];
  entries: { title?: string; text?: string; items: NewItem[] }[];
};

const MAX_TITLE = 160;
const MAX_TEXT: Record<NotificationPlan['kind'], number> = { digest: 320, report: 600, reminder: 160 };
const MAX_PREHEADER = 140;

/** The figures of what the e-mail tells; without a model, all of them. */
export function shownSeries({ gathered }: GatheredNews, mail: ConfirmedMail | undefined): FigureSeries[] {
  const series = gathered.flatMap(seriesIn);
  return mail
    ? seriesOfItems(
        series,
        chosenItems(mail).map(({ item }) => item),
      )
    : series;
}

export function writeLetter(news: GatheredNews, { mail, condition, charts }: LetterParts): Email {
  const { plan, gathered, at } = news;
  const plain = plainSubject(news, mail ? mail.entries[0]?.items[0]?.item : firstItem(news));
  const subject = plan.subject ?? mail?.subject ?? plain.subject;
  const heading = plan.subject ?? mail?.subject ?? plain.heading;
  const figures = plan.kind === 'reminder' ? undefined : latestFigures(shownSeries(news, mail), subject, plan.zone);
  const introduction = mail?.introduction.map(({ text }) => text).join(' ') ?? '';
  const lead = [...(introduction === '' ? [] : [introduction]), ...newItemSummary(news), ...sampleNotes(gathered)];
  return {
    subject,
    preheader: cleanLine([...plan.message, ...lead].join(' '), MAX_PREHEADER),
    kind: plan.title,
    heading,
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: plan.zone }).format(at),
    ...(plan.message.length > 0 ? { message: messageOf(news, heading) } : {}),
    lead,
    ...(condition ? { evidence: evidenceOf(condition, plan) } : {}),
    ...(figures ? { figures } : {}),
    charts,
    sections: mail ? chosenSection(news, mail) : gathered.flatMap((source) => sectionOf(news, source) ?? []),
    notes: missingNotes(news),
  };
}

export const entryLimits = ({ kind }: NotificationPlan) => ({ title: MAX_TITLE, text: MAX_TEXT[kind] });

type LetterParts = { mail: ConfirmedMail | undefined; condition: JudgedCondition | undefined; charts: EmailChart[] };

/** The items that the model chose. */
const chosenItems = ({ introduction, entries }: ConfirmedMail): NewItem[] => [
  ...new Set([...introduction, ...entries].flatMap(({ items }) => items)),
];

function messageOf({ plan, sender }: GatheredNews, heading: string): EmailMessage {
  const introduction = messageHeading(sender);
  return { ...(heading === introduction ? {} : { introduction: `${introduction}:` }), paragraphs: plan.message };
}

/** A figure is explained by code; a sentence is the sender's own. */
const evidenceOf = (condition: JudgedCondition, { zone }: NotificationPlan): EmailEvidence => ({
  heading: 'Why you get this e-mail',
  why: cleanLine(condition.text ?? condition.why, MAX_TEXT.report),
  quotes: condition.evidence.map(({ quote, ...place }) => ({
    quote: cleanLine(quote, MAX_TEXT.report),
    ...placeOf(place, zone),
  })),
});

function placeOf({ source, published_at: at, address }: Omit<ConditionEvidence, 'quote'>, zone: string): EmailSource {
  const link = safeLink(address ?? undefined);
  return {
    about: [at === null ? '' : dayOf(at, zone), sourceName(source)].filter((part) => part !== '').join(' · '),
    ...definedFields({ address: link }),
  };
}

/** What the model chose of all sources, and how much it left out. */
function chosenSection({ plan, items }: GatheredNews, mail: ConfirmedMail): EmailSection[] {
  const omittedCount = items.length - chosenItems(mail).length;
  if (mail.entries.length === 0 && omittedCount === 0) return [];
  return [
    {
      heading: 'What is new',
      ...(omittedCount > 0
        ? { note: `${countLabel(omittedCount, 'new item is', 'new items are')} not shown here.` }
        : {}),
      entries: mail.entries.flatMap(({ items: [leadItem, ...others], ...words }) =>
        leadItem ? [chosenEntry(leadItem, { others, words, plan })] : [],
      ),
    },
  ];
}

type EntryParts = { others: readonly NewItem[]; words: { title?: string; text?: string }; plan: NotificationPlan };

function chosenEntry(leadItem: NewItem, { others, words, plan }: EntryParts): EmailEntry {
  const entry = entryOf(leadItem, plan, true);
  return {
    ...entry,
    ...(words.title === undefined ? {} : { title: words.title, text: words.text ?? '' }),
    ...(others.length > 0 ? { others: others.map((item) => publicationOf(item, plan, true)) } : {}),
  };
}

function sectionOf({ plan, since }: GatheredNews, gathered: GatheredItems): EmailSection | undefined {
  const fresh = itemsToRead(newItemsIn(gathered, since));
  if (fresh.length === 0) return undefined;
  const shownItems = fresh.slice(0, MAX_ENTRIES[plan.kind]);
  return {
    heading: sourceName(gathered.source),
    ...(fresh.length > shownItems.length ? { note: `The first ${shownItems.length} of ${fresh.length}.` } : {}),
    entries: shownItems.map((item) => entryOf({ item, isSample: gathered.isSample }, plan, false)),
  };
}

/** `namesSource`: the section is of several sources. */
function entryOf(item: NewItem, plan: NotificationPlan, namesSource: boolean): EmailEntry {
  const place = publicationOf(item, plan, namesSource);
  const host = place.address === undefined ? '' : new URL(place.address).hostname;
  const title = cleanLine(item.item.title, MAX_TITLE) || host || 'Untitled';
  const words = cleanLine(item.item.text, MAX_TEXT[plan.kind]);
  return { title, text: words === title ? '' : words, ...place };
}

/** The URLs of sample data lead nowhere, so they are not linked. */
function publicationOf({ item, isSample }: NewItem, { zone }: NotificationPlan, namesSource: boolean): EmailSource {
  const { source, address, publishedAt } = item;
  const link = isSample ? undefined : safeLink(address);
  const parts = [
    publishedAt === undefined ? '' : dayOf(publishedAt, zone),
    namesSource ? sourceName(source) : '',
    link === undefined ? '' : new URL(link).hostname,
  ];
  return { about: parts.filter((part) => part !== '').join(' · '), ...definedFields({ address: link }) };
}
