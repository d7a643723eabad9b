/** Checkpoints between the stages of a task, and the files of its results. */

import type { Blobs, Bytes, Ids } from '../shared/ports.ts';
import type { AgentReport, ReportFile } from '../shared/tasks/agent-report.ts';
import { archiveKey } from '../shared/tasks/archive.ts';
import type { Result } from '../shared/tasks/results.ts';
import type { TaskAddress } from '../shared/tasks/rows.ts';

/** What a stage hands to the next: the report that the task shows, and the agent's state or the key of its blob. */
export type Checkpoint<State> = Result & { known: StoredState<State> };

/** State up to this length is stored in the table, longer state in a blob; results are shortened to it. */
const MAX_INLINE = 100_000;

type CheckpointParts<State> = {
  known: State;
  report: Omit<AgentReport, 'results' | 'files'>;
  /** All results. */
  results: object;
  /** What a response shows of them. */
  shortResults: Record<string, unknown> & { truncated?: unknown };
};

/** Stores the state of a stage that ended. Results that the response shortens are stored as a file, too. */
export async function storeCheckpoint<State>(
  ports: StorePorts,
  address: TaskAddress,
  { known: state, report, results, shortResults }: CheckpointParts<State>,
): Promise<Checkpoint<State>> {
  const storedState = await storeState(ports, address, state);
  const files = shortResults.truncated ? [await storeFile(ports, address, jsonFile(results, 'partial-results'))] : [];
  return { report: { ...report, results: shortResults, files }, known: storedState };
}

type StoredState<State> = State | { bytesAt: string };

export async function storeState<State>(
  ports: StorePorts,
  address: TaskAddress,
  state: State,
): Promise<StoredState<State>> {
  const isShort = JSON.stringify(state).length <= MAX_INLINE;
  return isShort ? state : { bytesAt: await storeJson(ports, address, state) };
}

/** The result of the last stage. Results that the response shortens are stored as JSON, too, unless a written file is JSON. */
export async function storeResult(
  ports: StorePorts,
  address: TaskAddress,
  {
    report,
    results,
    shortResults,
    written,
  }: Omit<CheckpointParts<unknown>, 'known'> & { written: readonly WrittenFile[] },
): Promise<Result> {
  const files: ReportFile[] = [];
  for (const file of written) files.push(await storeFile(ports, address, file));
  const isJson = written.some(({ contentType }) => contentType === JSON_TYPE);
  if (shortResults.truncated && !isJson) files.push(await storeFile(ports, address, jsonFile(results, 'results')));
  return { report: { ...report, results: shortResults, files } };
}

/**
 * The state that the stage before handed over, as a copy: that stage's answer may still have to be stored. The first
 * stage begins with `initial`.
 */
export async function resumeState<State extends object>(
  ports: Pick<StorePorts, 'blobs'>,
  carried: unknown,
  initial: () => State,
): Promise<State> {
  if (carried === undefined) return initial();
  const { known: state } = carried as Pick<Checkpoint<State>, 'known'>;
  return 'bytesAt' in state ? readStoredJson<State>(ports, state.bytesAt as string) : structuredClone(state as State);
}

/** Halves how long lists may be until the results are short enough for a response, as every poll reads them. */
export function shortenedResults<T extends object>(
  whole: T,
  withFewer: (maxEntries: number) => T,
): T & { truncated?: true } {
  const isShort = (results: T) => JSON.stringify(results).length <= MAX_INLINE;
  if (isShort(whole)) return whole;
  for (let maxEntries = 100; maxEntries > 0; maxEntries = Math.floor(maxEntries / 2)) {
    const fewer = { ...withFewer(maxEntries), truncated: true as const };
    if (isShort(fewer)) return fewer;
  }
  return { ...withFewer(0), truncated: true };
}

export type WrittenFile = { name: string; contentType: string; bytes: Uint8Array };

const JSON_TYPE = 'application/json';

export const jsonFile = (results: object, stem: string): WrittenFile => ({
  name: `${stem}.json`,
  contentType: JSON_TYPE,
  bytes: Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`),
});

/** Stores what is too long for the table as a blob. */
export const storeJson = (ports: StorePorts, address: TaskAddress, value: unknown): Promise<string> =>
  storeBytes(ports, address, Buffer.from(JSON.stringify(value)));

export async function storeBytes({ blobs, ids }: StorePorts, address: TaskAddress, bytes: Uint8Array): Promise<string> {
  const bytesAt = archiveKey(address, ids.mark());
  await blobs.put(bytesAt, singleChunk(bytes), { maxBytes: bytes.length });
  return bytesAt;
}

export async function readStoredJson<T>({ blobs }: Pick<StorePorts, 'blobs'>, bytesAt: string): Promise<T> {
  const body = await blobs.read(bytesAt);
  if (!body) throw new Error('The blob that an earlier stage of the task stored is gone.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T;
}

type StorePorts = { blobs: Blobs; ids: Ids };

/** Stores a file of the results under a key of its own for each attempt. */
async function storeFile(ports: StorePorts, address: TaskAddress, file: WrittenFile): Promise<ReportFile> {
  const { name, contentType, bytes } = file;
  return { name, contentType, bytesAt: await storeBytes(ports, address, bytes), sizeBytes: bytes.length };
}

async function* singleChunk(bytes: Uint8Array): Bytes {
  yield bytes;
}
