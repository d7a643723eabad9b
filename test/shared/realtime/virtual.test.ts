/** Long runs in virtual time: connections that come and go for hours, a subscriber that is disconnected repeatedly. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectionSlots } from '../../../shared/realtime/connection-slots.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { repetitions } from '../../support/repetitions.ts';
import type { Message } from './client.ts';
import { openSockets, type SocketSetup } from './setup.ts';
import { type VirtualConnection, virtualSockets } from './virtual.ts';

let at: SocketSetup;
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
  const { open, say, end, lines } = virtualSockets(at);
  const user = await at.user();
  const openLines: VirtualConnection[] = [];
  let peak = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    at.clock.pass(7 * SECOND_MS);
    // At the limit, the next connection is refused; one that closes frees its slot.
    while (openLines.length < 5) {
      const line = open();
      await say(line, { type: 'authenticate', token: await at.token(undefined, user) });
      expect(line.heard, `turn ${turn}`).toEqual([{ type: 'authenticated' }]);
      openLines.push(line);
    }
    const late = open();
    await say(late, { type: 'authenticate', token: await at.token(undefined, user) });
    expect(late.heard, `turn ${turn}`).toMatchObject([{ type: 'error', code: 'RATE_LIMIT_EXCEEDED' }]);
    const places = await connectionSlots.read(at, at.organization);
    peak = Math.max(peak, places.length);
    expect(places.every(({ connection }) => lines.has(connection))).toBe(true);
    const [gone] = openLines.splice((turn * 3) % 5, 1);
    if (gone) await end(gone, { isSilent: turn % 5 === 0 });
  }
  expect(peak).toBe(5);
}, 120_000);

it('frees the slot of a peer that turns out to be gone when a message is sent', async () => {
  const { open, say, end, news } = virtualSockets(at);
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
function subscriber(channel: ReturnType<typeof virtualSockets>) {
  const { open, say, lines } = channel;
  const messagesByTask = new Map<string, Message[]>();
  let line: VirtualConnection | undefined;
  let lastAt = new Date(at.clock.now()).toISOString();
  let disorder = 0;

  function take(message: Message): void {
    const messages = messagesByTask.get(message.task_id) ?? [];
    messagesByTask.set(message.task_id, messages);
    if (messages.some(({ seq }) => seq === message.seq)) return;
    if (messages.some(({ seq }) => seq > message.seq)) disorder++;
    messages.push(message);
  }

  function read(): void {
    for (const message of line?.heard.splice(0) ?? []) {
      if (message.timestamp > lastAt) lastAt = message.timestamp;
      if (message.task_id) take(message);
    }
  }

  return {
    told: messagesByTask,
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
  const channel = virtualSockets(at);
  const watching = subscriber(channel);
  const addresses: TaskAddress[] = [];
  await watching.reconnect();
  let reconnecting = Promise.resolve();

  const move = (address: TaskAddress, event: Parameters<typeof moveTask>[2]) => moveTask(channel.ports, address, event);

  async function begin(address: TaskAddress, index: number): Promise<void> {
    await move(address, { type: 'claim' });
    if (index % 3 > 0) await move(address, { type: 'beat', attempt: 1, progress: 40, checkpoint: 1 });
  }

  async function end(address: TaskAddress, index: number): Promise<void> {
    if (index % 3 > 1) await move(address, { type: 'beat', attempt: 1, progress: 70, checkpoint: 2 });
    if (index % 7 === 0) await move(address, { type: 'finish', attempt: 1, as: 'failed', code: 'PROCESSING_FAILED' });
    else await move(address, { type: 'finish', attempt: 1, as: 'succeeded' });
  }

  for (let round = 0; round < ROUNDS; round++) {
    at.clock.pass(SECOND_MS);
    const running = await Promise.all(Array.from({ length: TASKS_A_ROUND }, () => at.submit()));
    const waiting = running.splice(10);
    addresses.push(...running, ...waiting);
    if (round % 10 === 4) watching.break(); // from now on messages are lost without notice
    await Promise.all([...waiting, ...running].map(begin));
    await Promise.all(waiting.map(end));
    // Tasks whose start was lost end during the replay.
    if (round % 10 === 8) {
      reconnecting = watching.reconnect();
      await watching.isSubscribed();
    }
    await Promise.all(running.map(end));
    await reconnecting;
    if (round % 5 === 0) watching.read();
  }
  await channel.news.settled();
  watching.read();

  const missing = addresses.filter(({ taskId }) => {
    const types = watching.told.get(`task_${taskId}`)?.map(({ type }) => type) ?? [];
    return (
      types[0] !== 'task_started' || types.at(-2) !== 'task_progress' || !/completed|failed/.test(types.at(-1) ?? '')
    );
  });
  expect(addresses).toHaveLength(ROUNDS * TASKS_A_ROUND);
  expect([missing.length, watching.disorder()]).toEqual([0, 0]);
}, 300_000);
