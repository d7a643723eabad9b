/** The state of a notification while it is composed and sent. */

import type { ChartPng } from '../../engines/charts/chart-image.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import { missingScriptsWarning } from '../../engines/reports/report-document.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Fate } from '../../shared/mail/run-mails.ts';
import type { Blobs, Clock, Ids, Mailer, Secrets, Table } from '../../shared/ports.ts';
import type { Gather, GatheredItems, SourceFault, SourceItem } from '../../shared/sources/gathered.ts';
import type { AgentReport, Confidence } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/details.ts';
import type { RunOf } from '../../shared/tasks/task.ts';
import { unusableNotes } from '../runtime.ts';
import type { NotificationPlan } from './plan.ts';

/** Computes the confidence by the formula in docs/guides/notifications.md. Returns undefined for an email without sources. */
function confidenceIn({ sources, isUnanswered }: NotificationState): Confidence | undefined {
  if (sources.length === 0) return undefined;
  const mean = (of: (source: SourceRead) => number) =>
    rounded(sources.reduce((sum, source) => sum + of(source), 0) / sources.length);
  return {
    dataQuality: mean(({ quality }) => quality),
    analysisCompleteness: mean(({ items }) => (items > 0 ? (isUnanswered ? UNANSWERED : 1) : 0)),
    sourceReliability: mean(reliability),
  };
}

/** The factor for an e-mail whose opening the model was to write. */
const UNANSWERED = 0.8;

/** The share of requests without faults. Sample data has no reliability. */
function reliability({ items, is_sample: isSample, queries, faults }: SourceRead): number {
  if (isSample || items === 0) return 0;
  return Math.max(0, 1 - faults.length / Math.max(1, queries, faults.length));
}

const rounded = (share: number): number => Math.round(100 * share) / 100;

type SourceRead = {
  source: string;
  items: number;
  is_sample: boolean;
  queries: number;
  /** Items should have a title, text or a figure, and a date. This is the mean share of these that they have. */
  quality: number;
  faults: SourceFault[];
};

type RecipientShown = {
  address: string;
  status: 'pending' | Fate['status'];
  at: string | null;
  message_id: string | null;
  reason: string | null;
};

type NotificationState = {
  sources: SourceRead[];
  /** Blob keys: first of the gathered items, then of the email. */
  gatheredAt?: string;
  letterAt?: string;
  subject: string | null;
  charts: number;
  queries: number;
  /** The version of the prompt, if a language model was asked. */
  promptVersion?: string;
  /** True if the model gave no usable answer, so that the e-mail opens with the offline text. */
  isUnanswered?: true;
  /** Scripts that the pictures of the charts name and do not show. */
  missingScripts?: string[];
  recipients: RecipientShown[];
};

export type NotificationCheckpoint = Result & { known: NotificationState };

export const knownAtFirst = ({ recipients }: NotificationPlan): NotificationState => ({
  sources: [],
  subject: null,
  charts: 0,
  queries: 0,
  recipients: recipients.map((address) => ({ address, status: 'pending', at: null, message_id: null, reason: null })),
});

const MAX_FAULTS = 20;

export const sourceRead = ({ source, items, isSample, queries, faults }: GatheredItems): SourceRead => ({
  source,
  items: items.length,
  is_sample: isSample,
  queries,
  quality: items.length === 0 ? 0 : items.reduce((sum, item) => sum + completeness(item), 0) / items.length,
  faults: faults.slice(0, MAX_FAULTS),
});

/** Counts a title, text or a figure, and a date. */
const completeness = ({ title, text, figures = [], publishedAt }: SourceItem): number =>
  [title.trim() !== '', text.trim() !== '' || figures.length > 0, publishedAt !== undefined].filter(Boolean).length / 3;

export function shownFate(address: string, fate: Fate): RecipientShown {
  const { status, at } = fate;
  return {
    address,
    status,
    at: new Date(at).toISOString(),
    message_id: fate.status === 'sent' ? fate.messageId : null,
    reason: fate.status === 'suppressed' ? fate.by : fate.status === 'refused' ? fate.reason : null,
  };
}

type Progress = { plan: NotificationPlan; known: NotificationState; run: RunOf | undefined; stages: string[] };

/** This report is what the run shows, however it goes on from here. */
export function checkpoint({ plan, known, run, stages }: Progress): NotificationCheckpoint {
  return { report: reportOf({ plan, known, run, stages }), known };
}

function reportOf({ plan, known, run, stages }: Progress): AgentReport {
  const { sources, subject, charts, queries, recipients, isUnanswered, promptVersion, missingScripts = [] } = known;
  const warnings = [
    ...(isUnanswered ? unusableNotes(1) : []),
    ...(missingScripts.length > 0 ? [missingScriptsWarning('The charts', missingScripts, 'the e-mail')] : []),
  ];
  const counts = countsOf(recipients);
  const confidence = confidenceIn(known);
  return {
    stages,
    sources: sources.filter(({ items }) => items > 0).length,
    queries: queries + sources.reduce((sum, source) => sum + source.queries, 0),
    preview: { subject, recipients: recipients.length, ...counts },
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
      ...(promptVersion ? { prompt_version: promptVersion } : {}),
    },
  };
}

export function countsOf(recipients: readonly RecipientShown[]) {
  const count = (status: RecipientShown['status']) => recipients.filter((one) => one.status === status).length;
  return { sent: count('sent'), suppressed: count('suppressed'), refused: count('refused') };
}

/** The mail service, the sender's address, and the base URL of the links in emails. */
export type MailSending = { mailer: Mailer; sender: string; rootUrl: string };

export type NotificationPorts = {
  table: Table;
  clock: Clock;
  blobs: Blobs;
  ids: Ids;
  secrets: Secrets;
  gather: Gather;
  chartPng: ChartPng;
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
