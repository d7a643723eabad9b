/** Whether the condition of a notification holds for the new items: a figure by code, a sentence by a model and a second look. */

import * as v from 'valibot';
import { cleanLine } from '../../engines/mail/email.ts';
import type { FigureCondition } from '../../shared/agents/notification-input.ts';
import type { ConditionEvidence, JudgedCondition } from '../../shared/agents/results/notification.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { DAY_MS } from '../../shared/core/time.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { conditionRules } from '../prompts/notification.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Verdict } from '../verification/statement-verdict.ts';
import { type FigureSeries, latestValue, MAX_LABEL, seriesIn } from './figures.ts';
import { type ItemView, itemLines, type NewItem, quoteOfItem, wordsOfItem } from './items.ts';
import type { GatheredNews } from './plain-texts.ts';
import type { Asking } from './ports.ts';
import { dayOf } from './wording.ts';

type FigureJudgement = { judged: JudgedCondition; note?: string };

/** The newest value under the label decides, if it is new. */
export function judgeFigure(condition: FigureCondition, { gathered, since, plan }: GatheredNews): FigureJudgement {
  const sources = gathered.filter(({ source }) => condition.source == null || source === condition.source);
  const allSeries = sources.flatMap((source) => withUndated(source));
  const [series] = allSeries
    .filter(({ label }) => plainLabel(label) === plainLabel(condition.figure))
    .toSorted((a, b) => newest(b).localeCompare(newest(a)));
  const refusal = (why: string): JudgedCondition => ({ ...definedFields(condition), holds: false, why, evidence: [] });
  if (!series) {
    const why = `No source has a figure ${JSON.stringify(condition.figure)}.`;
    return { judged: refusal(why), note: noFigureNote(condition.figure, allSeries) };
  }
  const { at, value } = series.points.at(-1) ?? { at: '', value: Number.NaN };
  const latest = latestValue(series);
  const day = at === '' ? 'without a date' : `of ${dayOf(at, plan.zone)}`;
  if (at !== '' && since !== undefined && !series.isSample && endOf(at) < since)
    return { judged: refusal(`The latest value, ${latest} ${day}, is not new.`) };
  const why = `The latest value, ${latest} ${day}, is ${isBeyond(value, condition) ? '' : 'not '}${limitsOf(condition)}.`;
  if (!isBeyond(value, condition)) return { judged: refusal(why) };
  const item = itemWith(sources, series, { at, value });
  const evidence = item ? [{ ...evidenceFrom(item, `${series.label}: ${latest}`), value, unit: series.unit }] : [];
  return { judged: { ...definedFields(condition), holds: true, why, evidence } };
}

const MAX_WHY = 300;

/** Rejects if no answer is usable: an alert that nobody could judge is neither sent nor called off. */
export async function judgeSentence(
  { counts, asking, news }: { counts: AnswerCounts; asking: Asking; news: GatheredNews },
  text: string,
): Promise<JudgedCondition> {
  const refusal = (why: string): JudgedCondition => ({
    text,
    holds: false,
    why: cleanLine(why, MAX_WHY),
    evidence: [],
  });
  if (news.items.length === 0) return refusal('There is nothing new in the sources.');
  const { answer, located } = await locatedJudgement({ counts, asking, news }, text);
  if (!answer.holds) return refusal(answer.why);
  const quotes = located.map(({ view, quote }) => ({ ...quoteOfItem(view), before: wordsOfItem(view), text: quote }));
  const { verifier, now, signal } = asking;
  const claim = { field: 'condition', means: `whether this holds: ${text}`, value: true };
  const [verdict] = await secondLook(counts, { model: verifier, now, signal }, [{ claim, quotes }]);
  if (verdict === undefined) throw unusable();
  if (verdict.verdict !== 'supported') return refusal(whyNot(verdict));
  const evidence = located.flatMap(({ view, quote }) => {
    const item = news.items[view.item - 1];
    return item ? [evidenceFrom(item, quote)] : [];
  });
  return { text, holds: true, why: cleanLine(answer.why, MAX_WHY), evidence };
}

const evidenceFrom = ({ item, isSample }: NewItem, quote: string): ConditionEvidence => ({
  source: item.source,
  title: cleanLine(item.title, 300),
  address: isSample ? null : item.address,
  published_at: item.publishedAt ?? null,
  quote,
});

/** A value that has a day alone may have been published until the end of it. */
const endOf = (at: string): number =>
  Date.parse(at) + (/^\d{4}-\d\d-\d\d(?:T00:00(?::00(?:\.0+)?)?Z?)?$/.test(at) ? DAY_MS : 0);

/** Capitals, accents and white space make no other label. */
const plainLabel = (label: string): string =>
  cleanLine(label, MAX_LABEL).normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, '').toLowerCase();

/** Values without a date are their own series; those with one are newer. */
function withUndated(gathered: GatheredItems): FigureSeries[] {
  const { source, isSample, items } = gathered;
  const undated = items
    .filter(({ publishedAt }) => publishedAt === undefined)
    .flatMap(({ figures = [] }) => figures)
    .map(({ label, value, unit = '' }) => ({
      ...{ source, label: cleanLine(label, MAX_LABEL), unit, isSample },
      points: [{ at: '', value }],
    }));
  return [...seriesIn(gathered), ...undated];
}

const newest = ({ points }: FigureSeries): string => points.at(-1)?.at ?? '';

const isBeyond = (value: number, { above, below }: FigureCondition): boolean =>
  (above == null || value > above) && (below == null || value < below);

const limitsOf = ({ above, below }: FigureCondition): string =>
  [above == null ? [] : [`above ${above}`], below == null ? [] : [`below ${below}`]].flat().join(' and ');

function itemWith(
  sources: readonly GatheredItems[],
  { source, label }: FigureSeries,
  { at, value }: { at: string; value: number },
): NewItem | undefined {
  const { items = [], isSample = false } = sources.find((gathered) => gathered.source === source) ?? {};
  const has = ({ publishedAt = '', figures = [] }: SourceItem): boolean =>
    publishedAt === at &&
    figures.some((figure) => figure.value === value && cleanLine(figure.label, MAX_LABEL) === label);
  const item = items.find(has);
  return item && { item, isSample };
}

const MAX_NAMED = 20;

function noFigureNote(figure: string, allSeries: readonly FigureSeries[]): string {
  const labels = [...new Set(allSeries.map(({ label, source }) => `${label} (${source})`))];
  const more = labels.length - MAX_NAMED;
  const list = [...labels.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const there = labels.length === 0 ? 'they have no figures.' : `they have ${list}.`;
  return `input.content.condition.figure: no source of the e-mail has a figure ${JSON.stringify(figure)}; ${there}`;
}

const judgement = v.object({
  holds: v.boolean(),
  evidence: v.array(v.object({ item: v.number(), quote: v.string() })),
  why: v.string(),
});

type ConditionJudgement = v.InferOutput<typeof judgement>;

const ANSWER_TOKENS = 3_000;
const MAX_EVIDENCE = 5;

const whyNot = ({ why }: Verdict): string =>
  `The second look does not confirm it${why === undefined ? '.' : `: ${why}`}`;

const unusable = (): TaskFailure =>
  new TaskFailure(
    'PROCESSING_FAILED',
    'The model gave no usable answer on content.condition, so no e-mail was sent; write the condition more plainly, or name another model.',
    { mayPass: true },
  );

type ItemQuote = { view: ItemView; quote: string };

/** Asks once more where the model says that the condition holds, and none of its quotes stands in its item. */
async function locatedJudgement(
  { counts, asking, news }: { counts: AnswerCounts; asking: Asking; news: GatheredNews },
  text: string,
): Promise<{ answer: ConditionJudgement; located: ItemQuote[] }> {
  const messages = [`Condition:\n${JSON.stringify({ condition: text })}`, itemLines(news.views)];
  const firstAnswer = await askCondition(counts, asking, messages);
  const located = await locatedEvidence(asking, news, firstAnswer);
  if (!firstAnswer.holds || located.length > 0) return { answer: firstAnswer, located };
  const rejectedAnswer = {
    evidence: firstAnswer.evidence,
    wrong: 'None of these quotes stands in its item. Copy them word for word.',
  };
  const secondAnswer = await askCondition(counts, asking, [
    ...messages,
    `Your answer before:\n${JSON.stringify(rejectedAnswer)}`,
  ]);
  const relocated = await locatedEvidence(asking, news, secondAnswer);
  if (secondAnswer.holds && relocated.length === 0) throw unusable();
  return { answer: secondAnswer, located: relocated };
}

async function askCondition(counts: AnswerCounts, { model, now, signal }: Asking, messages: string[]) {
  const rules = conditionRules(now).join('\n');
  const answer = await countedAnswer(counts, {
    ...{ model, rules, messages, schema: judgement, answerTokens: ANSWER_TOKENS, signal },
  });
  if (!answer) throw unusable();
  return answer;
}

/** The quotes as they stand in their items. */
async function locatedEvidence(
  { applyRule }: Asking,
  { views }: GatheredNews,
  { evidence }: ConditionJudgement,
): Promise<ItemQuote[]> {
  const located = await Promise.all(
    evidence.slice(0, MAX_EVIDENCE).map(async ({ item, quote }): Promise<ItemQuote[]> => {
      const view = views[item - 1];
      if (!view) return [];
      const text = wordsOfItem(view);
      const [place] = (await applyRule('locateQuotes', { parts: [{ label: 'text', text }], quotes: [quote] })) ?? [];
      return place ? [{ view, quote: text.slice(place.from, place.to) }] : [];
    }),
  );
  return located.flat();
}
