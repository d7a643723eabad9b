/** Promises about redirects. */
import { expect } from 'vitest';
import { reply } from './paper.ts';
import { FILE, type Scenario, sendThrough } from './scenario.ts';

const to = (location: string, status = 302) => reply(status, { location });
const secrets = { authorization: 'Bearer s3cret', cookie: 'a=b', 'x-api-key': 's3cret' };

export const REDIRECTS: readonly Scenario[] = [
  {
    promise: 'follows each kind of redirect, and tells where it ended',
    async check(guard) {
      for (const status of [301, 302, 303, 307, 308]) {
        const replies = [to('https://other.customer-a.com/b', status), reply(200, {}, 'there')];
        const outcome = await sendThrough(guard, { replies }, { redirects: 3 });
        expect(outcome).toMatchObject({ status: 200, text: 'there', url: 'https://other.customer-a.com/b' });
        expect(outcome.notes.lookUps).toEqual(['files.customer-a.com', 'other.customer-a.com']);
        expect(outcome.notes.identities.map(({ host }) => host)).toEqual(outcome.notes.lookUps);
      }
    },
  },
  {
    promise: 'takes what is no redirect, or leads nowhere, for an answer',
    async check(guard) {
      for (const status of [300, 304, 305, 306]) {
        const outcome = await sendThrough(guard, { replies: [to('https://127.0.0.1/', status)] }, { redirects: 3 });
        expect(outcome).toMatchObject({ status, notes: { connected: [expect.anything()] } });
      }
      expect(await sendThrough(guard, { replies: [reply(302)] }, { redirects: 3 })).toMatchObject({ status: 302 });
      expect(await sendThrough(guard, { replies: [to('')] }, { redirects: 3 })).toMatchObject({ status: 302 });
    },
  },
  {
    promise: 'follows none unless told to, and no POST',
    async check(guard) {
      const replies = [to('https://other.customer-a.com/')];
      for (const ask of [{}, { redirects: 0 }, { redirects: 3, method: 'POST', body: 'x' } as const]) {
        expect(await sendThrough(guard, { replies }, ask)).toMatchObject({
          status: 302,
          notes: { requests: [expect.any(String)] },
        });
      }
    },
  },
  {
    promise: 'follows as many as agreed and not one more',
    async check(guard) {
      const loop = () => to(FILE);
      const third = await sendThrough(
        guard,
        { replies: [loop(), loop(), loop(), reply(200, {}, 'end')] },
        { redirects: 3 },
      );
      expect(third).toMatchObject({ status: 200, text: 'end' });
      const fourth = await sendThrough(guard, { replies: [loop(), loop(), loop(), loop()] }, { redirects: 3 });
      expect(fourth).toMatchObject({ kind: 'failed', reason: 'redirects' });
      expect(fourth.notes.requests).toHaveLength(4);
      expect(fourth.notes.wires.every((wire) => wire.destroyed)).toBe(true);
    },
  },
  {
    promise: 'judges every hop from the start',
    async check(guard) {
      const ways = [
        ['http://files.customer-a.com/', 'scheme'],
        ['https://127.0.0.1/', 'address'],
        ['//169.254.169.254/latest', 'address'],
        ['https://files.customer-a.com:6379/', 'port'],
        ['https://user:pass@files.customer-a.com/', 'credentials'],
        ['https://db.internal/', 'suffix'],
        ['https://[::1', 'text'],
        [`https://files.customer-a.com/${'x'.repeat(2048)}`, 'text'],
      ] as const;
      for (const [location, reason] of ways) {
        const outcome = await sendThrough(guard, { replies: [to('/next'), to(location)] }, { redirects: 3 });
        expect(outcome).toMatchObject({ kind: 'refused', reason });
        expect(outcome.notes.requests).toHaveLength(2);
      }
    },
  },
  {
    promise: 'reads a way as its sender meant it',
    async check(guard) {
      const location = Buffer.from('../b/ü.pdf').toString('latin1');
      const { notes } = await sendThrough(guard, { replies: [to(location)] }, { redirects: 1 });
      expect(notes.requests[1]).toMatch(/^GET \/b\/%C3%BC\.pdf /);
    },
  },
  {
    promise: 'shows the headers of its caller to no other origin',
    async check(guard) {
      const headers = { ...secrets, Accept: 'text/plain', 'Accept-Language': 'de', 'user-agent': 'errand' };
      const across = await sendThrough(
        guard,
        { replies: [to('https://other.customer-a.com/')] },
        { redirects: 1, headers },
      );
      expect(across.notes.requests[0]).toContain('s3cret');
      expect(across.notes.requests[1]).not.toMatch(/s3cret|cookie/i);
      for (const line of ['accept: text/plain', 'accept-language: de', 'user-agent: errand']) {
        expect(across.notes.requests[1]).toContain(line);
      }
      const within = await sendThrough(guard, { replies: [to('/b')] }, { redirects: 1, headers });
      expect(within.notes.requests[1]).toContain('s3cret');
      const port = await sendThrough(
        guard,
        { replies: [to('https://files.customer-a.com:8443/')] },
        { redirects: 1, headers },
      );
      expect(port.notes.requests[1]).not.toContain('s3cret');
    },
  },
];
