/** Floods the WebSocket API from one process while another one measures the latency of `GET /health`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundMs } from '../../support/machine-speed.ts';
import type { Attacked } from './attack-target.ts';
import type { Flood, Flooded } from './flood-sender.ts';
import type { Outcome, Part } from './part.ts';

const MAX_P99_MS = 100;
const FLOOD_MS = 6_000;
const EVERY_MS = 10;

type Way = Omit<Flood, 'url'> & { name: string };

/** 500 pings every 5 ms on one connection once blocked the WebSocket API. */
const HARD = { everyMs: 5, atOnce: 500 };
const WAYS: Way[] = [
  { name: 'pings on one connection', kind: 'pings', connections: 1, reconnects: false, ...HARD },
  { name: 'pings, reconnecting', kind: 'pings', connections: 8, reconnects: true, ...HARD },
  { name: 'protocol pings', kind: 'protocol pings', connections: 8, reconnects: true, ...HARD },
  { name: 'binary frames', kind: 'binary frames', connections: 8, reconnects: true, ...HARD },
  { name: 'frames of 128 KB', kind: 'frames of 128 KB', connections: 4, reconnects: true, everyMs: 20, atOnce: 2 },
  { name: 'frames of 1 MB', kind: 'frames of 1 MB', connections: 4, reconnects: true, everyMs: 20, atOnce: 1 },
  { name: 'endless fragments', kind: 'fragments that never end', connections: 8, reconnects: true, ...HARD },
  { name: '400 within the budget', kind: 'pings', connections: 400, reconnects: true, everyMs: 250, atOnce: 1 },
];

const SENDER = join(import.meta.dirname, 'flood-sender.ts');

/** Uses a new connection, as a load balancer does. */
function healthMs(root: string): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(`${root}/health`, { agent: false }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve(performance.now() - from) : reject(answer)));
    });
    asked.on('error', reject).end();
  });
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

/** Requests at a steady rate, without waiting for earlier responses. */
async function measure(root: string, ms: number): Promise<number[]> {
  const asked: Promise<number>[] = [];
  for (const end = performance.now() + ms; performance.now() < end; await sleep(EVERY_MS)) asked.push(healthMs(root));
  return Promise.all(asked);
}

async function flooded(on: Attacked, { name, ...way }: Way, ms: number): Promise<Outcome> {
  const sender = fork(SENDER, { execArgv: [] });
  const url = `${on.product().local.agents.wsUrl}/ws/tasks`;
  sender.send({ ...way, url } satisfies Flood);
  const times = await measure(on.roots().files, ms);
  const said = once(sender, 'message');
  sender.send('end');
  const [{ sent, opened, closes }] = (await said) as [Flooded];
  const slow = p99(times);
  const broken =
    slow > boundMs(MAX_P99_MS) ? [`health took ${slow.toFixed(1)} ms at p99 (${JSON.stringify(closes)})`] : [];
  if (way.atOnce > 1 && Object.keys(closes).length === 0) broken.push('no connection was closed');
  return { what: `${name}: ${sent} sent on ${opened}, health p99 ${slow.toFixed(1)} ms`, tried: times.length, broken };
}

const SLOW_SOCKETS = 300;
const MAX_HEADERS_MS = 15_000;

/** Headers that arrive at one line per second and never end. */
async function slowHeaders(on: Attacked): Promise<Outcome> {
  const { hostname, port } = new URL(on.roots().files);
  const open = new Set<Socket>();
  for (let at = 0; at < SLOW_SOCKETS; at++) {
    const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n'));
    open.add(socket.resume());
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  }
  const from = performance.now();
  while (open.size > 0 && performance.now() - from < MAX_HEADERS_MS) {
    await sleep(1_000);
    for (const socket of open) socket.write('x-a: b\r\n');
  }
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  const broken = open.size > 0 ? [`${open.size} connections are open after ${seconds} s`] : [];
  for (const socket of open) socket.destroy();
  return { what: `slow headers: all closed after ${seconds} s`, tried: SLOW_SOCKETS, broken };
}

export const flood: Part = {
  name: 'flood',
  promise: 'WebSocket floods and endless headers do not delay others',
  isLong: true,
  async run({ on, size }) {
    const idle = p99(await measure(on.roots().files, FLOOD_MS / 2));
    const outcomes: Outcome[] = [{ what: `nothing: health p99 ${idle.toFixed(1)} ms`, tried: 0, broken: [] }];
    for (const way of WAYS) outcomes.push(await flooded(on, way, FLOOD_MS * Math.min(size, 5)));
    return [...outcomes, await slowHeaders(on)];
  },
};
