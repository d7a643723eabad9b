/**
 * Checks each part of an e-mail that a model wrote: its figures and dates by code, then all parts by one second look. What is
 * wrong is corrected once. An e-mail cannot be called back, so what is still not confirmed is taken out.
 */

import * as v from 'valibot';
import { cleanLine } from '../../engines/mail/email.ts';
import { correctMailRules } from '../prompts/notification.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Quote, Statement } from '../verification/statement-verdict.ts';
import type { ConfirmedMail } from './build-email.ts';
import { type ItemView, itemLines, type NewItem, quoteOfItem, wordsOfItem } from './items.ts';
import type { GatheredNews } from './plain-texts.ts';
import type { Asking } from './ports.ts';
import type { MailPart } from './write-mail.ts';

/** `fault`: why it is not confirmed. Where nothing could look at it, a correction cannot be confirmed either. */
export type JudgedPart = { part: MailPart; fault?: string; isUnchecked?: true };

type Checking = { counts: AnswerCounts; asking: Asking; news: GatheredNews };

export async function checkParts(checking: Checking, parts: readonly MailPart[]): Promise<JudgedPart[]> {
  const judged = await judgeParts(checking, parts);
  const wrong = judged.filter(({ fault, isUnchecked }) => fault !== undefined && !isUnchecked);
  if (wrong.length === 0) return judged;
  const corrected = await correctParts(checking, wrong);
  const rejudged = await judgeParts(checking, [...corrected.values()]);
  const rejudgedByPart = new Map([...corrected.keys()].map((part, at) => [part, rejudged[at]]));
  return judged.map((before) => rejudgedByPart.get(before.part) ?? before);
}

/** What is confirmed of the parts, and a sentence that names what was taken out. */
export function confirmedMail(judged: readonly JudgedPart[], { items }: GatheredNews) {
  const itemsOf = ({ items: numbers }: MailPart) => [...new Set(numbers)].flatMap((number) => items[number - 1] ?? []);
  const ofKind = (kind: MailPart['kind']) => judged.filter(({ part }) => part.kind === kind);
  const subject = ofKind('subject').find(({ fault }) => fault === undefined)?.part.text;
  const mail: ConfirmedMail = {
    ...(subject === undefined ? {} : { subject }),
    introduction: ofKind('introduction').flatMap(({ part, fault }) =>
      fault === undefined ? [{ text: part.text, items: itemsOf(part) }] : [],
    ),
    entries: entriesOf(ofKind('entry'), itemsOf),
  };
  const removedParts = judged.filter(({ fault }) => fault !== undefined);
  return { mail, ...(removedParts.length > 0 ? { note: removedNote(removedParts) } : {}) };
}

async function judgeParts(checking: Checking, parts: readonly MailPart[]): Promise<JudgedPart[]> {
  if (parts.length === 0) return [];
  const unfounded = await unfoundedFigures(checking, parts);
  // The rule ended at its limits.
  if (!unfounded) return parts.map((part) => ({ part, ...UNCHECKED }));
  const faults = parts.map((part, at) => faultOfItems(part, checking.news) ?? faultOfFigures(unfounded[at] ?? []));
  const judgedByPart = await reviewParts(
    checking,
    parts.filter((_, at) => faults[at] === undefined),
  );
  return parts.map((part, at) => {
    const fault = faults[at];
    return fault === undefined ? (judgedByPart.get(part) ?? { part, ...UNCHECKED }) : { part, fault };
  });
}

const UNCHECKED = { fault: 'it could not be checked', isUnchecked: true } as const;

const statementOf = ({ title, text }: MailPart): string => [title, text].filter((line) => line !== '').join('\n');

/** Behind the items: the message of the sender is evidence for the subject, and the threshold of an alert for all parts. */
const evidenceOf = ({ kind, items }: MailPart, { views, plan }: GatheredNews): number[] => [
  ...items.map((number) => number - 1),
  ...(kind === 'subject' && plan.message.length > 0 ? [views.length] : []),
  ...(thresholdOf(plan) === undefined ? [] : [views.length + 1]),
];

function thresholdOf({ condition }: GatheredNews['plan']): string | undefined {
  if (condition === undefined || typeof condition === 'string') return undefined;
  const { figure, above, below } = condition;
  return [figure, ...(above == null ? [] : [`above ${above}`]), ...(below == null ? [] : [`below ${below}`])].join(' ');
}

/** Those of each part; undefined where nothing is known. */
function unfoundedFigures({ asking, news }: Checking, parts: readonly MailPart[]): Promise<string[][] | undefined> {
  const { views, plan } = news;
  const texts = [
    ...views.map((view) => ({ ...(view.date === undefined ? {} : { date: view.date }), text: wordsOfItem(view) })),
    { text: plan.message.join('\n') },
    { text: thresholdOf(plan) ?? '' },
  ];
  const sentences = parts.map((part) => ({ text: statementOf(part), evidence: evidenceOf(part, news) }));
  return asking.applyRule('unfoundedInItems', { texts, sentences });
}

function faultOfItems(part: MailPart, news: GatheredNews): string | undefined {
  const missing = part.items.filter((number) => news.views[number - 1] === undefined);
  if (missing.length > 0) return `there is no item ${missing.join(', ')}`;
  return part.items.length === 0 && (part.kind !== 'subject' || news.plan.message.length === 0)
    ? 'it names no item'
    : undefined;
}

const faultOfFigures = (unfounded: readonly string[]): string | undefined =>
  unfounded.length === 0 ? undefined : `${unfounded.join(', ')}: stands in none of its items as it is written`;

async function reviewParts(
  { counts, asking, news }: Checking,
  parts: readonly MailPart[],
): Promise<Map<MailPart, JudgedPart>> {
  if (parts.length === 0) return new Map();
  const { verifier, now, signal } = asking;
  const statements = parts.map(
    (part): Statement => ({ claim: { text: statementOf(part) }, quotes: quotesOf(part, news) }),
  );
  const verdicts = await secondLook(counts, { model: verifier, now, signal }, statements);
  return new Map(
    parts.flatMap((part, at): [MailPart, JudgedPart][] => {
      const verdict = verdicts[at];
      if (verdict === undefined) return [];
      const why = verdict.why ?? `${verdict.verdict.replaceAll('_', ' ')} in its items`;
      return [[part, verdict.verdict === 'supported' ? { part } : { part, fault: why }]];
    }),
  );
}

function quotesOf(part: MailPart, news: GatheredNews): Quote[] {
  const { views, plan } = news;
  const extraQuotes: Quote[] = [
    { source: 'message of the sender', text: plan.message.join('\n') },
    { source: 'condition of the e-mail', text: thresholdOf(plan) ?? '' },
  ];
  return evidenceOf(part, news).flatMap((at) => {
    const view = views[at];
    return view ? [quoteOfItem(view)] : (extraQuotes[at - views.length] ?? []);
  });
}

const corrections = v.object({
  parts: v.array(
    v.object({ part: v.number(), title: v.nullish(v.string()), text: v.string(), items: v.array(v.number()) }),
  ),
});

const ANSWER_TOKENS = 4_000;
const MAX_WORDS = 600;

/** What the model writes instead, by the part that was refused. */
async function correctParts(
  { counts, asking, news }: Checking,
  wrong: readonly JudgedPart[],
): Promise<Map<MailPart, MailPart>> {
  const { model, now, signal } = asking;
  const { instructions } = news.plan;
  const message = news.plan.message.join('\n');
  const lines = wrong.map(({ part: { kind, title, text, items }, fault }, at) =>
    JSON.stringify({ part: at + 1, kind, ...(kind === 'entry' ? { title } : {}), text, items, wrong: fault }),
  );
  const answer = await countedAnswer(counts, {
    model,
    rules: correctMailRules(now).join('\n'),
    messages: [
      itemLines(viewsOf(wrong, news)),
      ...(instructions === undefined ? [] : [`Instructions:\n${JSON.stringify({ instructions })}`]),
      ...(message === '' ? [] : [`Message:\n${JSON.stringify({ message })}`]),
      `Parts:\n${lines.join('\n')}`,
    ],
    schema: corrections,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
  return new Map(
    (answer?.parts ?? []).flatMap(({ part: number, title, text, items }): [MailPart, MailPart][] => {
      const before = wrong[number - 1]?.part;
      const words = cleanLine(text, MAX_WORDS);
      if (!before || words === '') return [];
      const heading = before.kind === 'entry' ? cleanLine(title ?? '', MAX_WORDS) || before.title : '';
      return [[before, { ...before, title: heading, text: words, items }]];
    }),
  );
}

/** The items that the parts name; where one of them names none that is there, all. */
function viewsOf(wrong: readonly JudgedPart[], { views }: GatheredNews): readonly ItemView[] {
  const namedItems = new Set(wrong.flatMap(({ part }) => part.items));
  const isNamed = ({ item }: ItemView) => namedItems.has(item);
  return wrong.every(({ part }) => views.some(({ item }) => part.items.includes(item))) ? views.filter(isNamed) : views;
}

/**
 * The items of an entry that is not confirmed may be of several events: the first that no entry shows yet stands with words
 * of its own.
 */
function entriesOf(judged: readonly JudgedPart[], itemsOf: (part: MailPart) => NewItem[]): ConfirmedMail['entries'] {
  const entries: ConfirmedMail['entries'] = [];
  const shownItems = new Set(judged.flatMap(({ part, fault }) => (fault === undefined ? itemsOf(part) : [])));
  for (const { part, fault } of judged) {
    const items = itemsOf(part);
    const fresh = items.find((item) => !shownItems.has(item));
    if (fault === undefined) entries.push({ title: part.title, text: part.text, items });
    else if (fresh) {
      shownItems.add(fresh);
      entries.push({ items: [fresh] });
    }
  }
  return entries;
}

const NAMES: Record<MailPart['kind'], string> = {
  subject: 'the subject',
  introduction: 'the sentence',
  entry: 'the entry',
};
const MAX_NAMED = 5;
const MAX_QUOTED = 100;
const MAX_WHY = 160;

function removedNote(removedParts: readonly JudgedPart[]): string {
  const descriptions = removedParts.slice(0, MAX_NAMED).map(({ part, fault = '' }) => {
    const words = cleanLine(part.title || part.text, MAX_QUOTED);
    return `${NAMES[part.kind]} ${JSON.stringify(words)} (${cleanLine(fault, MAX_WHY).replace(/\.$/, '')})`;
  });
  const more = removedParts.length - descriptions.length;
  const list = [...descriptions, ...(more > 0 ? [`${more} more`] : [])].join('; ');
  return `Taken out of the e-mail, as it is not confirmed: ${list}. The words of the sources stand in place of a subject or an entry.`;
}
