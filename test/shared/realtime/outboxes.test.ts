import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { sendBuffers } from '../../../shared/realtime/send-buffers.ts';
import { SOCKET_LIMITS } from '../../../shared/realtime/socket-limits.ts';

type SendBuffers = ReturnType<typeof sendBuffers>;
type SocketMessage = Parameters<SendBuffers['put']>[1];

const to = { connection: 'c', organization: 'o' };
const letter = (text: string, taskId = 't', seq = 1): SocketMessage => ({ text, about: { taskId, seq } });
const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let posted: string[] = [];
let gone: object[] = [];
/** How the connection reacts to a message. */
let reads: () => Promise<'sent' | 'gone'>;
let boxes: SendBuffers;
beforeEach(() => {
  [posted, gone] = [[], []];
  reads = async () => 'sent';
  boxes = sendBuffers({
    sockets: {
      post: (_, message) => {
        posted.push(message);
        return reads();
      },
    },
    log: LOG,
    lossNotice: () => 'behind',
    onGone: (who) => gone.push(who),
  });
});

it('sends messages in order, one after the other', async () => {
  for (const text of ['1', '2', '3']) boxes.put(to, letter(text));
  expect(posted).toEqual(['1']);
  await boxes.settled();
  expect(posted).toEqual(['1', '2', '3']);
});

it('queues messages while it is held, and then sends only those newer than the ones sent meanwhile', async () => {
  boxes.pause(to);
  boxes.put(to, letter('old', 'a', 4));
  boxes.put(to, letter('told', 'a', 9));
  boxes.put(to, letter('new', 'a', 10));
  boxes.put(to, letter('other', 'b', 1));
  boxes.put(to, { text: 'notice' });
  await boxes.settled();
  expect(posted).toEqual([]);
  boxes.release(to, new Map([['a', 9]]));
  await boxes.settled();
  expect(posted).toEqual(['new', 'other', 'notice']);
});

it('never waits for a slow reader, queues little for it, and reports lost messages when it reads again', async () => {
  const stuck = Promise.withResolvers<'sent'>();
  reads = () => stuck.promise;
  const long = 'x'.repeat(1_000);
  for (let n = 0; n < 3 * SOCKET_LIMITS.waitingMessages; n++) boxes.put(to, letter(long));
  boxes.put({ ...to, connection: 'quick' }, letter('quick'));
  expect(posted).toEqual([long, 'quick']);
  reads = async () => 'sent';
  stuck.resolve('sent');
  await boxes.settled();
  expect(posted).toEqual([long, 'quick', 'behind']);
  boxes.put(to, letter('after'));
  await boxes.settled();
  expect(posted.slice(3)).toEqual(['after']);
});

it('reports a lost message with the next one after a failed send', async () => {
  reads = async () => Promise.reject(new Error('over its limits'));
  boxes.put(to, letter('1'));
  boxes.put(to, letter('2'));
  await setImmediate();
  reads = async () => 'sent';
  boxes.put(to, letter('3'));
  await boxes.settled();
  expect(posted).toEqual(['1', 'behind', '3']);
  boxes.put(to, letter('4'));
  await boxes.settled();
  expect(posted).toEqual(['1', 'behind', '3', '4']);
});

it('reports which connection is gone, and drops its queued messages', async () => {
  reads = async () => 'gone';
  for (const text of ['1', '2']) boxes.put(to, letter(text));
  await boxes.settled();
  expect([posted, gone]).toEqual([['1'], [to]]);
});
