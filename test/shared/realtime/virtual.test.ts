/** Long runs in virtual time: connections that come and go for hours, a subscriber that is disconnected repeatedly. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectionSlots } from '../../../shared/realtime/connections.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { repetitions } from '../../support/repetitions.ts';
import type { Message } from './client.ts';
import { type Opened, openSockets } from './setup.ts';
import { type Line, virtual } from './virtual.ts';

let at: Opened;
beforeEach(async () => {
  at = await openSockets();
});
afterEach(() => at.close());

const SECOND_MS = 1_000;
/** Connections that come and go. */
const TURNS = repetitions({ few: 200, many: 1_000 });
/** One disconnect in each ten. */
const ROUNDS = repetitions({ few: 100, many: 500 });
const TASKS_A_ROUND = 20;

it(`loses no slot over ${TURNS} connections, every fifth dropped without a close, and never has more than five`, async () => {
  const { open, say, end, lines } = virtual(at);
  const user = await at.user();
  const inside: Line[] = [];
  let most = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    at.clock.pass(7 * SECOND_MS);
    // At the limit, the next connection is refused; one that closes frees its slot.
    while (inside.length < 5) {
      const line = open();
      await say(line, { type: 'authenticate', token: await at.token(undefined, user) });
      expect(line.heard, `turn ${turn}`).toEqual([{ type: 'authenticated' }]);
      inside.push(line);
    }
    const late = open();
    await say(late, { type: 'authenticate', token: await at.token(undefined, user) });
    expect(late.heard, `turn ${turn}`).toMatchObject([{ type: 'error', code: 'RATE_LIMIT_EXCEEDED' }]);
    const places = await connectionSlots.read(at, at.organization);
    most = Math.max(most, places.length);
    expect(places.every(({ connection }) => lines.has(connection))).toBe(true);
    const [gone] = inside.splice((turn * 3) % 5, 1);
    if (gone) await end(gone, { isSilent: turn % 5 === 0 });
  }
  expect(most).toBe(5);
}, 120_000);

it('frees the slot of a peer that turns out to be gone when a message is sent', async () => {
  const { open, say, end, news } = virtual(at);
  const line = open();
  await say(line, { type: 'authenticate', token: await at.token() });
  await say(line, { type: 'subscribe', channels: ['system_notifications'] });
  await end(line, { isSilent: true });
  expect(await connectionSlots.read(at, at.organization)).toHaveLength(1);
  news.notify(at.organization, { level: 'info', message: 'Anybody there?' });
  await news.settled();
  expect(await connectionSlots.read(at, at.organization)).toEqual([]);
});

/** Behaves as the specification and the guide ask of a client: it drops duplicates, and resumes where it was. */
function subscriber(channel: ReturnType<typeof virtual>) {
  const { open, say, lines } = channel;
  const told = new Map<string, Message[]>();
  let line: Line | undefined;
  let lastAt = new Date(at.clock.now()).toISOString();
  let disorder = 0;

  function take(message: Message): void {
    const own = told.get(message.task_id) ?? [];
    told.set(message.task_id, own);
    if (own.some(({ seq }) => seq === message.seq)) return;
    if (own.some(({ seq }) => seq > message.seq)) disorder++;
    own.push(message);
  }

  function read(): void {
    for (const message of line?.heard.splice(0) ?? []) {
      if (message.timestamp > lastAt) lastAt = message.timestamp;
      if (message.task_id) take(message);
    }
  }

  return {
    told,
    read,
    disorder: () => disorder,
    break: () => {
      if (line) line.isBreaking = true;
    },
    /** The replay of missed updates starts. */
    async isSubscribed(): Promise<void> {
      while (!line?.heard.some(({ type }) => type === 'subscribed')) await setImmediate();
    },
    async reconnect(): Promise<void> {
      if (line) lines.delete(line.id);
      read();
      line = open();
      await say(line, { type: 'authenticate', token: await at.token() });
      // The clock of the last sender ran ahead.
      const since = new Date(Date.parse(lastAt) + 5 * SECOND_MS).toISOString();
      await say(line, { type: 'subscribe', channels: ['task_updates'], resume_from: { since } });
    },
  };
}

it(`sends every start, last progress and end of ${ROUNDS * TASKS_A_ROUND} tasks over ${ROUNDS / 10} disconnects, each task in order`, async () => {
  const channel = virtual(at);
  const watching = subscriber(channel);
  const all: TaskAddress[] = [];
  await watching.reconnect();
  let reconnecting = Promise.resolve();

  const move = (address: TaskAddress, event: Parameters<typeof moveTask>[2]) => moveTask(channel.ports, address, event);

  async function begin(address: TaskAddress, each: number): Promise<void> {
    await move(address, { type: 'claim' });
    if (each % 3 > 0) await move(address, { type: 'beat', attempt: 1, progress: 40, checkpoint: 1 });
  }

  async function end(address: TaskAddress, each: number): Promise<void> {
    if (each % 3 > 1) await move(address, { type: 'beat', attempt: 1, progress: 70, checkpoint: 2 });
    if (each % 7 === 0) await move(address, { type: 'finish', attempt: 1, as: 'failed', code: 'PROCESSING_FAILED' });
    else await move(address, { type: 'finish', attempt: 1, as: 'succeeded' });
  }

  for (let round = 0; round < ROUNDS; round++) {
    at.clock.pass(SECOND_MS);
    const some = await Promise.all(Array.from({ length: TASKS_A_ROUND }, () => at.submit()));
    const before = some.splice(10);
    all.push(...some, ...before);
    if (round % 10 === 4) watching.break(); // from now on messages are lost without notice
    await Promise.all([...before, ...some].map(begin));
    await Promise.all(before.map(end));
    // Tasks whose start was lost end during the replay.
    if (round % 10 === 8) {
      reconnecting = watching.reconnect();
      await watching.isSubscribed();
    }
    await Promise.all(some.map(end));
    await reconnecting;
    if (round % 5 === 0) watching.read();
  }
  await channel.news.settled();
  watching.read();

  const lacking = all.filter(({ taskId }) => {
    const types = watching.told.get(`task_${taskId}`)?.map(({ type }) => type) ?? [];
    return (
      types[0] !== 'task_started' || types.at(-2) !== 'task_progress' || !/completed|failed/.test(types.at(-1) ?? '')
    );
  });
  expect(all).toHaveLength(ROUNDS * TASKS_A_ROUND);
  expect([lacking.length, watching.disorder()]).toEqual([0, 0]);
}, 300_000);
