/** Instances of a function in real processes, and the timeout of the HTTP API in front of them. */
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openFront } from './gateway/front.ts';
import { instance } from './lambda/instance.ts';
import type { Request } from './recorder/recording.ts';

const folder = temporaryFolder();
const stops: (() => unknown)[] = [];
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  folder.remove();
});

let made = 0;

function running(code: string, o: { timeoutSeconds?: number; environment?: Record<string, string> } = {}) {
  const root = join(folder.path, String(made++));
  mkdirSync(root);
  writeFileSync(join(root, 'index.js'), code);
  const started = instance({
    timeoutSeconds: o.timeoutSeconds ?? 10,
    memoryMegabytes: 128,
    log: openSync(join(root, 'log'), 'w'),
    environment: { ...o.environment, LAMBDA_TASK_ROOT: root, _HANDLER: 'index.handler' },
  });
  stops.push(started.stop);
  return started;
}

describe('an instance', () => {
  it('passes the event to the handler, returns the result, and stays alive between events', async () => {
    const { invoke } = running('let n = 0; exports.handler = async ({ add }) => ({ n: (n += add) });');
    expect(await invoke({ add: 2 })).toEqual({ result: { n: 2 } });
    expect(await invoke({ add: 3 })).toEqual({ result: { n: 5 } });
  });

  it('has its own environment and none of the test process', async () => {
    const { invoke } = running('exports.handler = async () => process.env;', { environment: { GIVEN: 'x' } });
    const { result } = (await invoke({})) as { result: object };
    expect(Object.keys(result).sort()).toEqual(['GIVEN', 'LAMBDA_TASK_ROOT', '_HANDLER']);
  });

  it('reports the remaining time', async () => {
    const { invoke } = running('exports.handler = async (_, context) => context.getRemainingTimeInMillis();');
    const { result } = (await invoke({})) as { result: number };
    expect(result).toBeGreaterThan(5_000);
    expect(result).toBeLessThanOrEqual(10_000);
  });

  it('reports what the handler threw', async () => {
    const { invoke } = running('exports.handler = async () => { throw new TypeError("no"); };');
    expect(await invoke({})).toEqual({ error: 'TypeError: no' });
  });

  it('is killed at its timeout, even in an endless loop, and restarted', async () => {
    const code = 'let n = 0; exports.handler = async ({ hang }) => { while (hang); return ++n; };';
    const { invoke } = running(code, { timeoutSeconds: 1 });
    expect(await invoke({})).toEqual({ result: 1 });
    expect(await invoke({ hang: true })).toEqual({ error: 'Task timed out after 1.00 seconds' });
    expect(await invoke({})).toEqual({ result: 1 });
  });

  it('that exits by itself fails its event and is restarted', async () => {
    const { invoke } = running('exports.handler = async ({ exit }) => { if (exit) process.exit(3); return 1; };');
    expect(await invoke({ exit: true })).toEqual({ error: 'Runtime exited: 3' });
    expect(await invoke({})).toEqual({ result: 1 });
  });

  it('that cannot load its code fails every event', async () => {
    const { invoke } = running('throw new Error("broken");');
    expect(await invoke({})).toEqual({ error: 'Runtime exited: 1' });
    expect(await invoke({})).toEqual({ error: 'Runtime exited: 1' });
  });
});

describe('an HTTP API', () => {
  it('answers 503 when the function is too slow and 500 when it fails', async () => {
    const requests: Request[] = [];
    const invoke = async (event: unknown) => {
      const { rawPath } = event as { rawPath: string };
      return rawPath === '/slow' ? new Promise<never>(() => {}) : { error: 'broken' };
    };
    const { url, stop } = await openFront({
      api: 'Api',
      routes: [{ key: '$default', functionId: 'F' }],
      functions: new Map([['F', { name: 'f', invoke }]]),
      answered: (request) => requests.push(request),
      patienceMs: 50,
    });
    stops.push(stop);
    const outcome = async (path: string) => {
      const reply = await fetch(url + path);
      return [reply.status, await reply.json()];
    };
    expect(await outcome('/slow')).toEqual([503, { message: 'Service Unavailable' }]);
    expect(await outcome('/')).toEqual([500, { message: 'Internal Server Error' }]);
    expect(requests.map(({ function: name, route, status }) => [name, route, status])).toEqual([
      ['f', '$default', 503],
      ['f', '$default', 500],
    ]);
  });
});
