/** Converts between rows of the port and rows of SQLite. */
import { shardOf } from '../../shared/core/shard.ts';
import type { Draft, Key, ListEntry, Row } from '../../shared/ports.ts';
import type { StoredRow } from './database.ts';

/** The columns after the key, in the order of the statements. */
export function columnsOf(key: Key, version: string, text: string, draft: Omit<Draft<unknown>, keyof Key | 'value'>) {
  const { listed, dueAt, expiresAt } = draft;
  return [
    version,
    text,
    0,
    listed?.list ?? null,
    listed?.at ?? null,
    listed?.id ?? null,
    listed?.state ?? null,
    listed?.type ?? null,
    listed?.priority ?? null,
    listed?.endedAt ?? null,
    dueAt === undefined ? null : shardOf(key),
    dueAt ?? null,
    expiresAt ?? null,
  ];
}

/** The subset that changes when a row keeps its position in a list and its expiry. */
export const inPlace = (columns: ReturnType<typeof columnsOf>) => [...columns.slice(0, 2), ...columns.slice(10, 12)];

export function rowOf<T>(pk: string, stored: StoredRow): Row<T> {
  const [list, , , , , , , sk, version, value, due, expires] = stored;
  const row: Row<T> = { pk, sk: sk as string, version: version as string, value: JSON.parse(value as string) as T };
  if (list !== null) row.listed = listedOf(stored);
  if (due !== null) row.dueAt = due as number;
  if (expires !== null) row.expiresAt = expires as number;
  return row;
}

export function listedOf([list, at, id, state, type, priority, ended]: StoredRow): ListEntry {
  const listed: ListEntry = {
    list: list as string,
    at: at as number,
    id: id as string,
    state: state as string,
    type: type as string,
    priority: priority as number,
  };
  if (ended !== null) listed.endedAt = ended as number;
  return listed;
}
