/** The outcome of each mail of a run: one row per recipient, written as soon as it is known and never changed. */

import type { Draft, Key, MailRefusal, RawRow, Table } from '../ports.ts';
import { type TaskAddress, taskPartition } from '../tasks/rows.ts';
import { TASK_LIMITS } from '../tasks/task.ts';
import type { SuppressedBy } from './suppressions.ts';

export type MailStatus =
  | { status: 'sent'; at: number; messageId: string; providerId: string }
  | { status: 'suppressed'; at: number; by: SuppressedBy }
  | { status: 'refused'; at: number; reason: MailRefusal };

/** A bounce or complaint that arrived after the mail was accepted. */
type LaterReport = { status: 'bounced' | 'complained'; at: number; reason: string };

/** `run` identifies the run of the task, `mark` the recipient. */
export type MailId = { run: string; mark: string };

/** The newest hundred runs of a recurring task are shown; those of a monthly task outlive the retention of tasks. */
const OUTCOME_TTL_MS = TASK_LIMITS.runKeptMs;

const SENT = 'MAIL#';
const outcomeKey = (address: TaskAddress, { run, mark }: MailId): Key => ({
  pk: taskPartition(address),
  sk: `${SENT}${run}#${mark}`,
});
/** The provider's ids of the mails that a row records. */
export function mailsSentIn({ sk, value }: RawRow): string[] {
  const { providerId } = sk.startsWith(SENT) ? (value as Partial<Extract<MailStatus, { status: 'sent' }>>) : {};
  return providerId === undefined ? [] : [providerId];
}

const PAGE = 100;
const LATER = 'MAILED#';

/** For at most 100 recipients, in their order. */
export async function mailOutcomes(
  table: Table,
  address: TaskAddress,
  run: string,
  marks: string[],
): Promise<(MailStatus | undefined)[]> {
  const rows = await table.getMany<MailStatus>(marks.map((mark) => outcomeKey(address, { run, mark })));
  return rows.map((row) => row?.value);
}

/** The first stored fate stays, so that another worker of the same run knows what was sent. */
export async function storeMailOutcome(
  table: Table,
  address: TaskAddress,
  mail: MailId,
  outcome: MailStatus,
): Promise<void> {
  await table.insert({ ...outcomeKey(address, mail), value: outcome, expiresAt: outcome.at + OUTCOME_TTL_MS });
}

export const laterDraft = (address: TaskAddress, { run, mark }: MailId, value: LaterReport): Draft<LaterReport> => ({
  pk: taskPartition(address),
  sk: `${LATER}${run}#${mark}`,
  value,
  expiresAt: value.at + OUTCOME_TTL_MS,
});

/** The most reports that are read for one page of results. */
const MOST = 1_000;

/** The later reports on the mails of a task, by run and mark: `run#mark`. */
export async function laterReports(table: Table, address: TaskAddress): Promise<Map<string, LaterReport>> {
  const reports = new Map<string, LaterReport>();
  let after: string | undefined;
  do {
    const paging = { limit: PAGE, newestFirst: true, ...(after ? { after } : {}) };
    const page = await table.rows<LaterReport>(taskPartition(address), LATER, paging);
    for (const { sk, value } of page.rows) reports.set(sk.slice(LATER.length), value);
    after = page.next;
  } while (after !== undefined && reports.size < MOST);
  return reports;
}

type ShownRun = Record<string, unknown>;

/** For one run, or for several under `runs`. A mail is identified by its Message-ID, which names the run and the recipient. */
export function withLaterReports(results: ShownRun, reports: ReadonlyMap<string, LaterReport>): ShownRun {
  if (reports.size === 0) return results;
  const { recipients, runs } = results;
  return {
    ...results,
    ...(Array.isArray(recipients)
      ? { recipients: recipients.map((recipient: ShownRun) => withLaterReport(recipient, reports)) }
      : {}),
    ...(Array.isArray(runs) ? { runs: runs.map((run: ShownRun) => runWithLaterReports(run, reports)) } : {}),
  };
}

/** A run may have its results in the field `results`. */
function runWithLaterReports(run: ShownRun, reports: ReadonlyMap<string, LaterReport>): ShownRun {
  const { results } = run;
  const inner =
    typeof results === 'object' && results !== null ? { results: withLaterReports(results as ShownRun, reports) } : {};
  return { ...withLaterReports(run, reports), ...inner };
}

const MAIL = /^<[^.]+\.([\w-]+)\.([\w-]+)@/;

function withLaterReport(recipient: ShownRun, report: ReadonlyMap<string, LaterReport>): ShownRun {
  const [, run, mark] = MAIL.exec(String(recipient.message_id)) ?? [];
  const later = report.get(`${run}#${mark}`);
  if (!later) return recipient;
  const { status, at, reason } = later;
  return { ...recipient, status, reason, sent_at: recipient.at, at: new Date(at).toISOString() };
}
