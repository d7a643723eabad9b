/** The contract of queues: no message is lost, whatever its receivers do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_LIMITS } from '../../shared/core/queue-limits.ts';
import type { OutgoingMessage, Queue, ReceivedMessage } from '../../shared/ports.ts';
import { TASK_LIMITS } from '../../shared/tasks/task.ts';

export type QueueHarness = {
  /** An empty queue with `dead` as its dead-letter queue. */
  queue: Queue;
  dead: Queue;
  visibilitySeconds: number;
  maxReceives: number;
  /** How long a receive must wait to be sure that the queue is empty: 0 without a network. */
  patienceSeconds: number;
  /** Moves the queue's clock. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
};

const numberMessages = (count: number, from = 0): OutgoingMessage[] =>
  Array.from({ length: count }, (_, n) => ({ body: `message ${from + n}` }));

const bodies = (received: ReceivedMessage[]): string[] => received.map((message) => message.body).sort();
const receipts = (received: ReceivedMessage[]): string[] => received.map((message) => message.receipt);
const batchesOf = <T>(max: number, items: T[]): T[][] =>
  items.length > max ? [items.slice(0, max), ...batchesOf(max, items.slice(max))] : [items];

export function queueContract(name: string, open: () => Promise<QueueHarness>): void {
  describe(name, () => {
    let harness: QueueHarness;
    let queue: Queue;
    beforeEach(async () => {
      harness = await open();
      queue = harness.queue;
    });
    afterEach(() => harness.close());

    /** Receives until this many messages have come, or none are left. */
    async function collect(count: number, from = queue): Promise<ReceivedMessage[]> {
      const received: ReceivedMessage[] = [];
      while (received.length < count) {
        const batch = await from.receive(Math.min(10, count - received.length), harness.patienceSeconds);
        if (batch.length === 0) return received;
        received.push(...batch);
      }
      return received;
    }
    async function receiveOne(from = queue): Promise<ReceivedMessage> {
      const [message] = await collect(1, from);
      if (message === undefined) throw new Error('nothing was received');
      return message;
    }
    const visible = async () => bodies(await collect(10));
    const reappear = () => harness.pass(harness.visibilitySeconds * 1_000 + 200);

    describe('a message', () => {
      it('is sent, received and done', async () => {
        await queue.send([{ body: 'hello' }]);
        const message = await receiveOne();
        expect(message).toMatchObject({ body: 'hello', receives: 1 });
        expect(message.sentAt).toBeTypeOf('number');
        await queue.done([message.receipt]);
        await reappear();
        expect(await visible()).toEqual([]);
      });

      it.each(['{"a":"ünïcode 🎉 \\" & <xml>"}', ' spaces \t\n\r kept ', 'x'.repeat(QUEUE_LIMITS.messageBytes)])(
        'keeps its body as it was',
        async (body) => {
          await queue.send([{ body }]);
          expect((await receiveOne()).body === body).toBe(true);
        },
      );

      it('keeps its body and its time from one receive to the next', async () => {
        await queue.send([{ body: 'hello', group: 'org-1' }]);
        const first = await receiveOne();
        await reappear();
        const second = await receiveOne();
        expect([second.body, second.sentAt]).toEqual([first.body, first.sentAt]);
      });

      it('is there once for each time it was sent', async () => {
        await queue.send([{ body: 'same' }, { body: 'same' }]);
        await queue.send([{ body: 'same' }]);
        expect(await visible()).toEqual(['same', 'same', 'same']);
      });

      it('stays away for its delay, and others do not', async () => {
        await queue.send([{ body: 'late', delaySeconds: 2 }, { body: 'at once' }]);
        expect(await visible()).toEqual(['at once']);
        await harness.pass(2_200);
        expect(await visible()).toContain('late');
      });

      it('is hidden while it is held, and comes back when its holder stays silent', async () => {
        await queue.send([{ body: 'hello' }]);
        expect((await receiveOne()).receives).toBe(1);
        expect(await visible()).toEqual([]);
        await reappear();
        expect(await receiveOne()).toMatchObject({ body: 'hello', receives: 2 });
      });

      it('is shown at once when released for 0 seconds', async () => {
        await queue.send([{ body: 'hello' }]);
        await queue.release((await receiveOne()).receipt, 0);
        expect(await receiveOne()).toMatchObject({ body: 'hello', receives: 2 });
      });

      it('is shown later when released for longer', async () => {
        await queue.send([{ body: 'hello' }]);
        const wait = harness.visibilitySeconds + 2;
        await queue.release((await receiveOne()).receipt, wait);
        await reappear();
        expect(await visible()).toEqual([]);
        await harness.pass(2_000);
        expect(await visible()).toEqual(['hello']);
      });

      it('is never shown again once done, whatever else happens', async () => {
        await queue.send(numberMessages(3));
        const messages = await collect(3);
        await queue.done(receipts(messages.filter((message) => message.body !== 'message 1')));
        for (let round = 0; round < 2; round++) {
          await reappear();
          expect(await visible()).toEqual(['message 1']);
        }
      });
    });

    describe('receipts', () => {
      it('do no harm when they are unknown', async () => {
        await queue.send([{ body: 'hello' }]);
        await expect(queue.done(['no such receipt'])).resolves.toBeUndefined();
        await expect(queue.done([])).resolves.toBeUndefined();
        expect(await visible()).toEqual(['hello']);
      });

      it('may be done twice, and released when done', async () => {
        await queue.send([{ body: 'hello' }]);
        const { receipt } = await receiveOne();
        await queue.done([receipt]);
        await expect(queue.done([receipt])).resolves.toBeUndefined();
        await expect(queue.release(receipt, 0)).resolves.toBeUndefined();
        expect(await visible()).toEqual([]);
      });

      it('are done in any number, the unknown ones among them', async () => {
        await queue.send(numberMessages(10));
        await queue.send(numberMessages(3, 10));
        await queue.done(['no such receipt', ...receipts(await collect(13))]);
        await reappear();
        expect(await visible()).toEqual([]);
      });
    });

    describe('dead letters', () => {
      it('get a message that was received too often, and the queue loses it', async () => {
        await queue.send([{ body: 'pöison' }]);
        for (let receive = 1; receive <= harness.maxReceives; receive++) {
          expect((await receiveOne()).receives).toBe(receive);
          await reappear();
        }
        expect(await visible()).toEqual([]);
        expect((await receiveOne(harness.dead)).body).toBe('pöison');
        await reappear();
        expect(await visible()).toEqual([]);
      });

      it('count releases as receives', async () => {
        await queue.send([{ body: 'poison' }]);
        for (let receive = 1; receive <= harness.maxReceives; receive++)
          await queue.release((await receiveOne()).receipt, 0);
        expect(await visible()).toEqual([]);
        expect((await receiveOne(harness.dead)).body).toBe('poison');
      });

      it('get nothing that was done at its last receive', async () => {
        await queue.send([{ body: 'saved' }]);
        for (let receive = 1; receive < harness.maxReceives; receive++)
          await queue.release((await receiveOne()).receipt, 0);
        await queue.done([(await receiveOne()).receipt]);
        await reappear();
        expect([await visible(), await collect(1, harness.dead)]).toEqual([[], []]);
      });
    });

    describe('limits', () => {
      const expectRejection = async (messages: OutgoingMessage[]) => {
        await expect(queue.send(messages)).rejects.toBeInstanceOf(RangeError);
        expect(await visible()).toEqual([]);
      };

      it('takes ten at once', async () => {
        await queue.send(numberMessages(10));
        expect(await visible()).toEqual(bodies(numberMessages(10) as ReceivedMessage[]));
      });

      it('refuses eleven at once and sends none of them', () => expectRejection(numberMessages(11)));
      it('refuses an empty batch', () => expectRejection([]));
      it('refuses an empty body', () => expectRejection([{ body: 'good' }, { body: '' }]));

      it('refuses a body over the limit, counted in UTF-8', async () => {
        await expectRejection([{ body: 'x'.repeat(QUEUE_LIMITS.messageBytes + 1) }]);
        await expectRejection([{ body: 'ä'.repeat(QUEUE_LIMITS.messageBytes / 2 + 1) }]);
      });

      it('refuses a batch over the limit, though each of it is within', () =>
        expectRejection([{ body: 'x'.repeat(QUEUE_LIMITS.messageBytes) }, { body: 'x' }]));

      it('holds a message back as long as tasks rely on', async () => {
        await queue.send([{ body: 'late', delaySeconds: TASK_LIMITS.maxHintSeconds }]);
        expect(await visible()).toEqual([]);
      });

      it.each([901, -1, 1.5, Number.NaN])('refuses a delay of %d seconds', (delaySeconds) =>
        expectRejection([{ body: 'good' }, { body: 'bad', delaySeconds }]),
      );

      it.each(['\u0000', '\u001f', '\ufffe', '\ud800'])('refuses a character that SQS refuses: %j', (character) =>
        expectRejection([{ body: `a${character}b` }]),
      );

      it.each(['', 'two words', 'ö', 'x'.repeat(129)])('refuses a group that SQS refuses: "%s"', (group) =>
        expectRejection([{ body: 'x', group }]),
      );

      it.each([0, 11, -1, 1.5])('refuses to receive %d', async (max) => {
        await expect(queue.receive(max, 0)).rejects.toBeInstanceOf(RangeError);
      });

      it.each([-1, 21, 0.5])('refuses to wait %d seconds', async (waitSeconds) => {
        await expect(queue.receive(1, waitSeconds)).rejects.toBeInstanceOf(RangeError);
      });

      it.each([-1, 1.5, 43_201])('refuses to release for %d seconds', async (seconds) => {
        await queue.send([{ body: 'x' }]);
        await expect(queue.release((await receiveOne()).receipt, seconds)).rejects.toBeInstanceOf(RangeError);
      });

      it('gives no more than asked for', async () => {
        await queue.send(numberMessages(5));
        expect((await queue.receive(2, harness.patienceSeconds)).length).toBeLessThanOrEqual(2);
      });
    });

    describe('waiting', () => {
      it('ends early when something arrives', async () => {
        const began = performance.now();
        const waiting = queue.receive(10, 10);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await queue.send([{ body: 'hello' }]);
        expect(bodies(await waiting)).toEqual(['hello']);
        expect(performance.now() - began).toBeLessThan(5_000);
      });

      it('ends empty when nothing arrives, and not before', async () => {
        const began = performance.now();
        expect(await queue.receive(10, 1)).toEqual([]);
        expect(performance.now() - began).toBeGreaterThan(900);
      });

      it('gives one message to one of several receivers', async () => {
        const waiting = [queue.receive(1, 2), queue.receive(1, 2), queue.receive(1, 2)];
        await queue.send([{ body: 'a' }]);
        await queue.send([{ body: 'b' }]);
        expect(bodies((await Promise.all(waiting)).flat())).toEqual(['a', 'b']);
      });
    });

    describe('loss and repetition', () => {
      it('brings again the three of ten that were not done, and none of the seven', async () => {
        await queue.send(numberMessages(10));
        const messages = (await collect(10)).sort((a, b) => a.body.localeCompare(b.body));
        await queue.done(receipts(messages.slice(0, 7)));
        await reappear();
        expect(await visible()).toEqual(['message 7', 'message 8', 'message 9']);
      });

      it('loses nothing to receivers that vanish: all is received again or dead', async () => {
        await queue.send(numberMessages(10));
        for (let round = 1; round < harness.maxReceives; round++) {
          expect(await visible()).toHaveLength(10);
          await reappear();
        }
        expect(await visible()).toEqual(bodies(numberMessages(10) as ReceivedMessage[]));
        await reappear();
        expect(await visible()).toEqual([]);
        expect(bodies(await collect(10, harness.dead))).toEqual(bodies(numberMessages(10) as ReceivedMessage[]));
      });

      it('brings each of 200 messages at least once, from several senders to several receivers', async () => {
        const messages = Array.from({ length: 200 }, (_, n) => ({ body: `message ${n}`, group: `org-${n % 7}` }));
        await Promise.all(batchesOf(10, messages).map((batch) => queue.send(batch)));
        const seenBodies = new Set<string>();
        const receiver = async () => {
          for (let batch = await collect(10); batch.length > 0; batch = await collect(10)) {
            for (const message of batch) seenBodies.add(message.body);
            await queue.done(receipts(batch));
          }
        };
        await Promise.all([receiver(), receiver(), receiver()]);
        expect(seenBodies.size).toBe(200);
        await reappear();
        expect(await visible()).toEqual([]);
      });
    });
  });
}
