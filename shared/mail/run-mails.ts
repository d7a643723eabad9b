/** What became of the mails of a run: a row for each recipient, written as soon as it is known and never changed. */
import type { Draft, Key, MailRefusal, Stored, Table } from '../ports.ts';
import { type TaskAddress, taskPartition } from '../tasks/task-rows.ts';
import type { SuppressedBy } from './suppression.ts';

export type Fate =
  | { status: 'sent'; at: number; messageId: string; providerId: string }
  | { status: 'suppressed'; at: number; by: SuppressedBy }
  | { status: 'refused'; at: number; reason: MailRefusal };

/** What was heard of a mail that had been accepted. */
export type LaterReport = { status: 'bounced' | 'complained'; at: number; reason: string };

/** `run` tells the runs of one task apart, `mark` the recipients. */
export type MailOf = { run: string; mark: string };

const DAY_MS = 86_400_000;
/** A run that recurs is shown as one of the newest hundred: of a monthly one longer than a task is kept. */
const KEPT_MS = 400 * DAY_MS;

const SENT = 'MAIL#';
const fateKey = (address: TaskAddress, { run, mark }: MailOf): Key => ({
  pk: taskPartition(address),
  sk: `${SENT}${run}#${mark}`,
});
/** Of a row that tells of a mail, under which id it went out. */
export function mailsSentIn({ sk, value }: Stored): string[] {
  const { providerId } = sk.startsWith(SENT) ? (value as Partial<Extract<Fate, { status: 'sent' }>>) : {};
  return providerId === undefined ? [] : [providerId];
}

const LATER = 'MAILED#';

/** Of at most 100 recipients, in their order. */
export async function fatesOf(
  table: Table,
  address: TaskAddress,
  run: string,
  marks: string[],
): Promise<(Fate | undefined)[]> {
  const rows = await table.getMany<Fate>(marks.map((mark) => fateKey(address, { run, mark })));
  return rows.map((row) => row?.value);
}

/** The first one told stays: what another worker of the same run did is known by it. */
export async function storeFate(table: Table, address: TaskAddress, mail: MailOf, fate: Fate): Promise<void> {
  await table.insert({ ...fateKey(address, mail), value: fate, expiresAt: fate.at + KEPT_MS });
}

export const laterDraft = (address: TaskAddress, { run, mark }: MailOf, value: LaterReport): Draft<LaterReport> => ({
  pk: taskPartition(address),
  sk: `${LATER}${run}#${mark}`,
  value,
  expiresAt: value.at + KEPT_MS,
});

const PAGE = 100;
/** Of a task's newest hundred runs with a hundred recipients each it is no more; a page of results is bounded by it. */
const MOST = 1_000;

/** What was heard later of the mails of a task, by run and mark: `run#mark`. */
export async function laterReports(table: Table, address: TaskAddress): Promise<Map<string, LaterReport>> {
  const heard = new Map<string, LaterReport>();
  let after: string | undefined;
  do {
    const paging = { limit: PAGE, newestFirst: true, ...(after ? { after } : {}) };
    const page = await table.rows<LaterReport>(taskPartition(address), LATER, paging);
    for (const { sk, value } of page.rows) heard.set(sk.slice(LATER.length), value);
    after = page.next;
  } while (after !== undefined && heard.size < MOST);
  return heard;
}
