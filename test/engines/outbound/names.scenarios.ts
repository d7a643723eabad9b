/** Promises about DNS, tested with a name server on this machine. */
import { expect } from 'vitest';
import type { Guard } from './guard.ts';
import { type NameServer, nameServer, type Zone } from './name-server.ts';
import { outcomeOf } from './outcome.ts';
import { paper } from './paper.ts';
import { FILE, publicAsk, type Scenario } from './scenario.ts';

const HOST = new URL(FILE).hostname;
const A = ['93.184.215.14', '93.184.215.15'];
const AAAA = ['2606:2800:021f:0cb0:7ea6:a3b2:1c5d:9e44'];
const PLAIN_AAAA = '2606:2800:21f:cb0:7ea6:a3b2:1c5d:9e44';

async function asking(zone: Zone, use: (server: NameServer) => Promise<void>): Promise<void> {
  const server = await nameServer(zone);
  await use(server).finally(() => server.close());
}

const never = new AbortController().signal;

const findsOnly = (guard: Guard, records: Zone[string], sought: string[]): Promise<void> =>
  asking({ [HOST]: records }, async ({ servers }) => {
    expect(await guard.nameServerLookup({ servers })(HOST, never)).toEqual(sought);
  });

export const NAMES: readonly Scenario[] = [
  {
    promise: 'finds the addresses of both families, and IPv4 first',
    check: (guard) => findsOnly(guard, { A, AAAA }, [...A, PLAIN_AAAA]),
  },
  {
    promise: 'does with one family when the other has nothing, or its server fails',
    async check(guard) {
      await findsOnly(guard, { A }, A);
      await findsOnly(guard, { AAAA }, [PLAIN_AAAA]);
      await findsOnly(guard, { A, AAAA: 'NXDOMAIN' }, A);
      await findsOnly(guard, { A: 'NXDOMAIN', AAAA }, [PLAIN_AAAA]);
      await findsOnly(guard, { A, AAAA: 'SERVFAIL' }, A);
    },
  },
  {
    promise: 'says why when there is no address at all',
    check: (guard) =>
      asking({ 'gone.customer-a.com': { A: 'NXDOMAIN', AAAA: 'NXDOMAIN' } }, async ({ servers }) => {
        const ask = guard.nameServerLookup({ servers });
        await expect(ask('gone.customer-a.com', never)).rejects.toMatchObject({ code: 'ENOTFOUND' });
        await expect(ask('empty.customer-a.com', never)).rejects.toMatchObject({ code: 'ENODATA' });
      }),
  },
  {
    promise: 'stops asking when nobody waits any longer',
    check: (guard) =>
      asking({ [HOST]: { A: 'silent', AAAA: 'silent' } }, async (server) => {
        const control = new AbortController();
        const end = guard
          .nameServerLookup(server)(HOST, control.signal)
          .catch(({ code }) => code);
        await expect.poll(() => server.asked.length, { interval: 1 }).toBe(2);
        control.abort();
        expect(await end).toBe('ECANCELLED');
      }),
  },
  {
    promise: 'judges the addresses of both families',
    check: (guard) =>
      asking({ [HOST]: { A, AAAA: ['0000:0000:0000:0000:0000:0000:0000:0001'] } }, async ({ servers }) => {
        const { resolve } = guard.systemNetwork({ ask: guard.nameServerLookup({ servers }) });
        const { notes, connect, secure } = paper();
        const outcome = await outcomeOf(guard.outbound({ resolve, connect, secure }), FILE, publicAsk(guard));
        expect(outcome).toMatchObject({ kind: 'refused', reason: 'answers' });
        expect(notes.connected).toEqual([]);
      }),
  },
  {
    promise: 'gives a silent name server no more than the time of a look-up, and leaves it alone then',
    check: (guard) =>
      asking({ [HOST]: { A: 'silent', AAAA: 'silent' } }, async ({ servers }) => {
        const ends: Promise<unknown>[] = [];
        const ask = guard.nameServerLookup({ servers });
        const { resolve } = guard.systemNetwork({
          ask(host, signal) {
            const answers = ask(host, signal);
            ends.push(answers.catch(({ code }) => code));
            return answers;
          },
        });
        const send = guard.outbound({ resolve, limits: { resolveMs: 50 } });
        expect(await outcomeOf(send, FILE, publicAsk(guard))).toMatchObject({ kind: 'failed', reason: 'resolveTime' });
        expect(await Promise.all(ends)).toEqual(['ECANCELLED']);
      }),
  },
  {
    promise: 'asks the name servers for what strangers name, and the system for everything else',
    async check(guard) {
      const { resolve } = guard.systemNetwork({ ask: async (host) => [`asked for ${host}`] });
      expect(await resolve('localhost', { reach: 'public', signal: never })).toEqual(['asked for localhost']);
      for (const reach of ['loopback', 'anywhere'] as const) {
        const answers = await resolve('localhost', { reach, signal: never });
        expect(guard.areAllowedIps(answers, 'loopback')).toBe(true);
      }
    },
  },
];
