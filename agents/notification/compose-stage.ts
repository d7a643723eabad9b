/** Judges the condition, and writes the email that all recipients get. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Email } from '../../engines/mail/email.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import type { JudgedCondition } from '../../shared/agents/results/notification.ts';
import type { GatheredItems } from '../../shared/sources/source-item.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { ruleApplier } from '../apply-rule.ts';
import { readStoredJson, storeJson } from '../checkpoints.ts';
import { NOTIFICATION_PROMPT } from '../prompts/notification.ts';
import { sourceName } from '../source-names.ts';
import type { AnswerCounts } from '../structured-answer.ts';
import { verifierOf } from '../verification/verifier.ts';
import { type ConfirmedMail, shownSeries, writeLetter } from './build-email.ts';
import { chartsOf, drawCharts } from './charts.ts';
import { checkParts, confirmedMail } from './check-mail.ts';
import { judgeFigure, judgeSentence } from './condition.ts';
import { itemViews, newItems } from './items.ts';
import { checkpoint, type NotificationCheckpoint } from './notification-report.ts';
import type { GatheredNews } from './plain-texts.ts';
import type { Asking, NotificationSetting } from './ports.ts';
import { sinceOf, sinceOfPreview } from './since.ts';
import type { NotificationState } from './state.ts';
import { countLabel, nameList } from './wording.ts';
import { writeMail, writeSubject } from './write-mail.ts';

const STAGES = ['gathering', 'composing'];

export const composeStage = (setting: NotificationSetting): Stage => ({
  name: 'composing',
  async run(work, carried): Promise<NotificationCheckpoint> {
    const { plan, input } = setting;
    const { known: gatheredState } = carried as NotificationCheckpoint;
    const news = await gatheredNews(setting, work, gatheredState);
    const asking = await askingOf(setting, work, news.at);
    const counts: AnswerCounts = { calls: 0, unusable: 0 };
    const judged = await judgeCondition({ counts, asking, news });
    const before = { ...withoutItems(gatheredState), ...(judged ? { condition: judged.condition } : {}) };
    const notesOf = (more: readonly string[]) => [...(judged?.notes ?? []), ...more, ...unreadNote(counts, news)];
    // A preview shows the e-mail all the same, without passages for which the condition would hold.
    const condition = judged?.condition.holds ? judged.condition : undefined;
    if (judged && !condition && !input.preview) {
      failWhereUnread(news);
      const recipients = gatheredState.recipients.map((recipient) => ({ ...recipient, status: 'not_sent' as const }));
      const state = { ...before, ...modelUsage(counts), recipients, notes: notesOf([]) };
      return checkpoint({ plan, state, run: work.run, stages: STAGES });
    }
    work.report(1 / 4);
    const written = await compose({ counts, asking, news, condition });
    work.report(3 / 4);
    const composed = await letterOf(setting, work, { news, written, condition });
    const state = { ...before, ...composed, ...written.state, ...modelUsage(counts), notes: notesOf(written.notes) };
    return checkpoint({ plan, state, run: work.run, stages: STAGES });
  },
});

/** The items are not needed any more. */
const withoutItems = ({ gatheredAt: _, ...state }: NotificationState): NotificationState => state;

const modelUsage = ({ calls }: AnswerCounts) => ({
  queries: calls,
  ...(calls > 0 ? { promptVersion: NOTIFICATION_PROMPT } : {}),
});

async function gatheredNews(
  { ports, plan, input }: NotificationSetting,
  { address, run }: Work,
  { gatheredAt = '' }: NotificationState,
): Promise<GatheredNews> {
  const gathered = await readStoredJson<GatheredItems[]>(ports, gatheredAt);
  const at = run?.slotAt ?? ports.clock.now();
  const since = input.preview
    ? sinceOfPreview(input.asked, at)
    : await sinceOf(ports.table, { address, input: input.asked, run });
  const { name: sender = '' } = (await organizationById(ports.table, address.organization)) ?? {};
  const items = newItems(gathered, since);
  return { plan, gathered, since, at, items, views: itemViews(items, plan.zone), sender };
}

/** Undefined without a language model. */
async function askingOf({ ports, input }: NotificationSetting, work: Work, now: number): Promise<Asking | undefined> {
  const { organization } = work.address;
  const { signal } = work;
  const effort = input.asked.reasoning_effort;
  const answeredBy = input.cheapModel ?? input.model;
  const model: LanguageModelV4 | undefined = await ports.modelOf(answeredBy, work, effort);
  if (!model) return undefined;
  const verifier = (await verifierOf({ modelOf: ports.modelOf, effort, answeredBy }, input.verifyModel, work)) ?? model;
  return { model, verifier, applyRule: ruleApplier(ports.documents, { organization, signal }), now, signal };
}

type Composing = { counts: AnswerCounts; asking: Asking | undefined; news: GatheredNews };
/** What a source would have said is not known: the next run judges what is new since the last one that could. */
function failWhereUnread({ gathered }: GatheredNews): void {
  const unread = gathered.filter(({ faults }) => faults.length > 0).map(({ source }) => sourceName(source));
  if (unread.length === 0) return;
  const message = `The condition does not hold for what was read, and ${nameList(unread)} could not be read whole: nothing was sent.`;
  throw new TaskFailure('PROCESSING_FAILED', message);
}

type ConditionResult = { condition: JudgedCondition; notes?: string[] };

async function judgeCondition({ counts, asking, news }: Composing): Promise<ConditionResult | undefined> {
  const { condition } = news.plan;
  if (condition === undefined) return undefined;
  if (typeof condition !== 'string') {
    const { judged, note } = judgeFigure(condition, news);
    return { condition: judged, ...(note === undefined ? {} : { notes: [note] }) };
  }
  if (asking) return { condition: await judgeSentence({ counts, asking, news }, condition) };
  const message = 'The condition is a sentence, which needs a language model; name one in input.model.';
  throw new TaskFailure('PROCESSING_FAILED', message);
}

type ComposedMail = {
  mail: ConfirmedMail | undefined;
  notes: string[];
  state: Pick<NotificationState, 'isUnanswered' | 'lacksModel'>;
};

/** The words of a model, as far as they are confirmed; without a model, or an answer of it, those of the sources. */
async function compose({
  counts,
  asking,
  news,
  condition,
}: Composing & { condition: JudgedCondition | undefined }): Promise<ComposedMail> {
  const hasItems = news.items.length > 0;
  const wantsSubject = news.plan.message.length > 0 && news.plan.subject === undefined;
  const plain = { mail: undefined, notes: [] };
  if (!asking || !(hasItems || wantsSubject))
    return { ...plain, state: hasItems && !asking ? { lacksModel: true } : {} };
  const parts = hasItems
    ? await writeMail(counts, asking, { news, condition })
    : await writeSubject(counts, asking, news);
  if (!parts) return { ...plain, state: { isUnanswered: true } };
  const { mail: confirmed, note } = confirmedMail(await checkParts({ counts, asking, news }, parts), news);
  // With nothing confirmed, the words of the sources stand in place of all.
  const isEmpty = hasItems && confirmed.introduction.length + confirmed.entries.length === 0;
  const mail = isEmpty && parts.length > 0 ? undefined : confirmed;
  return { mail, notes: note === undefined ? [] : [note], state: {} };
}

function unreadNote({ calls }: AnswerCounts, { items, views }: GatheredNews): string[] {
  const unread = calls > 0 ? items.length - views.length : 0;
  return unread > 0
    ? [`${countLabel(unread, 'new item')} of ${items.length} could not be shown to the model: they are too much text.`]
    : [];
}

type Letter = { news: GatheredNews; written: ComposedMail; condition: JudgedCondition | undefined };

async function letterOf({ ports, plan }: NotificationSetting, { address }: Work, { news, written, condition }: Letter) {
  const series = plan.charts ? shownSeries(news, written.mail) : [];
  const { charts, missingScripts } = await drawCharts(ports, chartsOf(series), plan.format !== 'text');
  const letter: Email = writeLetter(news, { mail: written.mail, condition, charts });
  return {
    letterAt: await storeJson(ports, address, letter),
    subject: letter.subject,
    charts: charts.length,
    ...(missingScripts.length > 0 ? { missingScripts } : {}),
  };
}
