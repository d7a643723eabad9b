/** Readings of files: read once, shared by all, failures kept too, deleted with their file. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import type { WorkerProcess } from '../../../shared/core/worker-process.ts';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { bytesKey, fileDraft } from '../../../shared/files/file.ts';
import { readOnce } from '../../../shared/files/read-once.ts';
import { maintainReading, requestReading } from '../../../shared/files/reading.ts';
import { fileIdOfHint } from '../../../shared/files/reading-hint.ts';
import type { Every } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import { stream } from '../../ports/streams.ts';
import { openFiles } from './setup.ts';

const organization = 'org';
const HOUR = 3_600_000;
const never = new AbortController().signal;

let at: ReturnType<typeof openFiles>;
let hinted: string[];
let beats: (() => void)[];
beforeEach(() => {
  at = openFiles();
  hinted = [];
  beats = [];
});
afterEach(() => at.close());

/** The renewals of leases, called by the test. */
const every: Every = (_, run) => {
  beats.push(run);
  return () => undefined;
};
const ports = () => ({
  ...at,
  every,
  hints: async (_: unknown, { taskId }: { taskId: string }) => void hinted.push(fileIdOfHint(taskId) ?? 'a task'),
});

async function storeFile(text = 'hello') {
  const fileId = at.ids.uuid();
  const bytesAt = bytesKey(organization, fileId, at.ids.mark());
  const createdAt = at.clock.now();
  const goneAt = createdAt + 1e9;
  const file = { state: 'stored', fileName: 'a.txt', mimeType: 'text/plain', size: text.length } as const;
  await at.table.insert(fileDraft(organization, fileId, { ...file, createdAt, goneAt, bytesAt }));
  await at.blobs.put(bytesAt, stream(text), { maxBytes: 1_000 });
  return { organization, fileId };
}
type Address = Awaited<ReturnType<typeof storeFile>>;

const readingOf = (text = 'read') => ({ bytes: Buffer.from(`${text}{"pages":[]}`), indexAt: text.length });
type Reader = () => Promise<object>;
const readIn = (process: WorkerProcess | undefined, address: Address, reader: Reader = async () => readingOf()) =>
  readOnce(ports(), address, {
    signal: never,
    read: reader as () => Promise<ReturnType<typeof readingOf>>,
    process,
  });
const read = (address: Address, reader?: Reader) => readIn(undefined, address, reader);
const keyOf = ({ fileId }: Address) => ({ pk: `O#${organization}#F#${fileId}`, sk: 'READING' });

/** A process ends while it reads the file. */
async function endProcess(address: Address, process?: WorkerProcess): Promise<void> {
  void readIn(process, address, () => new Promise(() => undefined));
  await expect.poll(async () => (await rowOf(address))?.value.until).toBe(at.clock.now() + 60_000);
}
async function endProcesses(address: Address, ...processes: (WorkerProcess | undefined)[]): Promise<void> {
  for (const process of processes) {
    await endProcess(address, process);
    at.clock.pass(60_001);
  }
}
const rowOf = (address: Address) => at.table.get<Record<string, unknown>>(keyOf(address));
const blobOf = async (address: Address) => String((await rowOf(address))?.value.storedAt);

describe('a reading', () => {
  it('is queued immediately and once, however often it is requested', async () => {
    const address = await storeFile();
    for (const _ of [1, 2, 3]) expect(await requestReading(ports(), address)).toBeUndefined();
    expect(hinted).toEqual([address.fileId]);
  });

  it('runs once and answers all callers', async () => {
    const address = await storeFile();
    let reads = 0;
    const reader = async () => {
      reads++;
      return readingOf();
    };
    const first = await read(address, reader);
    expect(await read(address, reader)).toEqual(first);
    expect(await requestReading(ports(), address)).toEqual(first);
    expect(first).toMatchObject({ state: 'read', indexAt: 4, size: 16 });
    expect(reads).toBe(1);
    expect(hinted).toEqual([]);
  });

  it('is also kept if it failed', async () => {
    const address = await storeFile();
    const failure = { reason: 'corrupt', message: 'is damaged or is not what its name says' };
    await read(address, async () => failure);
    expect(await requestReading(ports(), address)).toMatchObject({ state: 'failed', ...failure });
    expect(await read(address)).toMatchObject({ state: 'failed', ...failure });
  });

  it('is left alone while another worker reads the file, and read by the next one when that worker has died', async () => {
    const address = await storeFile();
    const slow = Promise.withResolvers<ReturnType<typeof readingOf>>();
    const slowRead = read(address, () => slow.promise);
    await expect.poll(() => rowOf(address)).toBeDefined();
    expect(await read(address)).toBe('running');
    at.clock.pass(60_001);
    expect(await read(address, async () => readingOf('second'))).toMatchObject({ state: 'read', indexAt: 6 });
    slow.resolve(readingOf());
    // It has lost the row, so its reading is removed, and that of the second one stays.
    expect(await slowRead).toBe('gone');
    expect(await at.blobs.size(await blobOf(address))).toBe(18);
  });

  it('keeps its lease while it is renewed', async () => {
    const address = await storeFile();
    const slow = Promise.withResolvers<ReturnType<typeof readingOf>>();
    const slowRead = read(address, () => slow.promise);
    await expect.poll(() => beats).toHaveLength(1);
    at.clock.pass(50_000);
    beats[0]?.();
    await expect.poll(async () => (await rowOf(address))?.value.until).toBe(at.clock.now() + 60_000);
    at.clock.pass(50_000);
    expect(await read(address)).toBe('running');
    slow.resolve(readingOf());
    expect(await slowRead).toMatchObject({ state: 'read' });
  });

  it('needs a process of its own when two processes have ended that also did other work', async () => {
    const address = await storeFile();
    await endProcesses(address, undefined, undefined);
    expect(await read(address)).toBe('crowded');
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect(hinted).toEqual([address.fileId]);
    expect(await readIn('own', address)).toMatchObject({ state: 'read' });
  });

  it('fails when the process ends in which the file was read alone, and says that it can be read again', async () => {
    const address = await storeFile();
    await endProcesses(address, undefined, undefined, 'own');
    const failure = {
      state: 'failed',
      reason: 'processEnded',
      message:
        'ended the process that read it, at last while nothing else ran in it; it can be read again after 6 hours',
    };
    expect(await read(address)).toMatchObject(failure);
    expect(await requestReading(ports(), address)).toMatchObject(failure);
    at.clock.pass(6 * HOUR - 1);
    expect(await readIn('own', address)).toMatchObject(failure);
    expect(await requestReading(ports(), address)).toMatchObject(failure);
    at.clock.pass(1);
    expect(await requestReading(ports(), address)).toBeUndefined();
    expect(hinted).toEqual([address.fileId]);
    // It is still a suspect.
    expect(await read(address)).toBe('crowded');
    expect(await readIn('own', address)).toMatchObject({ state: 'read' });
  });

  it('that is asked for by a task after six hours is read again without a request', async () => {
    const address = await storeFile();
    await endProcesses(address, undefined, undefined, 'own');
    await read(address);
    at.clock.pass(6 * HOUR);
    expect(await readIn('own', address)).toMatchObject({ state: 'read' });
  });

  it('is no suspect for having been read alone by chance', async () => {
    const address = await storeFile();
    await endProcesses(address, 'own', 'own');
    expect(await read(address)).toBe('crowded');
    await endProcesses(address, 'own');
    expect(await read(address)).toMatchObject({ state: 'failed' });
  });

  it('never fails for restarts of the only process, and waits longer after each', async () => {
    const address = await storeFile();
    for (const wait of [0, 5, 30, 60, 120, 300, 300, 300, 300, 300, 3_600, 3_600]) {
      await endProcess(address, 'only');
      at.clock.pass(1_000);
      await maintainReading(ports(), keyOf(address), { isRestart: true });
      const hintedBefore = hinted.length;
      if (wait > 0) {
        at.clock.pass(wait * 1_000 - 1);
        expect(await readIn('only', address)).toBe('running');
        // Another restart does not begin the wait anew.
        await maintainReading(ports(), keyOf(address), { isRestart: true });
        at.clock.pass(1);
      }
      at.clock.pass(30_000);
      await maintainReading(ports(), keyOf(address));
      expect(hinted.length).toBeGreaterThan(hintedBefore);
    }
    expect(await readIn('only', address)).toMatchObject({ state: 'read' });
  });

  it('hints a reading after a restart for the end of its wait', async () => {
    const address = await storeFile();
    const delays: unknown[] = [];
    const hints = async ([effect]: readonly { delaySeconds?: number }[]) => void delays.push(effect?.delaySeconds);
    for (let restart = 1; restart <= 11; restart++) {
      await endProcess(address, 'only');
      await maintainReading({ ...ports(), hints: hints as never }, keyOf(address), { isRestart: true });
      at.clock.pass(3_600_000);
    }
    // 15 minutes are the longest delay of a queue.
    expect(delays).toEqual([0, 5, 30, 60, 120, 300, 300, 300, 300, 300, 900]);
  });

  it('never fails on one machine for leases that lapsed, as while the machine slept', async () => {
    const address = await storeFile();
    await endProcesses(address, 'only', 'only', 'only', 'only', 'only');
    expect(await readIn('only', address)).toMatchObject({ state: 'read' });
  });

  it('fails for a fault of the service after three errors, which end no process, and can be repeated later', async () => {
    const address = await storeFile();
    const broken = () => Promise.reject(new Error('The store does not answer.'));
    for (const errors of [1, 2, 3]) {
      await expect(read(address, broken)).rejects.toThrow('does not answer');
      expect((await rowOf(address))?.value).toMatchObject({ state: 'waiting', tries: 0, errors });
    }
    expect(await read(address)).toMatchObject({
      state: 'failed',
      reason: 'faulted',
      message: 'could not be read because of a fault of the service; it can be read again after 6 hours',
    });
    at.clock.pass(6 * HOUR);
    expect(await read(address)).toMatchObject({ state: 'read' });
  });

  it('keeps its count of errors over the end of a process', async () => {
    const address = await storeFile();
    const broken = () => Promise.reject(new Error('The store does not answer.'));
    await expect(read(address, broken)).rejects.toThrow();
    await endProcesses(address, undefined);
    await expect(read(address, broken)).rejects.toThrow();
    expect((await rowOf(address))?.value).toMatchObject({ tries: 1, errors: 2 });
  });

  it('is handed over by a worker that shuts down, which does not count as an attempt', async () => {
    const address = await storeFile();
    const stopController = new AbortController();
    const waits = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const reading = readOnce(ports(), address, {
      signal: stopController.signal,
      read: (_, signal) => waits(signal) as never,
    });
    await expect.poll(() => beats).toHaveLength(1);
    stopController.abort();
    await expect(reading).rejects.toThrow();
    expect((await rowOf(address))?.value).toMatchObject({ state: 'waiting', tries: 0, errors: 0 });
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect(hinted).toEqual([address.fileId]);
  });

  it('is queued again by the reconciler if its message was lost, and immediately after a restart', async () => {
    const address = await storeFile();
    await requestReading(ports(), address);
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect(hinted).toHaveLength(1);
    at.clock.pass(30_000);
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect(hinted).toHaveLength(2);
    void read(address, () => new Promise(() => undefined));
    await expect.poll(async () => (await rowOf(address))?.value.state).toBe('running');
    await maintainReading(ports(), keyOf(address));
    expect(hinted).toHaveLength(2);
    await maintainReading(ports(), keyOf(address), { isRestart: true });
    expect(hinted).toHaveLength(3);
    expect(await read(address)).toMatchObject({ state: 'read' });
  });

  it('by another version of the readers replaces the old one', async () => {
    const address = await storeFile();
    await read(address);
    const row = await rowOf(address);
    const old = await blobOf(address);
    if (row) await at.table.replace(row, { value: { ...row.value, readerVersion: 'old' } });
    expect(await requestReading(ports(), address)).toBeUndefined();
    expect(hinted).toEqual([address.fileId]);
    expect(await read(address, async () => readingOf('new'))).toMatchObject({ state: 'read', indexAt: 3 });
    expect(await at.blobs.size(old)).toBeUndefined();
    expect(await at.blobs.size(await blobOf(address))).toBe(15);
  });

  it('is repeated if its blob is missing', async () => {
    const address = await storeFile();
    await read(address);
    const lost = await blobOf(address);
    expect(await requestReading(ports(), address, { lost })).toBeUndefined();
    expect(await requestReading(ports(), address, { lost })).toBeUndefined();
    expect(hinted).toEqual([address.fileId]);
  });
});

describe('the deletion of a file', () => {
  it('removes its reading in the same transaction', async () => {
    const address = await storeFile();
    await read(address);
    const blob = await blobOf(address);
    expect(await at.blobs.size(blob)).toBe(16);
    await deleteFile(at, address);
    expect([await rowOf(address), await at.blobs.size(blob)]).toEqual([undefined, undefined]);
    await expect(requestReading(ports(), address)).rejects.toMatchObject({ code: 'notFound' });
  });

  it('removes the reading of an expired file', async () => {
    const address = await storeFile();
    await read(address);
    const blob = await blobOf(address);
    at.clock.pass(1e9);
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect([await rowOf(address), await at.blobs.size(blob)]).toEqual([undefined, undefined]);
  });

  it('removes a reading that is in progress', async () => {
    const address = await storeFile();
    const slow = Promise.withResolvers<ReturnType<typeof readingOf>>();
    const reading = read(address, () => slow.promise);
    await expect.poll(() => rowOf(address)).toBeDefined();
    const blob = await blobOf(address);
    await deleteFile(at, address);
    slow.resolve(readingOf());
    expect(await reading).toBe('gone');
    expect([await rowOf(address), await at.blobs.size(blob)]).toEqual([undefined, undefined]);
  });

  it('ends a reading at its next renewal', async () => {
    const address = await storeFile();
    const passedSignal = Promise.withResolvers<AbortSignal>();
    const reading = readOnce(ports(), address, {
      signal: never,
      read: (_, signal) => {
        passedSignal.resolve(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const signal = await passedSignal.promise;
    await deleteFile(at, address);
    beats[0]?.();
    expect(await reading).toBe('running');
    expect(signal.aborted).toBe(true);
    expect(await rowOf(address)).toBeUndefined();
  });

  it('removes the leftovers of a worker that crashed afterwards, by the reconciler', async () => {
    const address = await storeFile();
    void read(address, () => new Promise(() => undefined));
    await expect.poll(() => rowOf(address)).toBeDefined();
    const row = await rowOf(address);
    const blob = await blobOf(address);
    await at.blobs.put(blob, stream('half'), { maxBytes: 10 });
    await deleteFile(at, address);
    if (row) await at.table.insert({ ...row });
    await at.blobs.put(blob, stream('half'), { maxBytes: 10 });
    at.clock.pass(60_001);
    await reconcile({ ...ports(), notifyTask: () => undefined });
    expect([await rowOf(address), await at.blobs.size(blob)]).toEqual([undefined, undefined]);
  });
});

it('does not read a missing file', async () => {
  const missing = { organization, fileId: at.ids.uuid() };
  expect(await read(missing)).toBe('gone');
  expect(await rowOf(missing)).toBeUndefined();
});

it('is repeated by every release', async () => {
  const address = await storeFile();
  expect(await read(address)).toMatchObject({ readerVersion: packageJson.version });
});
