/** A new channel for each test, and clients that are closed after it. */
import { afterEach, beforeEach, expect } from 'vitest';
import { connectionSlots } from '../../../shared/realtime/connection-slots.ts';
import { type Client, connect, subscribe } from './client.ts';
import { openSockets, type SocketSetup } from './setup.ts';

export const MINUTE_MS = 60_000;

/** Without its message, whose wording may change. */
export const error = (code: string) => ({ type: 'error', code, message: expect.any(String) });

export function withClients() {
  let at: SocketSetup;
  const clients: Client[] = [];
  beforeEach(async () => {
    at = await openSockets();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await at.close();
  });

  async function open(): Promise<Client> {
    const client = await connect(at.wsUrl);
    clients.push(client);
    return client;
  }

  return {
    at: () => at,
    open,
    async authenticated(of?: string): Promise<Client> {
      const client = await open();
      client.send({ type: 'authenticate', token: await at.token(of) });
      expect(await client.next()).toEqual({ type: 'authenticated' });
      return client;
    },
    async listening(more: object = {}, of?: string): Promise<Client> {
      const client = await subscribe(at.wsUrl, await at.token(of), more);
      clients.push(client);
      return client;
    },
    places: async () => (await connectionSlots.read(at, at.organization)).length,
  };
}
