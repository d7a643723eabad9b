/** Commands of the operator's process to the product's connections, through the table. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sqliteAdminStore } from '../../../adapters/local/context.ts';
import { carryOutOrders, orderedSockets } from '../../../adapters/local/socket-orders.ts';
import { setDisabled } from '../../../shared/accounts/users.ts';
import { announce } from '../../../shared/realtime/announce.ts';
import { connectionSlots } from '../../../shared/realtime/connection-slots.ts';
import { endConnections } from '../../../shared/realtime/end-connections.ts';
import { eraseOrganization } from '../../../shared/transfer/erase-organization.ts';
import { openSockets, type SocketSetup } from './setup.ts';
import { type VirtualConnection, virtualSockets } from './virtual.ts';

let at: SocketSetup;
let channel: ReturnType<typeof virtualSockets>;
beforeEach(async () => {
  at = await openSockets();
  channel = virtualSockets(at);
});
afterEach(() => at.close());

async function listening(of: string, channels: string[] = ['system_notifications']): Promise<VirtualConnection> {
  const line = channel.open();
  await channel.say(line, { type: 'authenticate', token: await at.token(of) });
  if (channels.length > 0) await channel.say(line, { type: 'subscribe', channels });
  line.heard.splice(0);
  return line;
}

const ordering = () => ({ ...at, sockets: orderedSockets(at) });

it('executes each command once and in order, and ignores commands that are too old', async () => {
  const line = await listening(at.organization);
  const { sockets } = ordering();
  for (const text of ['"1"', '"2"']) await sockets.post(line.id, text);
  await carryOutOrders(at.table, channel.sockets);
  await carryOutOrders(at.table, channel.sockets);
  expect(line.heard).toEqual(['1', '2']);
  await sockets.post(line.id, '"3"');
  at.clock.pass(61_000);
  await carryOutOrders(at.table, channel.sockets);
  expect(line.heard).toEqual(['1', '2']);
});

it('sends an announcement only to the subscribed connections of one organization', async () => {
  const [mine, deaf, theirs] = [
    await listening(at.organization),
    await listening(at.organization, ['task_updates']),
    await listening(at.ids.uuid()),
  ];
  expect(await announce(ordering(), '"hear"', at.organization)).toBe(1);
  await carryOutOrders(at.table, channel.sockets);
  expect([mine.heard, deaf.heard, theirs.heard]).toEqual([['hear'], [], []]);
});

it('closes only the connections of one user, and frees their slots', async () => {
  const user = await at.user();
  const line = channel.open();
  await channel.say(line, { type: 'authenticate', token: await at.token(undefined, user) });
  const otherLine = await listening(at.organization);
  await endConnections(ordering(), at.organization, `user:${user.id}`);
  await carryOutOrders(at.table, channel.sockets);
  expect([...channel.lines.keys()]).toEqual([otherLine.id]);
  expect((await connectionSlots.read(at, at.organization)).map(({ connection }) => connection)).toEqual([otherLine.id]);
});

it('closes a connection whose credential was revoked with the reason, in the process that holds it', async () => {
  const user = await at.user();
  const line = channel.open();
  await channel.say(line, { type: 'authenticate', token: await at.token(undefined, user) });
  await endConnections(ordering(), at.organization, `user:${user.id}`);
  const close = vi.fn(async () => undefined);
  await carryOutOrders(at.table, { ...channel.sockets, close });
  expect(close.mock.calls).toEqual([[line.id, 'UNAUTHORIZED']]);
});

it('keeps the slot of a connection that could not be closed, and reports that it has to be retried', async () => {
  const user = await at.user();
  const line = channel.open();
  await channel.say(line, { type: 'authenticate', token: await at.token(undefined, user) });
  const stuck = { ...at, sockets: { close: async () => Promise.reject(new Error('throttled')) } };
  const ended = endConnections(stuck, at.organization, `user:${user.id}`);
  await expect(ended).rejects.toThrow('1 open connections were not closed: repeat it');
  expect((await connectionSlots.read(at, at.organization)).map(({ connection }) => connection)).toEqual([line.id]);
});

it('closes the connection of a user who was disabled while it was being authenticated', async () => {
  const user = await at.user();
  const token = await at.token(undefined, user);
  const line = channel.open();
  // The slot is written last; by then the user has changed.
  const { insert } = at.table;
  vi.spyOn(at.table, 'insert').mockImplementation(async (draft) => {
    if (draft.sk === 'SOCKETS') await setDisabled(at.table, user.id, true);
    return insert(draft);
  });
  await channel.say(line, { type: 'authenticate', token });
  expect(line.heard).toEqual([expect.objectContaining({ type: 'error', code: 'UNAUTHORIZED' })]);
  expect(await connectionSlots.read(at, at.organization)).toEqual([]);
  await channel.say(line, { type: 'subscribe', channels: ['task_updates'] });
  expect(line.heard.at(-1)).toMatchObject({ type: 'error', code: 'UNAUTHORIZED' });
});

it('closes the connections of an organization that is erased', async () => {
  const [mine, theirs] = [await listening(at.organization), await listening(at.ids.uuid())];
  const everything = sqliteAdminStore({ ...at, mails: '' });
  await eraseOrganization({ ...at, everything, sockets: channel.sockets }, at.organization);
  expect([...channel.lines.keys()]).toEqual([theirs.id]);
  expect(mine.heard).toEqual([]);
  expect(await connectionSlots.read(at, at.organization)).toEqual([]);
});
