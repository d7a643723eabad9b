/** What a task shows of its notification after each stage. */

import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import { missingScriptsWarning } from '../../engines/reports/report-document.ts';
import type { NotificationResults, RecipientReport } from '../../shared/agents/results/notification.ts';
import type { AgentReport, Confidence } from '../../shared/tasks/agent-report.ts';
import type { Result } from '../../shared/tasks/results.ts';
import type { RunOf } from '../../shared/tasks/task.ts';
import { unusableNotes } from '../structured-answer.ts';
import { isHeldBack, type NotificationPlan, type NotificationState, type SourceReport } from './state.ts';

export type NotificationCheckpoint = Result & { known: NotificationState };

type Progress = { plan: NotificationPlan; state: NotificationState; run: RunOf | undefined; stages: string[] };

/** The state and its report, which is shown if the run ends after this stage. */
export function checkpoint({ plan, state, run, stages }: Progress): NotificationCheckpoint {
  return { report: reportOf({ plan, state, run, stages }), known: state };
}

export function recipientCounts(recipients: readonly RecipientReport[]) {
  const count = (status: RecipientReport['status']) =>
    recipients.filter((recipient) => recipient.status === status).length;
  return { sent: count('sent'), suppressed: count('suppressed'), refused: count('refused') };
}

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

const NOT_SENT = 'not sent: the condition does not hold';

const NO_CHARTS = 'input.content.include_charts had no effect: what is new in the sources has no figures to draw.';

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
  const counts = recipientCounts(recipients);
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
    } satisfies NotificationResults,
  };
}
