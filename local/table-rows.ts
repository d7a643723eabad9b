/** Between rows of the port and rows of SQLite. */
import type { SQLInputValue } from 'node:sqlite';
import { shardOf } from '../shared/core/shard.ts';
import type { Draft, Key, Listed, Row } from '../shared/ports.ts';

type Columns = Record<string, SQLInputValue>;

/** The columns behind the key, in the order of the statements. */
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

export const rowOf = <T>(found: Columns): Row<T> => ({
  pk: found.pk as string,
  sk: found.sk as string,
  version: found.version as string,
  value: JSON.parse(found.value as string) as T,
  ...(found.list === null ? {} : { listed: listedOf(found) }),
  ...(found.due === null ? {} : { dueAt: found.due as number }),
  ...(found.expires === null ? {} : { expiresAt: found.expires as number }),
});

export const listedOf = (found: Columns): Listed => ({
  list: found.list as string,
  at: found.at as number,
  id: found.id as string,
  state: found.state as string,
  type: found.type as string,
  priority: found.priority as number,
  ...(found.ended === null ? {} : { endedAt: found.ended as number }),
});
