/** Promises about real connections and real names. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { authority } from './certificates.ts';
import type { Guard } from './guard.ts';
import { type Hostile, hostileServer, trusted } from './hostile-server.ts';
import { outcomeOf } from './outcome.ts';
import { reply } from './paper.ts';
import type { Scenario } from './scenario.ts';

type Visit = { servername: string | false | null; isResumed: boolean; address: string | undefined };

/** An honest server that records the requested host names, and whether the TLS session was resumed. */
async function withVisits(use: (server: Hostile, visits: Visit[]) => Promise<void>): Promise<void> {
  const visits: Visit[] = [];
  const server = await hostileServer((socket) => {
    const { servername = null, localAddress: address } = socket;
    visits.push({ servername: servername as string | false, isResumed: socket.isSessionReused(), address });
    socket.write(reply(200, {}, 'hello'));
  });
  await use(server, visits).finally(() => server.close());
}

const askFor = ({ publicPolicy }: Guard, origin: string) => ({
  policy: publicPolicy({ ownHosts: [], allowSources: [origin], ca: trusted.cert }),
  maxBytes: 100,
});

export const TLS: readonly Scenario[] = [
  {
    promise: 'names the host to the server and checks its certificate for it, wherever it leads',
    check: (guard) =>
      withVisits(async (server, visits) => {
        const named = server.origin.replace('127.0.0.1', 'localhost');
        const other = server.origin.replace('127.0.0.1', 'files.customer-a.com');
        const send = guard.outbound({ resolve: async () => ['127.0.0.1'] });
        expect(await outcomeOf(send, named, askFor(guard, named))).toMatchObject({ status: 200 });
        expect(visits).toEqual([{ servername: 'localhost', isResumed: false, address: '127.0.0.1' }]);
        expect(await outcomeOf(send, other, askFor(guard, other))).toMatchObject({ kind: 'failed', reason: 'tls' });
        expect(visits).toHaveLength(1);
      }),
  },
  {
    promise: 'finds this machine by the resolver of the system',
    check: (guard) =>
      withVisits(async (server) => {
        const named = server.origin.replace('127.0.0.1', 'localhost');
        expect(await outcomeOf(guard.outbound(), named, askFor(guard, named))).toMatchObject({ status: 200 });
      }),
  },
  {
    promise: 'trusts no unknown authority, whatever the environment says',
    check: (guard) =>
      withVisits(async ({ origin }) => {
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
        try {
          const ask = { ...askFor(guard, origin), policy: guard.operatorPolicy({ origins: [origin] }) };
          expect(await outcomeOf(guard.outbound(), origin, ask)).toMatchObject({ kind: 'failed', reason: 'tls' });
        } finally {
          delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        }
      }),
  },
  {
    promise: 'asks each authority only for its own',
    check: (guard) =>
      withVisits(async ({ origin }) => {
        const send = guard.outbound();
        const ask = askFor(guard, origin);
        const other = guard.operatorPolicy({ origins: [origin], ca: authority('Another').cert });
        const none = guard.operatorPolicy({ origins: [origin] });
        expect(await outcomeOf(send, origin, ask)).toMatchObject({ status: 200 });
        for (const policy of [other, none]) {
          expect(await outcomeOf(send, origin, { ...ask, policy })).toMatchObject({ kind: 'failed', reason: 'tls' });
        }
        expect(await outcomeOf(send, origin, ask)).toMatchObject({ status: 200 });
      }),
  },
  {
    promise: 'keeps a real connection when asked to, and shortens no handshake',
    check: (guard) =>
      withVisits(async (server, visits) => {
        const { connect } = guard.systemNetwork();
        let connections = 0;
        const send = guard.outbound({
          connect: (place, signal) => {
            connections++;
            return connect(place, signal);
          },
        });
        const ask = askFor(guard, server.origin);
        for (let n = 0; n < 3; n++) await outcomeOf(send, server.origin, { ...ask, keepAlive: true });
        expect([connections, visits.length]).toEqual([1, 3]);
        for (let n = 0; n < 3; n++) await outcomeOf(send, server.origin, ask);
        expect([connections, visits.length]).toEqual([4, 6]);
        expect(visits.every(({ isResumed }) => !isResumed)).toBe(true);
        await expect.poll(() => server.connections()).toBe(1);
      }),
  },
  {
    promise: 'counts the pauses of its reader towards the whole, not as idleness',
    async check(guard) {
      const server = await hostileServer((socket) => {
        socket.write(reply(200, { 'content-length': '11' }, 'hello '));
        setTimeout(() => socket.write('world'), 30);
      });
      const ask = { ...askFor(guard, server.origin), limits: { idleMs: 100 } };
      const answer = await guard.outbound()(server.origin, ask);
      let text = '';
      for await (const chunk of answer.body) {
        text += Buffer.from(chunk).toString();
        await pause(150);
      }
      expect(text).toBe('hello world');
      await server.close();
    },
  },
  {
    promise: 'lets go of a connection that is still on its way',
    check: (guard) =>
      withVisits(async (server) => {
        const control = new AbortController();
        const send = guard.outbound({
          connect(place, signal) {
            const opening = guard.systemNetwork().connect(place, signal);
            control.abort(new Error('no longer wanted'));
            return opening;
          },
        });
        const sending = send(server.origin, { ...askFor(guard, server.origin), signal: control.signal });
        await expect(sending).rejects.toThrow('no longer wanted');
        await pause(50);
        await expect.poll(() => server.connections()).toBe(0);
      }),
  },
  {
    promise: 'opens a fresh connection when the other end has closed the kept one',
    async check(guard) {
      let served = 0;
      const server = await hostileServer((socket) => {
        served++;
        socket.write(reply(200, {}, 'hello'));
        setTimeout(() => socket.end(), 20);
      });
      const send = guard.outbound();
      const ask = { ...askFor(guard, server.origin), keepAlive: true, method: 'POST', body: '{}' } as const;
      for (let n = 0; n < 3; n++) {
        expect(await outcomeOf(send, server.origin, ask)).toMatchObject({ text: 'hello' });
        await expect.poll(() => server.connections()).toBe(0);
      }
      expect(served).toBe(3);
      await server.close();
    },
  },
];
