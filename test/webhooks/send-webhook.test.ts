/** One delivery through the sender: what is sent, what is kept, and what becomes of it when something dies. */
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { taskShown } from '../../functions/files-and-tasks/task-view.ts';
import type { Post } from '../../shared/ports.ts';
import { getTask } from '../../shared/tasks/get-task.ts';
import { moveTask } from '../../shared/tasks/move-task.ts';
import { redeliver } from '../../shared/webhooks/redeliver.ts';
import { sendHint } from '../../shared/webhooks/send-hint.ts';
import { serviceSignature } from '../../shared/webhooks/sign-webhook.ts';
import { testWebhook } from '../../shared/webhooks/test-webhook.ts';
import { turns } from '../../shared/webhooks/turns.ts';
import { ENDPOINT, OK, type Opened, openWebhooks, recorded, status } from './opened.ts';

let opened: Opened;
beforeEach(async () => {
  opened = openWebhooks();
  await opened.rotate();
});
afterEach(() => opened.close());

const hinted = async () => (await opened.queues.webhooks.receive(10, 0)).map(({ body }) => JSON.parse(body).taskId);

describe('a task that has ended', () => {
  it('is hinted to the sender by its final write', async () => {
    const { taskId } = await opened.ended();
    expect(await hinted()).toEqual([taskId]);
  });

  it('is sent once, signed, as what a poll shows', async () => {
    const address = await opened.ended();
    const post = recorded();
    await opened.send(address, post);
    await opened.send(address, post);
    expect(post.sent).toHaveLength(1);
    const [{ address: to, headers, body } = { address: '', headers: {}, body: '' }] = post.sent;
    expect(to).toBe(ENDPOINT);
    expect(JSON.parse(body)).toEqual(await taskShown(await getTask(opened, address, 'files-and-tasks'), opened));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'errand-webhooks/1',
      'webhook-id': `evt_${address.taskId}_succeeded`,
      'webhook-timestamp': String(opened.clock.now() / 1_000),
    });
    const [secret = ''] = await opened.secrets();
    expect(headers['x-service-signature']).toBe(serviceSignature(secret, body));
  });

  it("goes on in its submitter's trace, each attempt as a part of its own", async () => {
    const trace = { id: '4bf92f3577b34da6a3ce929d0e0e4736', flags: '01' };
    const [traced, plain] = [await opened.ended({ about: { trace, input: {} } }), await opened.ended()];
    const post = recorded();
    await opened.send(traced, post);
    await opened.send(plain, post);
    expect(post.sent[0]?.headers.traceparent).toMatch(new RegExp(`^00-${trace.id}-[0-9a-f]{16}-01$`));
    expect(post.sent[1]?.headers).not.toHaveProperty('traceparent');
  });

  it('is not sent while it has not ended', async () => {
    const { address } = await opened.accept({});
    const post = recorded();
    await opened.send(address, post);
    expect(post.sent).toEqual([]);
    expect(await moveTask(opened, address, { type: 'sendClaim' })).toMatchObject({ ignored: 'notDue' });
  });

  it('is sent by one of two senders', async () => {
    const address = await opened.ended();
    const post = recorded();
    await Promise.all([opened.send(address, post), opened.send(address, post)]);
    expect(post.sent).toHaveLength(1);
  });

  it('sends the same bytes and the same id on every attempt and every redelivery', async () => {
    const address = await opened.ended();
    const post = recorded(() => status(500));
    await opened.send(address, post);
    opened.clock.pass(6_000);
    await opened.send(address, post);
    const { id } = await opened.delivery(address);
    await redeliver(opened, address, { id });
    await opened.send(address, post);
    expect(post.sent).toHaveLength(3);
    expect(new Set(post.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(post.sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(new Set(post.sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2);
  });

  it('does not care whether it is delivered', async () => {
    const address = await opened.ended();
    const { hook: _before, ...before } = await opened.task(address);
    await opened.send(
      address,
      recorded(() => status(410)),
    );
    const { hook: _after, ...after } = await opened.task(address);
    expect(after).toEqual(before);
  });
});

describe('an attempt', () => {
  it('is kept with its time, its outcome, its duration, the answer and what comes next', async () => {
    const address = await opened.ended();
    const at = opened.clock.now();
    const slow: Post = async () => {
      opened.clock.pass(1_200);
      return { status: 503, retryAfter: '8', answer: 'not today' };
    };
    await opened.send(address, slow);
    const nextAt = at + 1_200 + 8_000;
    expect(await opened.delivery(address)).toEqual({
      id: `evt_${address.taskId}_succeeded`,
      endpoint: ENDPOINT,
      state: 'pending',
      nextAt,
      attempts: [{ number: 1, at, ms: 1_200, status: 503, answer: 'not today', nextAt }],
    });
    opened.clock.pass(7_999);
    await opened.send(address, recorded());
    expect((await opened.delivery(address)).attempts).toHaveLength(1);
    opened.clock.pass(1);
    await opened.send(address, recorded());
    const { state, attempts } = await opened.delivery(address);
    expect([state, attempts.length]).toEqual(['delivered', 2]);
    expect(attempts[1]).toEqual({ number: 2, at: nextAt, ms: 0, status: 200 });
  });

  it('that our rules refuse ends the delivery, and says so', async () => {
    const address = await opened.ended();
    await opened.send(
      address,
      recorded(() => ({ fault: 'blocked_target' })),
    );
    const { state, attempts } = await opened.delivery(address);
    expect(state).toBe('exhausted');
    expect(attempts).toEqual([{ number: 1, at: opened.clock.now(), ms: 0, fault: 'blocked_target' }]);
    opened.clock.pass(100 * 3_600_000);
    await opened.send(address, recorded());
    expect((await opened.delivery(address)).attempts).toHaveLength(1);
  });

  it('is not kept longer than its task', async () => {
    const address = await opened.ended();
    await opened.send(address, recorded());
    opened.clock.pass(30 * 24 * 3_600_000);
    await expect(opened.delivery(address)).rejects.toThrow('Task not found');
    expect(
      (await opened.table.rows(`O#${address.organization}#T#${address.taskId}`, 'DELIVERY#', { limit: 9 })).rows,
    ).toEqual([]);
  });
});

describe('a sender that dies', () => {
  const afterLease = async () => {
    opened.clock.pass(60_000);
    return (await opened.task(await address)).hook?.state;
  };
  let address: Promise<Awaited<ReturnType<Opened['ended']>>>;
  beforeEach(() => {
    address = opened.ended();
  });

  it('between sending and noting it repeats the same event, once', async () => {
    const at = await address;
    const post = recorded();
    const dies: Post = async (...sent) => {
      await post(...sent);
      throw new Error('the process is gone');
    };
    await expect(opened.send(at, dies)).rejects.toThrow('gone');
    await opened.send(at, post);
    expect(post.sent).toHaveLength(1);
    expect(await afterLease()).toBe('sending');
    await moveTask(opened, at, { type: 'tick' });
    await opened.send(at, post);
    await opened.send(at, post);
    expect(post.sent).toHaveLength(2);
    expect(post.sent[1]?.body).toBe(post.sent[0]?.body);
    expect(post.sent[1]?.headers['webhook-id']).toBe(post.sent[0]?.headers['webhook-id']);
    const { state, attempts } = await opened.delivery(at);
    expect([state, attempts.map(({ number }) => number)]).toEqual(['delivered', [2]]);
  });

  it('and whose process begins anew is freed at once', async () => {
    const at = await address;
    await expect(opened.send(at, () => Promise.reject(new Error('gone')))).rejects.toThrow();
    await moveTask(opened, at, { type: 'restart' });
    const post = recorded();
    await opened.send(at, post);
    expect(post.sent).toHaveLength(1);
  });

  it('and comes back late changes nothing', async () => {
    const at = await address;
    const open = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const frozen = opened.send(at, async () => {
      entered.resolve();
      await open.promise;
      return status(500);
    });
    await entered.promise;
    opened.clock.pass(61_000);
    await moveTask(opened, at, { type: 'tick' });
    await opened.send(at, recorded());
    open.resolve();
    await frozen;
    expect((await opened.delivery(at)).state).toBe('delivered');
  });
});

describe('a message of the queue', () => {
  it('that is no hint is told of and done', async () => {
    const post = recorded();
    await sendHint(opened.sender(post), 'nonsense', new AbortController().signal);
    expect(opened.lines.join()).toContain('is no hint');
  });

  it('whose organization has no secret stays, and nothing is sent unsigned', async () => {
    const organization = opened.ids.uuid();
    const address = await opened.ended({ organization });
    const post = recorded();
    const sending = sendHint(opened.sender(post), JSON.stringify(address), new AbortController().signal);
    await expect(sending).rejects.toThrow('no webhook secret');
    expect(post.sent).toEqual([]);
  });

  it('is left to the next sender by one that must go', async () => {
    const address = await opened.ended();
    const mustGo = new AbortController();
    mustGo.abort(new Error('stopping'));
    const post = recorded();
    await expect(sendHint(opened.sender(post), JSON.stringify(address), mustGo.signal)).rejects.toThrow('stopping');
    expect(post.sent).toEqual([]);
    expect(opened.lines.join()).not.toContain('could not be sent');
    expect((await opened.task(address)).hook?.tries).toBe(0);
  });
});

describe('a rotation of the secret', () => {
  it('lets both secrets verify for 24 hours, and then only the new one', async () => {
    const [old = ''] = await opened.secrets();
    const { secret } = await opened.rotate();
    const sendOne = async () => {
      const post = recorded();
      await opened.send(await opened.ended(), post);
      const [{ headers = {}, body = '' } = {}] = post.sent;
      return { headers, body };
    };
    const verifies = (key: string, { headers, body }: Awaited<ReturnType<typeof sendOne>>): boolean => {
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const right = new Webhook(key).sign(
        String(headers['webhook-id']),
        new Date(Number(headers['webhook-timestamp']) * 1_000),
        body,
      );
      expect(text).toContain('evt_');
      return headers['webhook-signature']?.split(' ').includes(right) ?? false;
    };
    const during = await sendOne();
    expect([verifies(old, during), verifies(secret, during)]).toEqual([true, true]);
    expect(during.headers['x-service-signature']).toBe(serviceSignature(old, during.body));
    expect(during.headers['x-service-signature-next']).toBe(serviceSignature(secret, during.body));

    opened.clock.pass(24 * 3_600_000);
    const after = await sendOne();
    expect([verifies(old, after), verifies(secret, after)]).toEqual([false, true]);
    expect(after.headers['x-service-signature']).toBe(serviceSignature(secret, after.body));
    expect(after.headers).not.toHaveProperty('x-service-signature-next');
  });
});

describe('a redelivery', () => {
  it('goes out at once, also after it was delivered or given up', async () => {
    const address = await opened.ended();
    const { id } = await opened.delivery(address);
    for (const [at, answer] of [OK, status(410), OK].entries()) {
      await opened.send(
        address,
        recorded(() => answer),
      );
      await hinted();
      expect(await redeliver(opened, address, { id })).toMatchObject({ id, state: 'pending' });
      expect(await hinted()).toEqual([address.taskId]);
      expect((await opened.delivery(address)).attempts).toHaveLength(at + 1);
    }
  });

  it('of what is not there, or not yet, is not found', async () => {
    const address = await opened.ended();
    const { address: open } = await opened.accept({});
    const missing = expect.objectContaining({ code: 'notFound' });
    await expect(redeliver(opened, address, { id: 'evt_other' })).rejects.toEqual(missing);
    await expect(redeliver(opened, open, { id: `evt_${open.taskId}_succeeded` })).rejects.toEqual(missing);
    const { id } = await opened.delivery(address);
    const foreign = { ...address, organization: opened.ids.uuid() };
    await expect(redeliver(opened, foreign, { id })).rejects.toEqual(missing);
    await expect(redeliver(opened, address, { id, face: 'agents' })).rejects.toEqual(missing);
    await expect(redeliver(opened, { ...address, taskId: 'x'.repeat(3_000) }, { id })).rejects.toEqual(missing);
  });
});

describe('the test of an endpoint', () => {
  it('is signed like the others and marked by its id, and nothing of it is kept', async () => {
    const post = recorded(() => ({ status: 404, retryAfter: '5', answer: 'no' }));
    const test = { organization: opened.organization, endpoint: ENDPOINT, testId: 'x', body: { a: 'ü' } };
    const attempt = await testWebhook({ ...opened, post }, test);
    expect(attempt).toEqual({ at: opened.clock.now(), ms: 0, status: 404, answer: 'no' });
    const [{ headers = {}, body = '' } = {}] = post.sent;
    const [secret = ''] = await opened.secrets();
    expect([headers['webhook-id'], body]).toEqual(['evt_test_x', '{"a":"ü"}']);
    expect(headers['x-service-signature']).toBe(serviceSignature(secret, body));
    expect(await hinted()).toEqual([]);
  });
});

describe('turns', () => {
  it('let so many of one kind run, in the order they came, and others beside them', async () => {
    const inTurn = turns(2);
    const begun: string[] = [];
    const gates = new Map<string, () => void>();
    const run = (kind: string, name: string) =>
      inTurn(kind, () => {
        begun.push(name);
        return new Promise<void>((resolve) => gates.set(name, resolve));
      });
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name));
    all.push(run('b', 'b1'));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    gates.get('a2')?.();
    await all[1];
    await Promise.resolve();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    gates.get('a1')?.();
    gates.get('a3')?.();
    await Promise.all([all[0], all[2]]);
    expect(begun.at(-1)).toBe('a4');
    for (const open of gates.values()) open();
    await Promise.all(all);
  });

  it('pass on also when one fails', async () => {
    const inTurn = turns(1);
    const failing = inTurn('a', () => Promise.reject(new Error('no')));
    const next = inTurn('a', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
