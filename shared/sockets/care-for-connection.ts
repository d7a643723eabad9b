/** A connection whose time has come: told that it will end, and then forgotten, whoever forgot to say that it did. */
import type { Key } from '../ports.ts';
import { connectionById, connectionDraft, parseConnectionKey, removeConnection } from './connection.ts';
import type { SlotPorts } from './places.ts';

/** Says to a connection that it ends then. */
export type NotifyConnectionEnd = (connection: string, endsAt: number) => Promise<'sent' | 'gone'>;

export async function maintainConnection(
  ports: SlotPorts & { sayEnding: NotifyConnectionEnd },
  key: Key,
): Promise<void> {
  const id = parseConnectionKey(key);
  const row = await connectionById(ports.table, id);
  if (!row || row.dueAt === undefined || row.dueAt > ports.clock.now()) return;
  const { endsAt, warned } = row.value;
  if (warned || endsAt <= ports.clock.now()) return void (await removeConnection(ports, id));
  const { pk: _pk, sk: _sk, ...next } = connectionDraft(id, { ...row.value, warned: true });
  if (!(await ports.table.replace(row, next))) return;
  if ((await ports.sayEnding(id, endsAt)) === 'gone') await removeConnection(ports, id);
}
