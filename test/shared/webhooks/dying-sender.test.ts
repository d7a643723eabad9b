/** A delivery whose sender dies, is late, or must not send. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Post } from '../../../shared/ports.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { sendHint } from '../../../shared/webhooks/send.ts';
import { OK, recordingPost, status, useWebhooks, type WebhookSetup } from './setup.ts';

const { its } = useWebhooks();

describe('a sender that crashes', () => {
  const afterLease = async () => {
    its.opened.clock.pass(60_000);
    return (await its.opened.task(await address)).hook?.state;
  };
  let address: Promise<Awaited<ReturnType<WebhookSetup['ended']>>>;
  beforeEach(() => {
    address = its.opened.ended();
  });

  it('between sending and recording the attempt repeats the same event, once', async () => {
    const at = await address;
    const post = recordingPost();
    const dies: Post = async (...request) => {
      await post(...request);
      throw new Error('the process is gone');
    };
    await expect(its.opened.send(at, dies)).rejects.toThrow('gone');
    await its.opened.send(at, post);
    expect(post.sent).toHaveLength(1);
    expect(await afterLease()).toBe('sending');
    await moveTask(its.opened, at, { type: 'tick' });
    await its.opened.send(at, post);
    await its.opened.send(at, post);
    expect(post.sent).toHaveLength(2);
    expect(post.sent[1]?.body).toBe(post.sent[0]?.body);
    expect(post.sent[1]?.headers['webhook-id']).toBe(post.sent[0]?.headers['webhook-id']);
    const { state, attempts } = await its.opened.delivery(at);
    expect([state, attempts.map(({ number }) => number)]).toEqual(['delivered', [2]]);
  });

  it('releases its lease as soon as its process restarts', async () => {
    const at = await address;
    await expect(its.opened.send(at, () => Promise.reject(new Error('gone')))).rejects.toThrow();
    await moveTask(its.opened, at, { type: 'restart' });
    const post = recordingPost();
    await its.opened.send(at, post);
    expect(post.sent).toHaveLength(1);
  });

  it.each([
    ['failed', status(500)],
    ['was taken', OK],
  ])('and returns late when it %s changes nothing, and its attempt is still listed', async (_, answer) => {
    const at = await address;
    const open = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const frozen = its.opened.send(at, async () => {
      entered.resolve();
      await open.promise;
      return answer;
    });
    await entered.promise;
    its.opened.clock.pass(61_000);
    await moveTask(its.opened, at, { type: 'tick' });
    await its.opened.send(at, recordingPost());
    open.resolve();
    await frozen;
    const { state, attempts } = await its.opened.delivery(at);
    expect([state, attempts.map(({ number, status }) => [number, status])]).toEqual([
      'delivered',
      [
        [1, answer.status],
        [2, 200],
      ],
    ]);
  });
});

describe('a message of the queue', () => {
  it('that is not valid is logged and deleted', async () => {
    const post = recordingPost();
    await sendHint(its.opened.sender(post), 'nonsense', new AbortController().signal);
    expect(its.opened.lines.join()).toContain('is not a valid hint');
  });

  it('whose organization has no secret stays, and nothing is sent unsigned', async () => {
    const organization = its.opened.ids.uuid();
    const address = await its.opened.ended({ organization });
    const post = recordingPost();
    const sending = sendHint(its.opened.sender(post), JSON.stringify(address), new AbortController().signal);
    await expect(sending).rejects.toThrow('no webhook secret');
    expect(post.sent).toEqual([]);
  });

  it('is left to the next sender by one that shuts down', async () => {
    const address = await its.opened.ended();
    const stopController = new AbortController();
    stopController.abort(new Error('stopping'));
    const post = recordingPost();
    await expect(sendHint(its.opened.sender(post), JSON.stringify(address), stopController.signal)).rejects.toThrow(
      'stopping',
    );
    expect(post.sent).toEqual([]);
    expect(its.opened.lines.join()).not.toContain('could not be sent');
    expect((await its.opened.task(address)).hook?.tries).toBe(0);
  });
});
