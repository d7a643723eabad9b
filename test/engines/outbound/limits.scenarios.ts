/** Promises about time, size and the caller's own signal. */
import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { Network } from '../../../engines/outbound/connection-pool.ts';
import type { RequestLimits } from '../../../engines/outbound/request-timeouts.ts';
import { outcomeOf } from './outcome.ts';
import { paper, reply } from './paper.ts';
import { FILE, publicAsk, type Scenario, sendThrough } from './scenario.ts';

const never = () => new Promise<never>(() => undefined);
const begun = [reply(200, { 'content-length': '9' }, 'begin')];

const late = (
  reason: string,
  limits: Partial<RequestLimits>,
  replies: string[],
  broken: Partial<Network> = {},
): Scenario => ({
  promise: `gives up with ${reason} and leaves nothing open`,
  async check(guard) {
    const network = paper({ replies, fallsSilent: true });
    const began = performance.now();
    const outcome = await outcomeOf(guard.outbound({ ...network, ...broken }), FILE, publicAsk(guard, { limits }));
    expect(outcome).toMatchObject({ kind: 'failed', reason });
    expect(performance.now() - began).toBeLessThan(4000);
    await expect.poll(() => network.notes.wires.every((wire) => wire.destroyed)).toBe(true);
  },
});

export const LIMIT_SCENARIOS: readonly Scenario[] = [
  late('resolveTime', { resolveMs: 20 }, [], { resolve: never }),
  late('connectTime', { connectMs: 20 }, [], { connect: never }),
  late('connectTime', { connectMs: 20 }, [], { secure: never }),
  late('headersTime', { headersMs: 20 }, []),
  late('idleTime', { idleMs: 20 }, begun),
  late('totalTime', { totalMs: 20 }, []),
  late('totalTime', { totalMs: 20 }, begun),
  late('totalTime', { totalMs: 20 }, [], { resolve: never }),
  {
    promise: 'gives up on an answer that nobody reads',
    async check(guard) {
      const network = paper({ replies: begun });
      await guard.outbound(network)(FILE, publicAsk(guard, { limits: { totalMs: 20 } }));
      await expect.poll(() => network.notes.wires[0]?.destroyed).toBe(true);
    },
  },
  {
    promise: 'takes a body of exactly the limit and no byte more, announced or not',
    async check(guard) {
      const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegin\r\n0\r\n\r\n';
      for (const answer of [reply(200, {}, 'begin'), chunked]) {
        expect(await sendThrough(guard, { replies: [answer] }, { maxBytes: 5 })).toMatchObject({ text: 'begin' });
        const over = await sendThrough(guard, { replies: [answer] }, { maxBytes: 4 });
        expect(over).toMatchObject({ kind: 'failed', reason: 'tooLarge' });
        expect(over.notes.wires[0]?.destroyed).toBe(true);
      }
    },
  },
  {
    promise: 'believes an announced length that is too large at once',
    async check(guard) {
      const network = { replies: [reply(200, { 'content-length': '5' })] };
      expect(await sendThrough(guard, network, { maxBytes: 4, limits: { idleMs: 200 } })).toMatchObject({
        reason: 'tooLarge',
      });
    },
  },
  {
    promise: 'reads headers up to their limit',
    async check(guard) {
      const paddedReply = (bytes: number) => ({ replies: [reply(200, { 'x-pad': 'x'.repeat(bytes) })] });
      const limits = { headerBytes: 1000 };
      expect(await sendThrough(guard, paddedReply(15_000))).toMatchObject({ status: 200 });
      expect(await sendThrough(guard, paddedReply(17_000))).toMatchObject({ kind: 'failed', reason: 'broken' });
      expect(await sendThrough(guard, paddedReply(1200), { limits })).toMatchObject({
        kind: 'failed',
        reason: 'broken',
      });
    },
  },
  {
    promise: 'leaves no timer and no listener behind, however it ends',
    async check(guard) {
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const { signal } = new AbortController();
      const before = timers();
      const plain = await sendThrough(guard, {}, { signal });
      expect([plain, timers()]).toMatchObject([{ status: 200 }, before]);
      const refused = await sendThrough(guard, {}, { signal }, 'https://127.0.0.1/');
      expect([refused, timers()]).toMatchObject([{ kind: 'refused' }, before]);
      const over = await sendThrough(guard, { replies: [reply(200, {}, 'begin')] }, { signal, maxBytes: 4 });
      expect([over, timers()]).toMatchObject([{ reason: 'tooLarge' }, before]);
      const unread = await guard.outbound(paper({ replies: begun }))(FILE, publicAsk(guard, { signal }));
      unread.cancel();
      expect([timers(), getEventListeners(signal, 'abort')]).toEqual([before, []]);
    },
  },
  {
    promise: 'ends when its caller says so, with the caller’s own reason',
    async check(guard) {
      const reason = new Error('no longer wanted');
      const over = publicAsk(guard, { limits: { totalMs: 500 } });
      const early = guard.outbound(paper())(FILE, { ...over, signal: AbortSignal.abort(reason) });
      await expect(early).rejects.toBe(reason);
      for (const replies of [[], begun]) {
        const network = paper({ replies, fallsSilent: true });
        const control = new AbortController();
        setTimeout(() => control.abort(reason), 10);
        const wanted = outcomeOf(guard.outbound(network), FILE, { ...over, signal: control.signal });
        await expect(wanted).rejects.toBe(reason);
        await expect.poll(() => network.notes.wires.every((wire) => wire.destroyed)).toBe(true);
      }
    },
  },
  {
    promise: 'takes what is not HTTP, or breaks off, for a failure',
    async check(guard) {
      const nonsense = [
        'SSH-2.0-OpenSSH_9.6\r\n',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello',
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
        `${reply(200, { 'content-length': '5' }, 'hello')} and more`,
      ];
      for (const answer of nonsense) {
        const outcome = await sendThrough(guard, { replies: [answer] }, { limits: { headersMs: 300, idleMs: 300 } });
        expect([answer, outcome]).toMatchObject([answer, { kind: 'failed', reason: 'broken' }]);
      }
    },
  },
  {
    promise: 'leaves time for the second address when the first one is silent',
    async check(guard) {
      const network = paper({ dns: { 'files.customer-a.com': [['8.8.8.8', '1.1.1.1']] } });
      const connect: Network['connect'] = (place, signal) =>
        place.address === '8.8.8.8' ? never() : network.connect(place, signal);
      const send = guard.outbound({ ...network, connect, limits: { connectMs: 400 } });
      expect(await outcomeOf(send, FILE, publicAsk(guard))).toMatchObject({ status: 200 });
    },
  },
];
