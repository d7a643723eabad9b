/** A caller that checks every answer: it arrives in time, it accepts or says what to do, and it shows no internals. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** The timeout of API Gateway. */
const MAX_ANSWER_MS = 30_500;
const INSIDE = /sqlite|errno|enospc|erofs|econn|dynamo|\.ts\b|\/tmp\/|node:|stack|127\.0\.0\.1:\d+\/[^w]/i;
const AT_ONCE = 8;
/** Answers that may postpone a valid request. */
const PUT_OFF = 503;

export type Answer = { status: number; body: Record<string, unknown> };

/** A call that must be answered in time and with a message. */
export async function carefully(address: string, init: RequestInit, wanted: readonly number[]): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(MAX_ANSWER_MS) });
  const text = await response.text();
  expect(performance.now() - begun).toBeLessThan(MAX_ANSWER_MS);
  expect([...wanted, PUT_OFF], `${init.method ?? 'GET'} ${address}: ${text}`).toContain(response.status);
  if (response.status === PUT_OFF) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(text).toMatch(/again/);
    expect(text).not.toMatch(INSIDE);
  }
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

/** `endpoint` is the URL of its webhooks. */
type Place = { baseUrl: () => string; apiKey: string; endpoint?: string };

const NOBODY = 'http://127.0.0.1:9/results';

export function carefulCaller({ baseUrl, apiKey, endpoint = NOBODY }: Place) {
  const accepted = new Set<string>();
  const counts = { put: 0, off: 0 };
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const ask = (path: string, json?: object) =>
    carefully(
      baseUrl() + path,
      json ? { method: 'POST', headers, body: JSON.stringify(json) } : { headers },
      [200, 201],
    );

  async function submit(characters: number): Promise<boolean> {
    const prompt = 'When is the invoice due?'.padEnd(characters, ' The invoice is due in May.');
    const delivery = { type: 'webhook', config: { endpoint } };
    const { status, body } = await ask('/tasks', { namespace: 'p', delivery, input: { type: 'chat', prompt } });
    counts[status === PUT_OFF ? 'off' : 'put']++;
    if (status === PUT_OFF) return false;
    accepted.add(String(body.taskId));
    return true;
  }

  return {
    accepted: accepted as ReadonlySet<string>,
    counts,
    ask,
    submit,
    /** Submits tasks, some concurrently, until the test stops it. */
    async bring(goesOn: () => boolean, characters = 100, atOnce = AT_ONCE): Promise<void> {
      const line = async () => {
        while (goesOn()) if (!(await submit(characters))) await sleep(20);
      };
      await Promise.all(Array.from({ length: atOnce }, line));
    },
    /** Every accepted task succeeds without manual repair. */
    async allSucceed(timeout: number): Promise<void> {
      const left = new Set(accepted);
      const look = async (): Promise<number> => {
        for (const taskId of left) {
          const { status, body } = await ask(`/tasks/${taskId}`);
          if (status !== 200 || body.completedAt === undefined) return left.size;
          expect(body.status, taskId).toBe('success');
          left.delete(taskId);
        }
        return left.size;
      };
      await expect.poll(look, { timeout, interval: 500 }).toBe(0);
    },
  };
}
