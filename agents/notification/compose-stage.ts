/** Writes the email that all recipients get, and draws its charts. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { type Chart, describeChart } from '../../engines/charts/chart.ts';
import {
  type Email,
  type EmailChart,
  type EmailEntry,
  type EmailSection,
  oneLine,
  paragraphsOf,
  safeLink,
} from '../../engines/mail/email.ts';
import type { NotificationKind } from '../../shared/agents/notification-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { NOTIFICATION_PROMPT, openingRules } from '../prompts/notification.ts';
import { keepJson, readJson, structuredAnswer } from '../runtime.ts';
import { sourceName } from '../source-names.ts';
import { type FigureSeries, latestFigures, seriesIn } from './figures.ts';
import {
  checkpoint,
  counted,
  dayOf,
  type NotificationCheckpoint,
  type NotificationPlan,
  type NotificationPorts,
  type NotificationSetting,
  newIn,
  sinceOf,
} from './state.ts';

const MAX_CHARTS = 3;
const MAX_SERIES = 4;
const MAX_POINTS = 60;
/** A series more than this many times larger would flatten the others in the same chart. */
const LIKE = 8;

/** Groups series of one unit and similar size into charts, as many as a phone can show legibly. */
function chartsOf(all: readonly FigureSeries[]): Chart[] {
  const lines = all.filter(({ points }) => points.length > 1);
  const bars = all.filter(({ points }) => points.length === 1);
  const together = (some: readonly FigureSeries[]) =>
    [...Map.groupBy(some, ({ source, unit }) => JSON.stringify([source, unit])).values()].flatMap(alike);
  const longest = together(lines).toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return [...longest.map(lineChart), ...together(bars).map(barChart)].slice(0, MAX_CHARTS);
}

function alike(series: readonly FigureSeries[]): FigureSeries[][] {
  const groups: FigureSeries[][] = [];
  for (const one of series.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const last = groups.at(-1);
    const least = last?.[0] && sizeOf(last[0]);
    const fits = least !== undefined && last && last.length < MAX_SERIES && sizeOf(one) <= LIKE * least;
    if (fits) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** The longest history comes first, as a chart shows it best. */
const lengthOf = (series: readonly FigureSeries[]): number => Math.max(...series.map(({ points }) => points.length));

const sizeOf = ({ points }: FigureSeries): number => Math.max(...points.map(({ value }) => Math.abs(value)));

const common = (series: readonly FigureSeries[]) => {
  const [{ source = '', unit = '', isSample = false } = {}] = series;
  return {
    title: listed(series.map(({ label }) => label)),
    ...(unit === '' ? {} : { unit }),
    source: `${sourceName(source)}${isSample ? ' (sample data)' : ''}`,
  };
};

function lineChart(series: readonly FigureSeries[]): Chart {
  const days = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at.slice(0, 10))))]
    .toSorted()
    .slice(-MAX_POINTS);
  return {
    kind: 'line',
    ...common(series),
    x: { labels: days },
    series: series.map(({ label, points }) => {
      const values = new Map(points.map(({ at, value }) => [at.slice(0, 10), value]));
      return { name: label, values: days.map((day) => values.get(day) ?? null) };
    }),
  };
}

function barChart(series: readonly FigureSeries[]): Chart {
  const { source = '' } = series[0] ?? {};
  return {
    kind: 'bar',
    ...common(series),
    x: { labels: series.map(({ label }) => label) },
    series: [{ name: sourceName(source), values: series.map(({ points }) => points[0]?.value ?? null) }],
  };
}

/** The words at the top of the email, written by the model or taken from the items. */
type Opening = { subject: string; heading: string; lead: string[] };

type Written = { plan: NotificationPlan; gathered: GatheredItems[]; since: number | undefined; at: number };

const MAX_TITLE = 160;
const MAX_TEXT: Record<NotificationPlan['kind'], number> = { digest: 320, report: 600, reminder: 160 };
const MAX_PREHEADER = 140;
const MAX_NOTES = 12;

/** Builds the email from what was gathered. Everything in it comes from a source, from the caller, or from counting. */
function writeLetter(written: Written, opening: Opening, charts: EmailChart[]): Email {
  const { plan, gathered, at } = written;
  const subject = plan.subject ?? opening.subject;
  const figures = plan.kind === 'reminder' ? undefined : latestFigures(gathered.flatMap(seriesIn), subject, plan.zone);
  const lead = [...plan.message, ...opening.lead, ...sampleNotes(gathered)];
  return {
    subject,
    preheader: oneLine(lead.join(' '), MAX_PREHEADER),
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

function sampleNotes(gathered: readonly GatheredItems[]): string[] {
  const samples = gathered.filter(({ isSample, items }) => isSample && items.length > 0);
  const names = listed(samples.map(({ source }) => sourceName(source)));
  return samples.length === 0 ? [] : [`${names}: fictional sample data, not news.`];
}

/**
 * Items with figures appear in the figures table and in the charts. If there are no others, the newest one is shown as
 * text, too.
 */
function toRead(items: readonly SourceItem[]): SourceItem[] {
  const plain = items.filter(({ figures = [] }) => figures.length === 0);
  return plain.length > 0 ? plain : items.slice(0, 1);
}

function sectionOf({ plan, since }: Written, gathered: GatheredItems): EmailSection | undefined {
  const fresh = toRead(newIn(gathered, since));
  if (fresh.length === 0) return undefined;
  const shown = fresh.slice(0, MAX_ENTRIES[plan.kind]);
  const left = fresh.length - shown.length;
  return {
    heading: sourceName(gathered.source),
    ...(left > 0 ? { note: `The first ${shown.length} of ${fresh.length}.` } : {}),
    entries: shown.map((item) => entryOf(item, plan, gathered.isSample)),
  };
}

/** The URLs of sample data lead nowhere, so they are not linked. */
function entryOf(
  { title, text, address, publishedAt }: SourceItem,
  { kind, zone }: NotificationPlan,
  isSample: boolean,
): EmailEntry {
  const link = isSample ? undefined : safeLink(address);
  const host = link === undefined ? '' : new URL(link).hostname;
  const name = oneLine(title, MAX_TITLE) || host || 'Untitled';
  const words = oneLine(text, MAX_TEXT[kind]);
  return {
    title: name,
    text: words === name ? '' : words,
    about: [publishedAt === undefined ? '' : dayOf(publishedAt, zone), host].filter((part) => part !== '').join(' · '),
    ...definedFields({ address: link }),
  };
}

function notesOf({ plan, gathered, since }: Written): string[] {
  const stale = gathered.filter((one) => one.items.length > 0 && newIn(one, since).length === 0);
  const empty = gathered.filter(({ items, faults }) => items.length === 0 && faults.length === 0);
  const faults = gathered.flatMap(({ source, faults }) =>
    faults.map(({ address, reason }) => `${sourceName(source)}: ${oneLine(`${address} ${reason}`, 300)}.`),
  );
  const shown = [
    ...stale.map(({ source }) => `${sourceName(source)}: nothing new since ${dayOf(since ?? 0, plan.zone)}.`),
    ...empty.map(({ source }) => `${sourceName(source)}: nothing was published.`),
    ...faults,
  ];
  const left = shown.length - MAX_NOTES;
  return left > 0 ? [...shown.slice(0, MAX_NOTES), `${counted(left, 'more fault')}.`] : shown;
}

/** Summarizes how many new items there are, and from which sources. */
function tally({ plan, gathered, since }: Written): string {
  const fresh = gathered.filter((one) => newIn(one, since).length > 0);
  const items = fresh.flatMap((one) => newIn(one, since));
  const inFigures = items.filter(({ figures = [] }) => figures.length > 0).length;
  if (plan.sources.length === 0) return '';
  if (items.length === 0) return 'There is nothing new in the sources of this e-mail.';
  const from = listed(fresh.map(({ source }) => sourceName(source)));
  return `${counted(items.length, 'new item')} from ${from}${inFigures > 0 ? `, ${inFigures} with figures` : ''}.`;
}

const MAX_PLAIN_SUBJECT = 100;
const MAX_ITEMS = 40;

/** The subject and the opening without a model: the title of the first item, and how much is new. */
function plainOpening(written: Written): Opening {
  const { plan, gathered, since } = written;
  const items = gathered.flatMap((one) => toRead(newIn(one, since))).slice(0, MAX_ITEMS);
  const found = plan.kind === 'reminder' ? '' : (items[0]?.title ?? '');
  return {
    subject: subjectOf(plan, found || gistOf(plan.message)),
    // A message is shown in full below, so it is not the heading.
    heading: oneLine(found, MAX_PLAIN_SUBJECT) || plan.title,
    lead: [tally(written)].filter((text) => text !== ''),
  };
}

function subjectOf({ title, type, sources }: NotificationPlan, gist: string): string {
  if (gist === '') return title;
  const isMessage = !type && sources.length === 0;
  return oneLine(isMessage ? gist : `${title}: ${gist}`, MAX_PLAIN_SUBJECT);
}

const MAX_MATERIAL = 40_000;
const MAX_ITEM = 1_500;
const MAX_SUBJECT = 120;
const MAX_INTRODUCTION = 1_500;
const ANSWER_TOKENS = 1_500;

const schema = v.object({ subject: v.string(), introduction: v.string() });

type ModelOpening = Opening & { answers: number; isUnanswered?: true; lacksModel?: true };

/** Has a language model write the subject and the opening from what was gathered. */
async function openByModel(model: LanguageModelV4, written: Written, signal: AbortSignal): Promise<ModelOpening> {
  const plain = plainOpening(written);
  const messages = [requestOf(written), `The items:\n\n${materialOf(written)}`];
  let answers = 0;
  const onAnswer = () => {
    answers++;
  };
  const question = {
    model,
    rules: openingRules(written.at).join('\n'),
    messages,
    schema,
    answerTokens: ANSWER_TOKENS,
    signal,
    onAnswer,
  };
  const value = await structuredAnswer(question);
  if (!value) return { ...plain, answers, isUnanswered: true };
  const lead = paragraphsOf(value.introduction, MAX_INTRODUCTION);
  const subject = oneLine(value.subject, MAX_SUBJECT);
  return {
    subject: subject || plain.subject,
    heading: subject || plain.heading,
    lead: lead.length > 0 ? [...lead, tally(written)].filter((text) => text !== '') : plain.lead,
    answers,
  };
}

/** The request to the model: the email's purpose, and an outline of the items by source. */
function requestOf({ plan, gathered, since }: Written): string {
  const message = plan.message.join('\n');
  return [
    `The e-mail: ${plan.title}.`,
    ...(plan.subject ? [`Its subject is set: ${JSON.stringify(plan.subject)}.`] : []),
    ...(message ? [`The message of the sender, which stands before the introduction:\n${message}`] : []),
    ...gathered.map((one) => `${one.source}: ${counted(newIn(one, since).length, 'new item')}.`),
  ].join('\n');
}

function materialOf({ gathered, since }: Written): string {
  return gathered
    .flatMap((one) => newIn(one, since))
    .map(({ source, title, text, publishedAt, figures = [] }) =>
      [
        `[${source}${publishedAt === undefined ? '' : `, ${publishedAt.slice(0, 10)}`}] ${oneLine(title, 300)}`,
        oneLine(text, MAX_ITEM),
        ...figures.map(({ label, value, unit = '' }) => `${oneLine(label, 100)}: ${value} ${oneLine(unit, 50)}`.trim()),
      ].join('\n'),
    )
    .join('\n\n')
    .slice(0, MAX_MATERIAL);
}

/**
 * Sized for a phone, so that chart labels are no smaller than the text; the scale keeps charts sharp on a wide screen.
 */
const SIZE = { widthPixels: 340, scale: 3 };

export const composeStage = ({ ports, plan, input }: NotificationSetting): Stage => ({
  name: 'composing',
  async run(work, carried): Promise<NotificationCheckpoint> {
    const { address, signal, report, run } = work;
    const { gatheredAt = '', ...known } = (carried as NotificationCheckpoint).known;
    const gathered = await readJson<GatheredItems[]>(ports, gatheredAt);
    const at = run?.slotAt ?? ports.clock.now();
    const since = await sinceOf(ports.table, { address, input: input.asked, run });
    const written: Written = { plan, gathered, since, at };
    const opened = await open(
      await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort),
      written,
      signal,
    );
    report(1 / 2);
    const { charts, missingScripts } = await drawn(
      ports,
      plan.charts ? chartsOf(gathered.flatMap(seriesIn)) : [],
      plan.format !== 'text',
    );
    const letter: Email = writeLetter(written, opened, charts);
    return checkpoint({
      plan,
      known: {
        ...known,
        letterAt: await keepJson(ports, address, letter),
        subject: letter.subject,
        charts: charts.length,
        queries: opened.answers,
        ...(opened.answers > 0 ? { promptVersion: NOTIFICATION_PROMPT } : {}),
        ...(opened.isUnanswered ? { isUnanswered: true } : {}),
        ...(opened.lacksModel ? { lacksModel: true } : {}),
        ...(missingScripts.length > 0 ? { missingScripts } : {}),
      },
      run,
      stages: ['gathering', 'composing'],
    });
  },
});

/** Without items there is nothing to ask the model. */
async function open(model: LanguageModelV4 | undefined, written: Written, signal: AbortSignal): Promise<ModelOpening> {
  const hasItems = written.gathered.some(({ items }) => items.length > 0);
  if (model && hasItems) return openByModel(model, written, signal);
  return { ...plainOpening(written), answers: 0, ...(model || !hasItems ? {} : { lacksModel: true }) };
}

type DrawnCharts = { charts: EmailChart[]; missingScripts: string[] };

async function drawn({ chartPng }: NotificationPorts, charts: Chart[], asPicture: boolean): Promise<DrawnCharts> {
  const missing = new Set<string>();
  const drawing = charts.map(async (chart, at) => {
    const inWords = describeChart(chart);
    const { title } = chart;
    if (!asPicture) return { title, inWords };
    const { bytes, missingScripts } = await chartPng(chart, SIZE);
    for (const script of missingScripts) missing.add(script);
    return { title, inWords, picture: { cid: `chart-${at + 1}@errand`, png: Buffer.from(bytes).toString('base64') } };
  });
  return { charts: await Promise.all(drawing), missingScripts: [...missing].toSorted() };
}

/** The maximum number of items shown from each source. */
const MAX_ENTRIES: Record<NotificationKind, number> = { digest: 5, report: 8, reminder: 3 };

const longDay = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: zone }).format(at);

/** Joins names as in `a, b and c`. */
const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Returns the first line of a message that is not a greeting. */
const gistOf = (message: readonly string[]): string => message.find((line) => !isGreeting(line)) ?? message[0] ?? '';

const isGreeting = (line: string): boolean =>
  line.length <= MAX_GREETING && (ADDRESSES.test(line) || GREETS.test(line));

const MAX_GREETING = 60;

/** Matches `Hello team,` and `Liebe Kolleginnen und Kollegen,`: a few words and a comma, in any language. */
const ADDRESSES = /^\S+(?: \S+){0,6}[,，]$/u;

const GREETS = /^(?:hello|hi|hey|dear|greetings|good (?:morning|day|afternoon|evening))(?: \S+){0,2}[.!:]?$/iu;
