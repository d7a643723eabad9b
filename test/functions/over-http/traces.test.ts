/** A caller's trace (W3C Trace Context), from the request to each API to the receiver of the webhook. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { call, target } from './call.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PART = '00f067aa0ba902b7';
const PARENT = `00-${ID}-${PART}-01`;
const SOON = { timeout: 25_000, interval: 100 };

vi.setConfig({ testTimeout: 30_000 });

type Arrived = { path: string; headers: Record<string, string | undefined> };

const FACES = {
  async files(endpoint: string, headers: Record<string, string>): Promise<number> {
    const delivery = { type: 'webhook', config: { endpoint } };
    const json = { namespace: 'traces', delivery, input: { type: 'chat', prompt: 'Which trace is this?' } };
    return (await call('files', '/tasks', { as: 'tasks', json, headers })).status;
  },
  async agents(endpoint: string, headers: Record<string, string>): Promise<number> {
    const input = { query: 'Which trace is this?', sources: ['market_data'] };
    const json = { task_type: 'research_agent', input, webhook_url: endpoint };
    return (await call('agents', '/api/v1/tasks', { as: 'agents', json, headers })).status;
  },
};

/** Submits a task with these headers and returns the headers of its webhook. */
async function webhookOf(api: keyof typeof FACES, headers: Record<string, string>): Promise<Arrived['headers']> {
  const path = `/${randomUUID()}`;
  expect([201, 202]).toContain(await FACES[api](target.receiver.origin + path, headers));
  return vi.waitFor(async () => {
    const arrived = (await (await fetch(target.receiver.arrivedUrl)).json()) as Arrived[];
    const arrival = arrived.find((candidate) => candidate.path === path);
    if (!arrival) throw new Error('not yet');
    return arrival.headers;
  }, SOON);
}

describe.each(['files', 'agents'] as const)('a trace that a caller sends to %s', (api) => {
  it('is continued in the webhook as a span of its own', async () => {
    const webhookHeaders = await webhookOf(api, {
      traceparent: PARENT,
      tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    });
    expect(webhookHeaders.traceparent).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
    expect(webhookHeaders.traceparent).not.toContain(PART);
    expect(webhookHeaders.tracestate).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
  });

  it.each([
    ['absent', {}],
    ['malformed', { traceparent: `00-${ID}-${PART}`, tracestate: 'a=b' }],
    ['of a forbidden version', { traceparent: `ff-${ID}-${PART}-01`, tracestate: 'a=b' }],
    ['too long', { traceparent: `01-${ID}-${PART}-01-${'x'.repeat(2_000)}`, tracestate: 'a=b' }],
  ])('that is %s is dropped, and the task is accepted all the same', async (_what, headers) => {
    const { traceparent, tracestate } = await webhookOf(api, headers);
    expect([traceparent, tracestate]).toEqual([undefined, undefined]);
  });

  it.each([
    ['too long', `a=${'x'.repeat(600)}`],
    ['of too many members', Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(',')],
    ['malformed', 'no member'],
  ])('is continued without a trace state that is %s', async (_what, tracestate) => {
    const webhookHeaders = await webhookOf(api, { traceparent: PARENT, tracestate });
    expect(webhookHeaders.traceparent).toContain(ID);
    expect(webhookHeaders.tracestate).toBeUndefined();
  });
});
