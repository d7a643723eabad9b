/** Promises about look-ups and connections. */
import { expect } from 'vitest';
import { outcomeOf } from './outcome.ts';
import { PUBLIC, paper, reply } from './paper.ts';
import { FILE, publicAsk, type Scenario, sendThrough } from './scenario.ts';

const host = 'files.customer-a.com';
const V6 = '2606:4700:4700::1111';
const refused = { kind: 'refused' };

export const CONNECTIONS: readonly Scenario[] = [
  {
    promise: 'looks a name up once and speaks to the judged address under the right name',
    async check(guard) {
      const { notes, ...outcome } = await sendThrough(guard, { replies: [reply(200, {}, 'hello')] });
      expect(outcome).toEqual({ status: 200, text: 'hello', url: FILE });
      expect([notes.lookUps, notes.connected]).toEqual([[host], [PUBLIC]]);
      expect(notes.identities).toEqual([{ host, ca: undefined }]);
      expect(notes.requests[0]).toMatch(/^GET \/a\.pdf HTTP\/1\.1\r\n/);
      expect(notes.requests[0]).toMatch(/\r\nhost: files\.customer-a\.com\r\n/i);
    },
  },
  {
    promise: 'looks no address up, and names the port to the server',
    async check(guard) {
      const { notes } = await sendThrough(guard, {}, {}, `https://[${V6}]:8443/x?y=1`);
      expect([notes.lookUps, notes.connected]).toEqual([[], [V6]]);
      expect(notes.identities).toEqual([{ host: V6, ca: undefined }]);
      expect(notes.requests[0]).toMatch(/^GET \/x\?y=1 .*\r\nhost: \[2606:4700:4700::1111\]:8443\r\n/is);
    },
  },
  {
    promise: 'connects to nothing when one of the answers is private, whichever it is',
    async check(guard) {
      for (const answers of [['10.0.0.1', PUBLIC], [PUBLIC, '10.0.0.1'], [PUBLIC, V6, 'fd00::1'], ['::ffff:8.8.8.8']]) {
        const outcome = await sendThrough(guard, { dns: { [host]: [answers] } });
        expect(outcome).toMatchObject({ ...refused, reason: 'answers' });
        expect(outcome.notes.connected).toEqual([]);
      }
    },
  },
  {
    promise: 'judges every attempt by its own look-up',
    async check(guard) {
      const network = paper({ dns: { [host]: [[PUBLIC], ['127.0.0.1']] } });
      const send = guard.outbound(network);
      expect(await outcomeOf(send, FILE, publicAsk(guard))).toMatchObject({ status: 200 });
      expect(await outcomeOf(send, FILE, publicAsk(guard))).toMatchObject(refused);
      expect(network.notes.connected).toEqual([PUBLIC]);
    },
  },
  {
    promise: 'says nothing to a connection that leads to another address than the judged one',
    async check(guard) {
      const outcome = await sendThrough(guard, { remoteOf: () => '10.0.0.1' });
      expect(outcome).toMatchObject({ ...refused, reason: 'remote' });
      expect([outcome.notes.requests, outcome.notes.identities]).toEqual([[], []]);
      expect(outcome.notes.wires.every((wire) => wire.destroyed)).toBe(true);
    },
  },
  {
    promise: 'says nothing to a connection that leads nowhere any more',
    async check(guard) {
      const outcome = await sendThrough(guard, { remoteOf: () => undefined });
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'connect', notes: { requests: [], identities: [] } });
    },
  },
  {
    promise: 'knows a judged address again in another spelling',
    async check(guard) {
      const dns = { [host]: [['2606:4700:4700:0:0:0:0:1111']] };
      expect(await sendThrough(guard, { dns })).toMatchObject({ status: 200, notes: { connected: [V6] } });
    },
  },
  {
    promise: 'tries an address of the other family when the first choice is unreachable',
    async check(guard) {
      const dns = { [host]: [[V6, '2606:4700:4700::1001', PUBLIC]] };
      const outcome = await sendThrough(guard, { dns, refusesConnections: (address) => address === V6 });
      expect(outcome).toMatchObject({ status: 200, notes: { lookUps: [host], connected: [V6, PUBLIC] } });
      const neither = await sendThrough(guard, { dns, refusesConnections: () => true });
      expect(neither).toMatchObject({ kind: 'failed', reason: 'connect', notes: { connected: [V6, PUBLIC] } });
      const astray = await sendThrough(guard, { dns, remoteOf: () => '10.0.0.1' });
      expect(astray).toMatchObject({ reason: 'remote', notes: { connected: [V6] } });
    },
  },
  {
    promise: 'tells a name that nobody knows from a refusal',
    async check(guard) {
      const failed = { kind: 'failed', reason: 'resolve' };
      expect(await sendThrough(guard, { dns: { [host]: 'SERVFAIL' } })).toMatchObject(failed);
      expect(await sendThrough(guard, { dns: { [host]: [[]] } })).toMatchObject(failed);
    },
  },
  {
    promise: 'takes a foreign certificate authority for the listed origins alone',
    async check(guard) {
      const policy = guard.publicPolicy({ ownHosts: [], allowSources: ['https://10.0.0.1:4443'], ca: 'PEM' });
      const source = await sendThrough(guard, {}, { policy }, 'https://10.0.0.1:4443/a');
      expect(source.notes).toMatchObject({ connected: ['10.0.0.1'], identities: [{ host: '10.0.0.1', ca: 'PEM' }] });
      expect((await sendThrough(guard, {}, { policy })).notes.identities).toEqual([{ host, ca: undefined }]);
    },
  },
  {
    promise: 'delivers local webhooks in plain HTTP, and to this machine alone',
    async check(guard) {
      const policy = guard.localWebhookPolicy({ ownHosts: [] });
      const address = 'http://localhost:5000/hook';
      const here = await sendThrough(guard, { dns: { localhost: [['::1', '127.0.0.1']] } }, { policy }, address);
      expect(here).toMatchObject({ status: 200, notes: { connected: ['::1'], identities: [] } });
      const elsewhere = await sendThrough(guard, { dns: { localhost: [['10.0.0.1']] } }, { policy }, address);
      expect(elsewhere).toMatchObject({ ...refused, notes: { connected: [] } });
    },
  },
];
