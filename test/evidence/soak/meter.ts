/** Latency of calls by kind over the time of a load, and the memory of a process. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Point } from './flatness.ts';

const MEGABYTE_KB = 1_024;
const ONE_TASK = /^\/tasks\/[^/]+$/;

export function residentMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / MEGABYTE_KB;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / MEGABYTE_KB;
}

export type Meter = ReturnType<typeof meter>;

/** `bare` calls a bare server beside the product, which shows the speed of the machine. */
export type Kind = 'submit' | 'read' | 'page' | 'other' | 'bare';

/** All times are milliseconds since the meter was created. */
export function meter() {
  const begunAt = performance.now();
  const calls: Record<Kind, Point[]> = { submit: [], read: [], page: [], other: [], bare: [] };
  let isOver = false;

  /** A `fetch` that measures each call, including the answer's body. */
  const timed: typeof fetch = async (input, init) => {
    const from = performance.now();
    const response = await fetch(input, init);
    const body = await response.arrayBuffer();
    const value = performance.now() - from;
    if (!isOver) calls[kindOf(String(input), init?.method ?? 'GET')].push({ at: from - begunAt, value });
    const { status, headers } = response;
    return new Response(status === 204 ? null : body, { status, headers });
  };

  return {
    since: (): number => performance.now() - begunAt,
    timed,
    /** Later calls do not count. */
    end(): void {
      isOver = true;
    },
    calls: calls as Readonly<Record<Kind, readonly Point[]>>,
    count: (): number => Object.values(calls).reduce((sum, points) => sum + points.length, 0) - calls.bare.length,
  };
}

function kindOf(address: string, method: string): Kind {
  const path = new URL(address).pathname.replace('/api/v1', '');
  if (path === '/bare') return 'bare';
  if (path === '/tasks') return method === 'POST' ? 'submit' : 'page';
  return method === 'GET' && ONE_TASK.test(path) ? 'read' : 'other';
}
