/** The five connections of an organization, and how long each keeps its slot. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import type { SocketSetup } from './setup.ts';
import { error, MINUTE_MS, withClients } from './with-clients.ts';

const { at: opened, open, authenticated, listening, places } = withClients();
let at: SocketSetup;
beforeEach(() => {
  at = opened();
});

describe('connection slots', () => {
  it('are exactly five for each organization, however many connections arrive at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, () => at.token()));
    const clients = await Promise.all(tokens.map(open));
    clients.forEach((client, index) => void client.send({ type: 'authenticate', token: tokens[index] }));
    const answers = await Promise.all(clients.map((client) => client.next()));
    const refusedClients = clients.filter((_, index) => answers[index].type === 'error');
    expect(refusedClients).toHaveLength(195);
    expect(answers.filter(({ type }) => type === 'error')).toEqual(
      refusedClients.map(() => error('RATE_LIMIT_EXCEEDED')),
    );
    const closings = await Promise.all(refusedClients.map((client) => client.closed()));
    expect(closings).toEqual(refusedClients.map(() => ({ code: 1_008, reason: 'RATE_LIMIT_EXCEEDED' })));
    expect(await places()).toBe(5);
    await authenticated(at.ids.uuid());
  });

  it('are freed when a connection closes', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => authenticated()));
    five[0]?.close();
    await vi.waitFor(async () => expect(await places()).toBe(4));
    await authenticated();
  });

  it('are freed by closing a connection that is idle for ten minutes, and none with traffic', async () => {
    const [silent, hearing, speaking] = [await authenticated(), await listening(), await authenticated()];
    for (let minutes = 0; minutes < 12; minutes += 4) {
      at.clock.pass(4 * MINUTE_MS);
      speaking.send({ type: 'ping' });
      const heard = hearing.messages.length;
      at.notify(at.organization, { level: 'info', message: 'Still here' });
      await vi.waitFor(() => expect(hearing.messages.length).toBeGreaterThan(heard));
      await speaking.next();
    }
    await silent.closed();
    await vi.waitFor(async () => expect(await places()).toBe(2));
  });

  it('are freed after two hours, with an announcement before the connection closes', async () => {
    const client = await authenticated();
    const quiet = { ...at, ...at.ports, sayEnding: at.connections.sayEnding };
    const keep = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        at.clock.pass(MINUTE_MS);
        client.send({ type: 'ping' });
        await client.next();
        await reconcile(quiet);
      }
    };
    await keep(114);
    expect(client.messages.filter(({ type }) => type === 'connection_ending')).toEqual([]);
    at.clock.pass(MINUTE_MS);
    await reconcile(quiet);
    await reconcile(quiet);
    expect(await client.next()).toMatchObject({ type: 'connection_ending', ends_at: '2026-06-01T14:00:00.000Z' });
    await keep(4);
    at.clock.pass(MINUTE_MS);
    await client.closed();
    expect(client.messages.filter(({ type }) => type === 'connection_ending')).toHaveLength(1);
    expect(await places()).toBe(0);
  });
});
