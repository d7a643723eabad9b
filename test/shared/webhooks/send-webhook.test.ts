/** One delivery through the sender: its time, its request, and its log. */
import { describe, expect, it } from 'vitest';
import { taskView } from '../../../functions/files-and-tasks/task-view.ts';
import type { Post } from '../../../shared/ports.ts';
import { getTask } from '../../../shared/tasks/get-task.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { redeliver } from '../../../shared/webhooks/deliveries.ts';
import { webhookSignature } from '../../../shared/webhooks/signing.ts';
import { ENDPOINT, OK, recordingPost, status, useWebhooks } from './setup.ts';

const { its, hinted } = useWebhooks();

describe('a task that has ended', () => {
  it('is queued for the sender by its final write', async () => {
    const { taskId } = await its.opened.ended();
    expect(await hinted()).toEqual([taskId]);
  });

  it('is sent once, signed, with the content that a poll shows', async () => {
    const address = await its.opened.ended();
    const post = recordingPost();
    await its.opened.send(address, post);
    await its.opened.send(address, post);
    expect(post.sent).toHaveLength(1);
    const [{ address: to, headers, body } = { address: '', headers: {}, body: '' }] = post.sent;
    expect(to).toBe(ENDPOINT);
    expect(JSON.parse(body)).toEqual(await taskView(await getTask(its.opened, address, 'files-and-tasks'), its.opened));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'errand-webhooks/1',
      'webhook-id': `evt_${address.taskId}_succeeded`,
      'webhook-timestamp': String(its.opened.clock.now() / 1_000),
    });
    const [secret = ''] = await its.opened.secrets();
    expect(headers['x-service-signature']).toBe(webhookSignature.service(secret, body));
  });

  it('continues the trace of its submitter, with a span for each attempt', async () => {
    const trace = { id: '4bf92f3577b34da6a3ce929d0e0e4736', flags: '01' };
    const [traced, plain] = [await its.opened.ended({ about: { trace, input: {} } }), await its.opened.ended()];
    const post = recordingPost();
    await its.opened.send(traced, post);
    await its.opened.send(plain, post);
    expect(post.sent[0]?.headers.traceparent).toMatch(new RegExp(`^00-${trace.id}-[0-9a-f]{16}-01$`));
    expect(post.sent[1]?.headers).not.toHaveProperty('traceparent');
  });

  it('is not sent before it has ended', async () => {
    const { address } = await its.opened.accept({});
    const post = recordingPost();
    await its.opened.send(address, post);
    expect(post.sent).toEqual([]);
    expect(await moveTask(its.opened, address, { type: 'sendClaim' })).toMatchObject({ ignored: 'notDue' });
  });

  it('is sent by only one of two senders', async () => {
    const address = await its.opened.ended();
    const post = recordingPost();
    await Promise.all([its.opened.send(address, post), its.opened.send(address, post)]);
    expect(post.sent).toHaveLength(1);
  });

  it('sends the same bytes and the same id on every attempt and every redelivery', async () => {
    const address = await its.opened.ended();
    const post = recordingPost(() => status(500));
    await its.opened.send(address, post);
    its.opened.clock.pass(6_000);
    await its.opened.send(address, post);
    const { id } = await its.opened.delivery(address);
    await redeliver(its.opened, address, { id });
    await its.opened.send(address, post);
    expect(post.sent).toHaveLength(3);
    expect(new Set(post.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(post.sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(new Set(post.sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2);
  });

  it('does not depend on whether its webhook is delivered', async () => {
    const address = await its.opened.ended();
    const { hook: _before, ...before } = await its.opened.task(address);
    await its.opened.send(
      address,
      recordingPost(() => status(410)),
    );
    const { hook: _after, ...after } = await its.opened.task(address);
    expect(after).toEqual(before);
  });
});

describe('an attempt', () => {
  it('is stored with its time, outcome, duration, answer and next step', async () => {
    const address = await its.opened.ended();
    const at = its.opened.clock.now();
    const slow: Post = async () => {
      its.opened.clock.pass(1_200);
      return { status: 503, retryAfter: '8', answer: 'not today' };
    };
    await its.opened.send(address, slow);
    const nextAt = at + 1_200 + 8_000;
    expect(await its.opened.delivery(address)).toEqual({
      id: `evt_${address.taskId}_succeeded`,
      endpoint: ENDPOINT,
      state: 'pending',
      nextAt,
      attempts: [{ number: 1, at, ms: 1_200, status: 503, answer: 'not today', nextAt }],
    });
    its.opened.clock.pass(7_999);
    await its.opened.send(address, recordingPost());
    expect((await its.opened.delivery(address)).attempts).toHaveLength(1);
    its.opened.clock.pass(1);
    await its.opened.send(address, recordingPost());
    const { state, attempts } = await its.opened.delivery(address);
    expect([state, attempts.length]).toEqual(['delivered', 2]);
    expect(attempts[1]).toEqual({ number: 2, at: nextAt, ms: 0, status: 200 });
  });

  it('that our rules refuse ends the delivery with that reason', async () => {
    const address = await its.opened.ended();
    await its.opened.send(
      address,
      recordingPost(() => ({ fault: 'blocked_target' })),
    );
    const { state, attempts } = await its.opened.delivery(address);
    expect(state).toBe('exhausted');
    expect(attempts).toEqual([{ number: 1, at: its.opened.clock.now(), ms: 0, fault: 'blocked_target' }]);
    its.opened.clock.pass(100 * 3_600_000);
    await its.opened.send(address, recordingPost());
    expect((await its.opened.delivery(address)).attempts).toHaveLength(1);
  });

  it('is not stored longer than its task', async () => {
    const address = await its.opened.ended();
    await its.opened.send(
      address,
      recordingPost(() => ({ ...OK, answer: 'thanks' })),
    );
    expect(await rowsOf(address)).toBe(1);
    its.opened.clock.pass(30 * 24 * 3_600_000);
    await expect(its.opened.delivery(address)).rejects.toThrow('Task not found');
    expect(await rowsOf(address)).toBe(0);
  });

  it('that succeeds the first time without a response body needs no row of its own', async () => {
    const address = await its.opened.ended();
    const { id } = await its.opened.delivery(address);
    const at = its.opened.clock.now();
    for (const rows of [0, 1, 2]) {
      await its.opened.send(address, recordingPost());
      expect(await rowsOf(address)).toBe(rows);
      await redeliver(its.opened, address, { id });
      its.opened.clock.pass(1_000);
    }
    expect((await its.opened.delivery(address)).attempts).toEqual(
      [1, 2, 3].map((number) => ({ number, at: at + (number - 1) * 1_000, ms: 0, status: 200 })),
    );
  });
});

const rowsOf = async ({ organization, taskId }: TaskAddress) =>
  (await its.opened.table.rows(`O#${organization}#T#${taskId}`, 'DELIVERY#', { limit: 9 })).rows.length;

describe('a redelivery', () => {
  it('is sent immediately, even after the event was delivered or given up', async () => {
    const address = await its.opened.ended();
    const { id } = await its.opened.delivery(address);
    for (const [at, answer] of [OK, status(410), OK].entries()) {
      await its.opened.send(
        address,
        recordingPost(() => answer),
      );
      await hinted();
      expect(await redeliver(its.opened, address, { id })).toMatchObject({ id, state: 'pending' });
      expect(await hinted()).toEqual([address.taskId]);
      expect((await its.opened.delivery(address)).attempts).toHaveLength(at + 1);
    }
  });

  it('of an event that does not exist, or not yet, is not found', async () => {
    const address = await its.opened.ended();
    const { address: open } = await its.opened.accept({});
    const missing = expect.objectContaining({ code: 'notFound' });
    await expect(redeliver(its.opened, address, { id: 'evt_other' })).rejects.toEqual(missing);
    await expect(redeliver(its.opened, open, { id: `evt_${open.taskId}_succeeded` })).rejects.toEqual(missing);
    const { id } = await its.opened.delivery(address);
    const foreign = { ...address, organization: its.opened.ids.uuid() };
    await expect(redeliver(its.opened, foreign, { id })).rejects.toEqual(missing);
    await expect(redeliver(its.opened, address, { id, api: 'agents' })).rejects.toEqual(missing);
    await expect(redeliver(its.opened, { ...address, taskId: 'x'.repeat(3_000) }, { id })).rejects.toEqual(missing);
  });
});
