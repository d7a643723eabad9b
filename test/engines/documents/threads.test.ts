import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DOCUMENT_LIMITS, type Document, isDocumentFailure } from '../../../engines/documents/document.ts';
import { limitWebAssembly, webAssemblyMemory } from '../../../engines/documents/limit-webassembly.ts';
import { openThread } from '../../../engines/documents/thread.ts';
import { threadPool } from '../../../engines/documents/thread-pool.ts';
import { type SlotRequest, semaphore } from '../../../shared/core/semaphore.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sample } from './samples.ts';
import { openReader } from './setup.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

let files = 0;
/** A thread that runs this for every file, in place of our reader. */
function acting(body: string): string {
  const file = join(folder.path, `${++files}.cjs`);
  writeFileSync(
    file,
    `const { parentPort } = require('node:worker_threads');\nparentPort.on('message', async (asked) => {${body}});`,
  );
  return file;
}

const csv = { bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv' };
const limits = { heapMb: 64, memoryMb: 256, cpuMs: 5_000 };

describe('a thread', { timeout: 30_000 }, () => {
  it.each([
    ['runs for ever', 'for (;;);', 'tooSlow', { ...limits, cpuMs: 200 }],
    ['waits for ever', 'await new Promise(() => setInterval(() => {}, 1_000));', 'tooSlow', { ...limits, waitMs: 200 }],
    ['fills its heap', 'const a = []; for (;;) a.push({ a });', 'tooLarge', limits],
    ['fills memory outside of its heap', 'const a = []; for (;;) a.push(Buffer.alloc(1e6, 1));', 'tooLarge', limits],
    [
      'grows WebAssembly',
      'const m = new WebAssembly.Memory({ initial: 1 }); m.grow(8000); for (;;);',
      'tooLarge',
      limits,
    ],
    ['throws', 'throw new Error("no");', 'corrupt', limits],
    ['throws later', 'setTimeout(() => { throw new Error("no"); }, 1);', 'corrupt', limits],
    ['rejects unheard', 'Promise.reject(new Error("no"));', 'corrupt', limits],
    ['ends', 'process.exit(0);', 'corrupt', limits],
  ])('that %s ends its own reading and nothing else', async (_, body, reason, own) => {
    const documents = openReader({ workerFile: acting(body), limits: own });
    expect(await documents.refusal(csv.bytes, csv.name)).toBe(reason);
    await documents.close();
  });

  it('refuses WebAssembly to grow beyond its part', () => {
    const kind = webAssemblyMemory() as ReturnType<typeof webAssemblyMemory> &
      (new (size: {
        initial: number;
      }) => ReturnType<typeof webAssemblyMemory>['prototype']);
    class Bounded extends kind {}
    const wasRefused = limitWebAssembly(Bounded, 3 * 65_536);
    const memory = new Bounded({ initial: 1 });
    memory.grow(2);
    expect(wasRefused()).toBe(false);
    expect(() => memory.grow(1)).toThrow(RangeError);
    expect(wasRefused()).toBe(true);
  });

  it('that cannot be begun ends the reading', async () => {
    const documents = openReader({ workerFile: join(folder.path, 'missing.cjs') });
    expect(await documents.refusal(csv.bytes, csv.name)).toBe('corrupt');
    await documents.close();
  });

  it('does nothing any more once it took too long', async () => {
    const trace = join(folder.path, 'trace');
    const writing = `const { appendFileSync } = require('node:fs'); for (;;) appendFileSync(${JSON.stringify(trace)}, '.');`;
    const documents = openReader({ workerFile: acting(writing), limits: { ...limits, cpuMs: 200 } });
    expect(await documents.refusal(csv.bytes, csv.name)).toBe('tooSlow');
    await documents.close();
    const sizes: number[] = [];
    const stands = () => {
      sizes.push(statSync(trace).size);
      return sizes.at(-1) === sizes.at(-2);
    };
    await expect.poll(stands, { interval: 100 }).toBe(true);
    expect(sizes[0]).toBeGreaterThan(0);
  });

  it.each([
    ['computes', 'const { threadCpuUsage } = process; while (threadCpuUsage().user < 400_000);'],
    ['waits a moment', 'await new Promise((resolve) => setTimeout(resolve, 100));'],
  ])('that %s while the main thread is blocked is not taken for one that waits', async (_, body) => {
    const reply = "parentPort.postMessage({ ok: true, result: { kind: 'csv', parts: [] } });";
    const documents = openReader({ workerFile: acting(`${body}\n${reply}`), limits: { ...limits, waitMs: 300 } });
    const reading = documents.read(csv);
    // The thread is under way before the block begins.
    await new Promise((resolve) => setImmediate(resolve));
    const blockedUntil = performance.now() + 1_000;
    while (performance.now() < blockedUntil);
    expect(await reading).toMatchObject({ kind: 'csv' });
    await documents.close();
  });

  it('is killed when its caller gives up', async () => {
    const documents = openReader({ workerFile: acting('for (;;);') });
    const caller = new AbortController();
    const reading = documents.read(csv, caller.signal);
    caller.abort(new Error('cancelled'));
    await expect(reading).rejects.toThrow('cancelled');
    await expect(documents.read(csv, caller.signal)).rejects.toThrow('cancelled');
    await documents.close();
  });

  it('knows nothing of the environment, and has no way to the network', async () => {
    const documents = openReader({
      workerFile: acting('throw new Error(JSON.stringify([process.env, process.argv.length]));'),
    });
    const error = await documents.read(csv).catch((thrown) => thrown);
    expect(isDocumentFailure(error) && error.cause).toBe('[{},2]');
    await documents.close();
  });

  it('leaves the bytes with the caller', async () => {
    const documents = openReader();
    await documents.read(csv);
    expect(csv.bytes.toString()).toBe('a,b\n1,2\n');
  });
});

describe('the pool', () => {
  const setting = { limits: DOCUMENT_LIMITS, assets: { ocrProgram: '', ocrLanguage: '', sqlite: '' } };
  const answer = (text: string) =>
    `parentPort.postMessage({ ok: true, result: { kind: 'csv', parts: [{ label: '', text: ${text} }] } });`;
  const counting = acting(answer('String(require("node:worker_threads").threadId)'));

  function pool(options: Partial<Parameters<typeof threadPool>[0]> & { file?: string }) {
    let begun = 0;
    const open = () => {
      begun++;
      return openThread(options.file ?? counting, setting);
    };
    const made = threadPool({
      open,
      slots: semaphore({ capacity: 3 }),
      readsPerThread: 100,
      idleMs: 60_000,
      largeIdleMs: 60_000,
      ...options,
    });
    afterAll(() => made.close());
    return { ...made, begun: () => begun };
  }
  const readBy = async (from: ReturnType<typeof pool>, request: SlotRequest) =>
    (await from.read<Document>(request, () => csv)).parts[0]?.text;
  const read = (from: ReturnType<typeof pool>) => readBy(from, { organization: 'a' });

  it('reads ten files one after the other in one thread', async () => {
    const one = pool({});
    for (let n = 0; n < 10; n++) await read(one);
    expect(one.begun()).toBe(1);
  });

  it('begins a new thread after so many files', async () => {
    const one = pool({ readsPerThread: 3 });
    for (let n = 0; n < 7; n++) await read(one);
    expect(one.begun()).toBe(3);
  });

  it('never has more threads at work than it may', async () => {
    const three = pool({});
    const alone = await Promise.all(Array.from({ length: 9 }, () => read(three)));
    expect(new Set(alone).size).toBe(2);
    expect(three.begun()).toBe(2);
    // Beside another organization a document may be read in any of the three.
    const own = Array.from({ length: 9 }, () => read(three));
    const others = Array.from({ length: 9 }, () => readBy(three, { organization: 'b' }));
    expect(new Set(await Promise.all([...own, ...others])).size).toBeLessThanOrEqual(3);
    expect(three.begun()).toBe(3);
  });

  it('reads for one organization at once, however many documents of another one wait or never end', async () => {
    const file = acting(`if (asked.name === 'slow') for (;;); ${answer('"read"')}`);
    const one = pool({ file });
    const control = new AbortController();
    const slow = { ...csv, name: 'slow' };
    const stuck = Array.from({ length: 20 }, () =>
      one.read({ organization: 'a', signal: control.signal }, () => slow).catch(() => 'aborted'),
    );
    expect(await readBy(one, { organization: 'b' })).toBe('read');
    control.abort();
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['aborted']));
    expect(await read(one)).toBe('read');
    expect(one.begun()).toBeLessThanOrEqual(4);
  });

  it('loads what it reads when a thread is free, and not while it waits', async () => {
    const one = pool({ slots: semaphore({ capacity: 1 }) });
    const first = Promise.withResolvers<typeof csv>();
    const loaded: string[] = [];
    const load = (name: string) => async () => {
      loaded.push(name);
      return csv;
    };
    const reading = one.read({ organization: 'a' }, () => first.promise);
    const waiting = one.read({ organization: 'b' }, load('b'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(loaded).toEqual([]);
    first.resolve(csv);
    await Promise.all([reading, waiting]);
    expect(loaded).toEqual(['b']);
  });

  it('begins a new thread after one that failed', async () => {
    const failing = pool({ slots: semaphore({ capacity: 1 }), file: acting('throw new Error("no");') });
    await expect(read(failing)).rejects.toThrow();
    await expect(read(failing)).rejects.toThrow();
    expect(failing.begun()).toBe(2);
  });

  it('ends an idle thread', async () => {
    const one = pool({ idleMs: 1, largeIdleMs: 1 });
    const first = await read(one);
    await expect.poll(async () => (await read(one)) !== first).toBe(true);
  });

  it('ends a thread sooner that a document left large', async () => {
    const busy = 'for (const end = Date.now() + 300; Date.now() < end; );';
    const threadOfSize = (megabytes: number) =>
      acting(`globalThis.kept = Buffer.alloc(${megabytes}e6, 1); ${busy} ${answer('"read"')}`);
    const large = pool({ file: threadOfSize(100), largeIdleMs: 20 });
    const small = pool({ file: threadOfSize(20), largeIdleMs: 20 });
    await Promise.all([read(large), read(small)]);
    await expect
      .poll(async () => (await read(large)) && large.begun(), { interval: 100, timeout: 20_000 })
      .toBeGreaterThan(1);
    await read(small);
    expect(small.begun()).toBe(1);
  });
});

describe('a brief text', () => {
  it('is read without any thread', async () => {
    const documents = openReader({ workerFile: join(folder.path, 'missing.cjs') });
    for (const file of ['route_planner.editor.py', 'orders.editor.json', 'employment-contract.utf16.txt']) {
      expect(await documents.read({ bytes: sample(file).bytes(), name: file })).toMatchObject({ kind: 'text' });
    }
  });
});
