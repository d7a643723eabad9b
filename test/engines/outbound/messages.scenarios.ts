/** Promises about requests, answers, and reuse of connections. */
import { expect } from 'vitest';
import type { Guard } from './guard.ts';
import { outcomeOf } from './outcome.ts';
import { type Paper, PUBLIC, paper, reply } from './paper.ts';
import { FILE, publicAsk, type Scenario, sendThrough } from './scenario.ts';

/** The number of connections that these requests take in sequence. */
async function connectionsOf(guard: Guard, addresses: readonly string[], o: Paper & { keepAlive?: boolean } = {}) {
  const network = paper(o);
  const send = guard.outbound(network);
  for (const address of addresses) {
    const ask = publicAsk(guard, { keepAlive: o.keepAlive ?? true });
    expect(await outcomeOf(send, address, ask)).toMatchObject({ status: 200 });
  }
  return network.notes;
}

export const MESSAGES: readonly Scenario[] = [
  {
    promise: 'leaves to nobody which host is meant, where a message ends and how the answer is packed',
    async check(guard) {
      const headers = {
        Host: 'inner.example',
        Connection: 'upgrade',
        Upgrade: 'websocket',
        'Content-Length': '3',
        'Transfer-Encoding': 'chunked',
        'Accept-Encoding': 'gzip',
        Expect: '100-continue',
        'X-Mine': 'yes',
      };
      const { notes } = await sendThrough(guard, {}, { headers, method: 'POST', body: '§' });
      const lines = (notes.requests[0] ?? '').split('\r\n').map((line) => line.toLowerCase());
      expect(lines.toSorted()).toEqual(
        [
          '',
          'post /a.pdf http/1.1',
          'accept-encoding: identity',
          'connection: close',
          'content-length: 2',
          'host: files.customer-a.com',
          'x-mine: yes',
          'â§',
        ].toSorted(),
      );
    },
  },
  {
    promise: 'announces no body where there is none',
    async check(guard) {
      const { notes } = await sendThrough(
        guard,
        {},
        { headers: { 'Content-Length': '3' }, limits: { headersMs: 300 } },
      );
      expect(notes.requests[0]).not.toMatch(/content-length/i);
    },
  },
  {
    promise: 'hangs up when the headers of its caller cannot be sent',
    async check(guard) {
      const network = paper();
      const sending = guard.outbound(network)(FILE, publicAsk(guard, { headers: { 'x-mine': 'a\r\nb' } }));
      await expect(sending).rejects.toThrow(TypeError);
      expect(network.notes.wires[0]?.destroyed).toBe(true);
    },
  },
  {
    promise: 'hands a packed body over as it came',
    async check(guard) {
      const replies = [reply(200, { 'content-encoding': 'gzip' }, 'not unpacked')];
      expect(await sendThrough(guard, { replies })).toMatchObject({ status: 200, text: 'not unpacked' });
    },
  },
  {
    promise: 'reads header values as their senders meant them',
    async check(guard) {
      const named = (bytes: Buffer) => reply(200, { 'content-disposition': bytes.toString('latin1') });
      const network = paper({ replies: [named(Buffer.from('filename="ü"')), named(Buffer.from([0x66, 0xfc]))] });
      const send = guard.outbound(network);
      for (const wanted of ['filename="ü"', 'fü']) {
        const answer = await send(FILE, publicAsk(guard));
        expect(answer.headers).toMatchObject({ 'content-disposition': wanted });
        answer.cancel();
      }
    },
  },
  {
    promise: 'uses a kept connection again for the same judged place, one request after the other',
    async check(guard) {
      const notes = await connectionsOf(guard, [FILE, 'https://files.customer-a.com/b', FILE]);
      expect([notes.connected, notes.lookUps.length, notes.requests.length]).toEqual([[PUBLIC], 3, 3]);
    },
  },
  {
    promise: 'never uses a connection for another host, port or judged address',
    async check(guard) {
      const { connected } = await connectionsOf(guard, [
        FILE,
        'https://other.customer-a.com/',
        'https://files.customer-a.com:8443/',
      ]);
      expect(connected).toHaveLength(3);
      const dns = { 'files.customer-a.com': [['8.8.8.8'], ['1.1.1.1']] };
      const moved = await connectionsOf(guard, [FILE, FILE], { dns });
      expect(moved.connected).toEqual(['8.8.8.8', '1.1.1.1']);
    },
  },
  {
    promise: 'shares no connection between two authorities',
    async check(guard) {
      const network = paper();
      const send = guard.outbound(network);
      for (const ca of ['PEM', 'other PEM', 'PEM']) {
        const policy = guard.publicPolicy({ ownHosts: [], allowSources: ['https://10.0.0.1:4443'], ca });
        await outcomeOf(send, 'https://10.0.0.1:4443/', publicAsk(guard, { policy, keepAlive: true }));
      }
      expect(network.notes.identities.map(({ ca }) => ca)).toEqual(['PEM', 'other PEM']);
    },
  },
  {
    promise: 'keeps some dozen connections to a place, and to some hundred places',
    async check(guard) {
      const network = paper();
      const send = guard.outbound(network);
      const ask = publicAsk(guard, { keepAlive: true });
      await Promise.all(Array.from({ length: 70 }, () => outcomeOf(send, FILE, ask)));
      const open = () => network.notes.wires.filter((wire) => !wire.destroyed).length;
      expect([network.notes.connected.length, open()]).toEqual([70, 64]);
      for (let n = 0; n < 256; n++) await outcomeOf(send, `https://h${n}.customer-a.com/`, ask);
      expect(open()).toBe(256);
    },
  },
  {
    promise: 'sends nothing twice over a kept connection that has merely fallen silent',
    async check(guard) {
      const network = paper({ replies: [reply(200)], fallsSilent: true });
      const send = guard.outbound(network);
      const ask = publicAsk(guard, { keepAlive: true, limits: { headersMs: 150 } });
      await outcomeOf(send, FILE, ask);
      expect(await outcomeOf(send, FILE, ask)).toMatchObject({ reason: 'headersTime' });
      expect(network.notes.requests).toHaveLength(2);
      await expect.poll(() => network.notes.wires.every((wire) => wire.destroyed)).toBe(true);
    },
  },
  {
    promise: 'keeps no connection unless asked to',
    async check(guard) {
      const { connected, wires } = await connectionsOf(guard, [FILE, FILE], { keepAlive: false });
      expect(connected).toHaveLength(2);
      await expect.poll(() => wires.every((wire) => wire.destroyed)).toBe(true);
    },
  },
  {
    promise: 'sends nothing twice over a kept connection that breaks, and then opens a fresh one',
    async check(guard) {
      const network = paper({ replies: [reply(200), 'HTTP/1.1 nonsense\r\n\r\n'] });
      const send = guard.outbound(network);
      const ask = publicAsk(guard, { keepAlive: true });
      await outcomeOf(send, FILE, ask);
      expect(await outcomeOf(send, FILE, ask)).toMatchObject({ reason: 'broken' });
      expect([network.notes.connected, network.notes.requests.length]).toEqual([[PUBLIC], 2]);
      expect(await outcomeOf(send, FILE, ask)).toMatchObject({ status: 200 });
      expect(network.notes).toMatchObject({ connected: [PUBLIC, PUBLIC] });
    },
  },
  {
    promise: 'ends the connection of an answer that nobody reads',
    async check(guard) {
      const network = paper({ replies: [reply(404, { 'content-length': '5' })] });
      const answer = await guard.outbound(network)(FILE, publicAsk(guard, { keepAlive: true }));
      expect(network.notes.wires[0]?.destroyed).toBe(false);
      answer.cancel();
      await expect.poll(() => network.notes.wires[0]?.destroyed).toBe(true);
    },
  },
  {
    promise: 'ends the connection of a body that is read in part',
    async check(guard) {
      const network = paper({ replies: [reply(200, { 'content-length': '500' }, 'begin')] });
      const answer = await guard.outbound(network)(FILE, publicAsk(guard, { keepAlive: true }));
      for await (const chunk of answer.body) {
        expect(Buffer.from(chunk).toString()).toBe('begin');
        break;
      }
      await expect.poll(() => network.notes.wires[0]?.destroyed).toBe(true);
    },
  },
];
