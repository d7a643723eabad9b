/** A notification while it is gathered, composed and sent: its plan, its state, and since when items count as new. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ChartPng } from '../../engines/charts/chart-image.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import type { EmailFormat } from '../../engines/mail/email.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import { missingScriptsWarning } from '../../engines/reports/report-document.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import { isRecurring, scheduleOf } from '../../shared/agents/agent-task-requests.ts';
import type {
  FigureCondition,
  NotificationCondition,
  NotificationInput,
  NotificationKind,
} from '../../shared/agents/notification-input.ts';
import type { Fate } from '../../shared/mail/mail.ts';
import type { Blobs, Clock, Ids, Mailer, Secrets, Table } from '../../shared/ports.ts';
import { slotAfter, slotBefore } from '../../shared/schedules/schedule.ts';
import type { Gather, GatheredItems, SourceFault, SourceItem } from '../../shared/sources/source.ts';
import type { AgentReport, Confidence } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/details.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import type { RunOf, Task } from '../../shared/tasks/task.ts';
import type { ApplyRule } from '../apply-rule.ts';
import { unusableNotes } from '../runtime.ts';

export type NotificationPlan = {
  kind: NotificationKind;
  /** For example `Weekly report`; empty for a message without sources whose type is not named. */
  title: string;
  /** The type as the caller wrote it. */
  type: string | null;
  sources: string[];
  format: EmailFormat;
  charts: boolean;
  subject: string | undefined;
  message: string[];
  /** What matters, in the words of the sender. */
  instructions: string | undefined;
  /** The e-mail is sent only if it holds. */
  condition: NotificationCondition | undefined;
  zone: string;
  /** Contains each mailbox once; upper and lower case do not matter. */
  recipients: string[];
  /** Zero-based indexes of the recipients. Each batch is a checkpoint. */
  batches: number[][];
};

export const dayOf = (at: string | number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: zone }).format(
    new Date(at),
  );

/** Joins names as in `a, b and c`. */
export const nameList = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const countLabel = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

/** Computes the confidence by the formula in docs/guides/notifications.md. Returns undefined for an email without sources. */
function confidenceIn({ sources, isUnanswered }: NotificationState): Confidence | undefined {
  if (sources.length === 0) return undefined;
  const mean = (figureOf: (source: SourceReport) => number) =>
    rounded(sources.reduce((sum, source) => sum + figureOf(source), 0) / sources.length);
  return {
    dataQuality: mean(({ quality, is_sample: isSample }) => quality * (isSample ? SAMPLE : 1)),
    analysisCompleteness: mean(({ items }) => (items > 0 ? (isUnanswered ? UNANSWERED : 1) : 0)),
    sourceReliability: sources.some(({ items }) => items > 0) ? mean(reliability) : 0,
  };
}

/** The factor for an email that opens with the offline text, because the model gave no usable answer. */
const UNANSWERED = 0.8;

/** As in a research: sample data is read without faults, but is half as good. */
const SAMPLE = 0.5;

/** The share of requests without faults. */
const reliability = ({ queries, faults }: SourceReport): number =>
  Math.max(0, 1 - faults.length / Math.max(1, queries, faults.length));

const rounded = (share: number): number => Math.round(100 * share) / 100;

export type SourceReport = {
  source: string;
  items: number;
  is_sample: boolean;
  queries: number;
  /** Items should have a title, text or a figure, and a date. This is the mean share of these that they have. */
  quality: number;
  faults: SourceFault[];
};

export type RecipientReport = {
  address: string;
  status: 'pending' | 'not_sent' | Fate['status'];
  at: string | null;
  message_id: string | null;
  reason: string | null;
};

export type NotificationState = {
  sources: SourceReport[];
  /** Blob keys: first of the gathered items, then of the email. */
  gatheredAt?: string;
  letterAt?: string;
  subject: string | null;
  charts: number;
  queries: number;
  /** The version of the prompt, if a language model was asked. */
  promptVersion?: string;
  /** The model gave no usable answer, so the email opens without its words. */
  isUnanswered?: true;
  lacksModel?: true;
  /** What was judged of the condition; if it does not hold, there is no e-mail. */
  condition?: JudgedCondition;
  /** What the composing has to say: what was taken out of the e-mail, and what was not read. */
  notes?: string[];
  /** Writing systems in the labels of charts for which no font exists. */
  missingScripts?: string[];
  recipients: RecipientReport[];
};

/** A passage of a source for which a condition holds, cut from the item. */
export type ConditionEvidence = {
  source: string;
  title: string;
  address: string | null;
  published_at: string | null;
  quote: string;
  /** Of a figure. */
  value?: number;
  unit?: string;
};

export type JudgedCondition = ({ text: string } | FigureCondition) & {
  holds: boolean;
  why: string;
  evidence: ConditionEvidence[];
};

export const isHeldBack = ({ condition }: Pick<NotificationState, 'condition'>): boolean => condition?.holds === false;

const NOT_SENT = 'not sent: the condition does not hold';

const NO_CHARTS = 'input.content.include_charts had no effect: what is new in the sources has no figures to draw.';

export type NotificationCheckpoint = Result & { known: NotificationState };

type Progress = { plan: NotificationPlan; state: NotificationState; run: RunOf | undefined; stages: string[] };

/** The state and its report, which is shown if the run ends after this stage. */
export function checkpoint({ plan, state, run, stages }: Progress): NotificationCheckpoint {
  return { report: reportOf({ plan, state, run, stages }), known: state };
}

function reportOf({ plan, state, run, stages }: Progress): AgentReport {
  const {
    sources,
    subject,
    charts,
    queries,
    recipients,
    isUnanswered,
    lacksModel,
    promptVersion,
    missingScripts = [],
    condition,
    notes = [],
  } = state;
  const warnings = [
    ...(lacksModel ? [PASSAGES_ONLY] : []),
    ...(isUnanswered ? unusableNotes(1) : []),
    ...notes,
    ...(plan.charts && stages.includes('composing') && !isHeldBack(state) && charts === 0 ? [NO_CHARTS] : []),
    ...(missingScripts.length > 0 ? [missingScriptsWarning('The charts', missingScripts, 'the e-mail')] : []),
  ];
  const counts = countsOf(recipients);
  const confidence = confidenceIn(state);
  return {
    stages,
    hasContent: stages.includes('composing'),
    sources: sources.filter(({ items }) => items > 0).length,
    queries: queries + sources.reduce((sum, source) => sum + source.queries, 0),
    preview: {
      subject,
      recipients: recipients.length,
      ...counts,
      ...(isHeldBack(state) ? { outcome: NOT_SENT } : {}),
    },
    ...(confidence ? { confidence } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    results: {
      notification_type: plan.type,
      format: plan.format,
      run: run?.number ?? null,
      slot: run ? new Date(run.slotAt).toISOString() : null,
      subject,
      counts,
      recipients,
      sources: sources.map(({ quality: _, ...source }) => source),
      charts,
      ...(condition ? { condition } : {}),
      ...(promptVersion ? { prompt_version: promptVersion } : {}),
    },
  };
}

export function countsOf(recipients: readonly RecipientReport[]) {
  const count = (status: RecipientReport['status']) =>
    recipients.filter((recipient) => recipient.status === status).length;
  return { sent: count('sent'), suppressed: count('suppressed'), refused: count('refused') };
}

/** The mail service, the sender's address, and the base URL of the links in emails. */
export type MailSending = { mailer: Mailer; sender: string; rootUrl: string };

/** Why the recipient gets the e-mail, in its last line. `name`: of the organization. */
export const mailReason = (name: string): string =>
  `You get this e-mail because ${name || 'an organization'} added your address to a notification.`;

export type NotificationPorts = {
  table: Table;
  clock: Clock;
  blobs: Blobs;
  ids: Ids;
  secrets: Secrets;
  gather: Gather;
  chartPng: ChartPng;
  documents: Pick<Documents, 'applyRule'>;
  modelOf: ModelOf;
  /** Undefined if no sender is configured. */
  sending: MailSending | undefined;
  /** Rejects with the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

export type NotificationSetting = {
  ports: NotificationPorts;
  plan: NotificationPlan;
  input: AgentInput<'notification_agent'>;
};

/** What asks a model about the items, and checks what it answers. */
export type Asking = {
  model: LanguageModelV4;
  /** Looks a second time. */
  verifier: LanguageModelV4;
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

/** Looks back this many runs at most, so that an email also covers failed runs before it. */
const MAX_RUNS = 10;

type SinceRequest = { address: TaskAddress; input: NotificationInput; run: RunOf | undefined };

/**
 * Returns the time since which items count as new: the slot of the last run that succeeded, or the slot before this run
 * if no recent one did. Returns undefined for a notification that does not recur, where all items are new.
 */
export async function sinceOf(table: Table, { address, input, run }: SinceRequest): Promise<number | undefined> {
  const { schedule } = input;
  if (!run || !schedule || !isRecurring(schedule)) return undefined;
  for (let number = run.number - 1; number > Math.max(0, run.number - 1 - MAX_RUNS); number--) {
    const before = await table.get<Task>(taskKey({ ...address, run: number }));
    if (before?.value.state === 'succeeded' && before.value.run) return before.value.run.slotAt;
  }
  return slotBefore(scheduleOf(schedule), run.slotAt);
}

/**
 * A preview at any time shows what a run at that time would: the items of one day, week or month of its schedule.
 * Returns undefined for a notification that does not recur, where all items are new.
 */
export function sinceOfPreview({ schedule: requested }: NotificationInput, now: number): number | undefined {
  if (!requested || !isRecurring(requested)) return undefined;
  const schedule = scheduleOf(requested);
  return now - (slotAfter(schedule, now) - slotBefore(schedule, now));
}

/** Sample data and items without a date always count as new. */
export function newItemsIn({ items, isSample }: GatheredItems, since: number | undefined): SourceItem[] {
  if (since === undefined || isSample) return items;
  return items.filter(({ publishedAt }) => publishedAt === undefined || Date.parse(publishedAt) >= since);
}
