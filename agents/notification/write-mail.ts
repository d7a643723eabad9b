/** The e-mail as a model writes it: a subject, sentences of an introduction, and entries, each with the items that it rests on. */

import * as v from 'valibot';
import { cleanLine } from '../../engines/mail/email.ts';
import type { JudgedCondition } from '../../shared/agents/results/notification.ts';
import { composeRules, subjectRules } from '../prompts/notification.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { entryLimits } from './build-email.ts';
import { itemLines } from './items.ts';
import { type GatheredNews, MAX_ENTRIES } from './plain-texts.ts';
import type { Asking } from './ports.ts';

/** A part of the e-mail, with the numbers of its items. Only entries have a title. */
export type MailPart = {
  kind: 'subject' | 'introduction' | 'entry';
  title: string;
  text: string;
  items: readonly number[];
};

const composed = v.object({
  subject: v.string(),
  introduction: v.array(v.object({ text: v.string(), items: v.array(v.number()) })),
  entries: v.array(v.object({ title: v.string(), text: v.string(), items: v.array(v.number()) })),
});

const ANSWER_TOKENS = 6_000;
const SUBJECT_TOKENS = 1_000;
const MAX_SUBJECT = 120;
const MAX_SENTENCE = 400;
const MAX_SENTENCES = 5;

/** Undefined without a usable answer. */
export async function writeMail(
  counts: AnswerCounts,
  { model, now, signal }: Asking,
  { news, condition }: { news: GatheredNews; condition: JudgedCondition | undefined },
): Promise<MailPart[] | undefined> {
  const answer = await countedAnswer(counts, {
    model,
    rules: composeRules(now).join('\n'),
    messages: [`Wanted:\n${JSON.stringify(wantedMail(news, condition))}`, itemLines(news.views)],
    schema: composed,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
  return answer && partsIn(answer, news);
}

/** The subject of an e-mail that carries a message alone. */
export async function writeSubject(
  counts: AnswerCounts,
  { model, now, signal }: Asking,
  { plan }: GatheredNews,
): Promise<MailPart[] | undefined> {
  const { instructions, message } = plan;
  const mailRequest = { ...(instructions === undefined ? {} : { instructions }), message: message.join('\n') };
  const answer = await countedAnswer(counts, {
    model,
    rules: subjectRules(now).join('\n'),
    messages: [`Wanted:\n${JSON.stringify(mailRequest)}`],
    schema: v.object({ subject: v.string() }),
    answerTokens: SUBJECT_TOKENS,
    signal,
  });
  if (answer === undefined) return undefined;
  const text = cleanLine(answer.subject, MAX_SUBJECT);
  return text === '' ? [] : [{ kind: 'subject', title: '', text, items: [] }];
}

function wantedMail({ plan }: GatheredNews, condition: JudgedCondition | undefined) {
  const { subject, instructions, message } = plan;
  return {
    email: plan.title,
    ...(subject === undefined ? {} : { subject }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(message.length > 0 ? { message: message.join('\n') } : {}),
    ...(condition ? { condition: plan.condition, evidence: condition.evidence.map(({ quote }) => quote) } : {}),
    most_entries: MAX_ENTRIES[plan.kind],
  };
}

/** Parts without words are left out; what one says of items that are not there is left to the check. */
function partsIn({ subject, introduction, entries }: v.InferOutput<typeof composed>, { plan }: GatheredNews) {
  const limits = entryLimits(plan);
  const written: MailPart[] = [
    ...introduction.slice(0, MAX_SENTENCES).map(({ text, items }) => ({
      ...{ kind: 'introduction' as const, title: '', text: cleanLine(text, MAX_SENTENCE), items },
    })),
    ...entries.slice(0, MAX_ENTRIES[plan.kind]).map(({ title, text, items }) => ({
      ...{ kind: 'entry' as const, title: cleanLine(title, limits.title), text: cleanLine(text, limits.text), items },
    })),
  ];
  const items = [...new Set(written.flatMap((part) => part.items))];
  const line = { kind: 'subject' as const, title: '', text: cleanLine(subject, MAX_SUBJECT), items };
  // Nothing could confirm a subject of no items.
  const hasSubject = plan.subject === undefined && written.length > 0;
  return [...(hasSubject ? [line] : []), ...written].filter(({ title, text }) => title !== '' || text !== '');
}
