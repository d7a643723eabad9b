/** Updates of tasks: live, after a reconnect, and for a slow reader. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionSlots } from '../../../shared/realtime/connection-slots.ts';
import { type SocketSetup, THREE_STAGES } from './setup.ts';
import { withClients } from './with-clients.ts';

const { at: opened, authenticated, listening } = withClients();
let at: SocketSetup;
beforeEach(() => {
  at = opened();
});

describe('tasks', () => {
  it('sends the start, the progress and the end of a task, in order, with its metadata', async () => {
    const client = await listening();
    const address = await at.submit({ metadata: { order: '7' } });
    await at.run(address);
    await client.first(({ type }) => type === 'task_completed');
    const updates = client.messages.filter(({ type }) => type.startsWith('task_'));
    const common = {
      task_id: `task_${address.taskId}`,
      metadata: { order: '7' },
      timestamp: '2026-06-01T12:00:00.000Z',
    };
    expect(updates.map(({ seq: _seq, ...message }) => message)).toEqual([
      { type: 'task_started', ...common },
      { type: 'task_progress', progress: 33, ...common },
      { type: 'task_progress', progress: 100, ...common },
      { type: 'task_completed', ...common },
    ]);
    const seqs = updates.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('sends why a task failed', async () => {
    const client = await listening();
    const address = await at.submit();
    const fails = async () => {
      throw new (await import('../../../shared/tasks/task-failure.ts')).TaskFailure(
        'MODEL_UNAVAILABLE',
        'No model answers.',
      );
    };
    await at.run(address, [...THREE_STAGES.slice(0, 1), { name: 'two', run: fails }]);
    const failed = await client.first(({ type }) => type === 'task_failed');
    expect(failed.error).toEqual({ code: 'MODEL_UNAVAILABLE', message: 'No model answers.' });
    expect(client.messages.filter(({ type }) => type === 'task_progress').length).toBeGreaterThan(0);
  });

  it.each([
    ['fails', { type: 'finish', as: 'failed', code: 'PROCESSING_FAILED', attempt: 1 }],
    ['is cancelled', { type: 'cancel', force: true }],
  ] as const)('does not repeat the last progress of a task that %s', async (_, end) => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../../shared/tasks/transition.ts');
    await moveTask(at.ports, address, { type: 'claim' });
    for (const progress of [50, 50, 50]) {
      await moveTask(at.ports, address, { type: 'beat', attempt: 1, progress });
      at.clock.pass(2_000);
    }
    await moveTask(at.ports, address, end);
    await client.first(({ type }) => type === 'task_failed');
    const updates = client.messages.filter(({ type }) => type.startsWith('task_'));
    expect(updates.map(({ type, progress }) => [type, progress])).toEqual([
      ['task_started', undefined],
      ['task_progress', 50],
      ['task_failed', undefined],
    ]);
  });

  it('sends the tokens so far with the progress, and each figure once', async () => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../../shared/tasks/transition.ts');
    await moveTask(at.ports, address, { type: 'claim' });
    for (const tokens of [undefined, 700, 700, 900]) {
      await moveTask(at.ports, address, { type: 'beat', attempt: 1, progress: 50, tokens });
      at.clock.pass(2_000);
    }
    await moveTask(at.ports, address, { type: 'cancel', force: true });
    await client.first(({ type }) => type === 'task_failed');
    const updates = client.messages.filter(({ type }) => type === 'task_progress');
    expect(updates.map(({ progress, tokens }) => [progress, tokens])).toEqual([
      [50, undefined],
      [50, 700],
      [50, 900],
    ]);
  });

  it('sends what a task waits for, however soon after its last progress, and once that it does no more', async () => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../../shared/tasks/transition.ts');
    const wait = { type: 'wait', until: at.clock.now() + 30_000, waitsFor: 'openai/m: 503' } as const;
    await moveTask(at.ports, address, { type: 'claim' });
    await moveTask(at.ports, address, { type: 'beat', attempt: 1, progress: 50 });
    await moveTask(at.ports, address, { ...wait, attempt: 1 });
    at.clock.pass(30_000);
    await moveTask(at.ports, address, { type: 'claim' });
    for (let beats = 0; beats < 2; beats++) {
      await moveTask(at.ports, address, { type: 'beat', attempt: 2, progress: 50 });
      at.clock.pass(2_000);
    }
    await moveTask(at.ports, address, { type: 'cancel', force: true });
    await client.first(({ type }) => type === 'task_failed');
    const updates = client.messages.filter(({ type }) => type === 'task_progress');
    expect(updates.map(({ progress, waiting_for }) => [progress, waiting_for])).toEqual([
      [50, undefined],
      [50, 'waiting for openai/m: 503, next try at 2026-06-01T12:00:30.000Z'],
      [50, undefined],
    ]);
  });

  it('sends the last progress even if it follows another one within a second', async () => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../../shared/tasks/transition.ts');
    await moveTask(at.ports, address, { type: 'claim' });
    for (const progress of [50, 60]) await moveTask(at.ports, address, { type: 'beat', attempt: 1, progress });
    await moveTask(at.ports, address, { type: 'cancel', force: true });
    await client.first(({ type }) => type === 'task_failed');
    expect(client.messages.flatMap(({ progress }) => progress ?? [])).toEqual([50, 60]);
  });

  it('reports a cancelled task as failed', async () => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../../shared/tasks/transition.ts');
    await moveTask(at.ports, address, { type: 'cancel', force: false });
    const failed = await client.first(({ type }) => type === 'task_failed');
    expect(failed.error).toEqual({ code: 'TASK_CANCELLED', message: 'The task was cancelled.' });
    expect(client.messages.some(({ type }) => type === 'task_started')).toBe(false);
  });

  it('sends nothing to another organization, nor to connections of other channels', async () => {
    const otherClient = await listening({}, at.ids.uuid());
    const deaf = await authenticated();
    deaf.send({ type: 'subscribe', channels: ['system_notifications'] });
    await deaf.first(({ type }) => type === 'subscribed');
    const client = await listening();
    await at.run(await at.submit());
    await client.first(({ type }) => type === 'task_completed');
    at.notify(at.organization, { level: 'info', message: 'Hear' });
    expect(await deaf.first(({ type }) => type === 'system_notification')).toMatchObject({ message: 'Hear' });
    for (const { messages } of [otherClient, deaf]) {
      expect(messages.filter(({ type }) => type.startsWith('task_'))).toEqual([]);
    }
  });

  it('sends no message over 32 KB, whatever the metadata', async () => {
    const client = await listening();
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, '\u0001'.repeat(512)]));
    await at.run(await at.submit({ metadata }));
    const completed = await client.first(({ type }) => type === 'task_completed');
    expect(completed).toMatchObject({ metadata: {}, metadata_omitted: true });
  });
});

describe('resuming', () => {
  it('repeats the events since then, each task in order, and then reports the end of the replay', async () => {
    const before = await at.submit();
    await at.run(before);
    at.clock.pass(60_000);
    const since = new Date(at.clock.now()).toISOString();
    const [ended, begun, waiting] = [
      await at.submit({ metadata: { is: 'ended' } }),
      await at.submit(),
      await at.submit(),
    ];
    await at.run(ended);
    const gate = Promise.withResolvers<void>();
    const running = at.run(begun, [{ name: 'one', run: () => gate.promise.then(() => ({})) }]);
    await vi.waitFor(async () => expect(at.table.dueKeys('TASK').length).toBe(2));
    at.clock.pass(30_000);
    const client = await listening({ resume_from: { since } });
    await client.first(({ type }) => type === 'replay_complete');
    const updates = client.messages.filter(({ type }) => type.startsWith('task_'));
    const of = ({ taskId }: { taskId: string }) =>
      updates.filter(({ task_id }) => task_id === `task_${taskId}`).map(({ type, progress }) => [type, progress]);
    expect(of(ended)).toEqual([
      ['task_started', undefined],
      ['task_progress', 100],
      ['task_completed', undefined],
    ]);
    expect(of(begun)).toEqual([['task_started', undefined]]);
    expect([of(before), of(waiting)]).toEqual([[], []]);
    gate.resolve();
    await running;
    await client.first(({ type, task_id }) => type === 'task_completed' && task_id === `task_${begun.taskId}`);
  });

  it('ends immediately for clients that do not subscribe to tasks, as there is nothing to repeat', async () => {
    const since = new Date(at.clock.now()).toISOString();
    await at.run(await at.submit());
    for (const resume_from of [{ since }, { since: '2026-05-31T11:59:59.000Z' }]) {
      const client = await listening({ channels: ['system_notifications'], resume_from });
      expect(await client.first(({ type }) => type === 'replay_complete')).toEqual({
        type: 'replay_complete',
        timestamp: since,
      });
      expect(client.messages.map(({ type }) => type)).toEqual(['authenticated', 'subscribed', 'replay_complete']);
    }
  });

  it('tells the client to poll if the gap is longer than a day', async () => {
    const client = await listening({ resume_from: { since: '2026-05-31T11:59:59.000Z' } });
    expect(await client.first(({ type }) => type === 'resync_required')).toBeDefined();
    expect(client.messages.some(({ type }) => type === 'replay_complete')).toBe(false);
  });
});

describe('slow readers', () => {
  it('never slow down a worker, and have to poll', async () => {
    const { connect } = await import('node:net');
    const { port } = new URL(at.wsUrl);
    const slow = connect(Number(port), '127.0.0.1');
    slow.write(
      'GET /ws/tasks HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const say = (message: object) => {
      const text = Buffer.from(JSON.stringify(message));
      // A masked text frame, the mask all zeros.
      slow.write(Buffer.concat([Buffer.from([0x81, 0xfe, text.length >> 8, text.length & 255, 0, 0, 0, 0]), text]));
    };
    say({ type: 'authenticate', token: await at.token() });
    say({ type: 'subscribe', channels: ['task_updates'], more: 'x'.repeat(100) });
    const quick = await listening();
    await vi.waitFor(async () =>
      expect(
        (await connectionSlots.read(at, at.organization)).filter(({ channels }) => channels.length > 0),
      ).toHaveLength(2),
    );
    slow.pause();
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, 'x'.repeat(512)]));
    for (let tasks = 0; tasks < 400; tasks++) await at.run(await at.submit({ metadata }));
    await quick.first(() => quick.messages.filter(({ type }) => type === 'task_completed').length === 400);
    let heard = '';
    slow.on('data', (data: Buffer) => {
      heard = heard.slice(-20_000) + data.toString('latin1');
    });
    slow.resume();
    await vi.waitFor(() => expect(heard).toContain('resync_required'), { timeout: 10_000 });
    slow.destroy();
  });
});
