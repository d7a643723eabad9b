/** What the table answers: at once, from SQLite, without waiting for the group of writes. */

import {
  checkInstant,
  checkKey,
  checkKeys,
  checkLimit,
  checkText,
  isKeyText,
  ROW_LIMITS,
} from '../shared/core/port-limits.ts';
import { cursorOf, parseCursor } from '../shared/core/table-reads.ts';
import type { Clock, Key, Page, Paging, Row, Table } from '../shared/ports.ts';
import { listedOf, rowOf } from './table-rows.ts';
import type { Statements } from './table-statements.ts';

const LAST_POSITION = '\u{10ffff}';

export function tableReads(sql: Statements, clock: Clock): Pick<Table, 'get' | 'getMany' | 'rows' | 'listed' | 'due'> {
  const read = <T>(key: Key): Row<T> | undefined => {
    checkKey(key);
    const found = sql.get.get(key.pk, key.sk, clock.now());
    return found && rowOf<T>(key.pk, found);
  };

  return {
    get: async (key) => read(key),

    async getMany<T>(keys: Key[]) {
      checkKeys(keys);
      return keys.map((key) => read<T>(key));
    },

    async rows<T>(pk: string, prefix: string, paging: Paging) {
      checkText(pk, ROW_LIMITS.pkBytes, 'pk');
      const after = positionIn(paging, (position) => position.startsWith(prefix));
      const select = paging.newestFirst ? sql.rows.back : sql.rows.forward;
      const from = after === undefined || paging.newestFirst ? prefix : `${after}\0`; // the very next text
      const to = after !== undefined && paging.newestFirst ? after : endOf(prefix);
      const found = select.all(pk, from, to, clock.now(), paging.limit + 1);
      return pageOf({
        rows: found.map((row) => rowOf<T>(pk, row)),
        limit: paging.limit,
        position: (row) => row.sk,
      });
    },

    async listed(list, paging) {
      checkText(list, ROW_LIMITS.pkBytes, 'list');
      const after = positionIn(paging, (position) => /^\d{1,16}#/.test(position));
      const select = paging.newestFirst ? sql.listed.back : sql.listed.forward;
      const [at, id] = after ? splitPosition(after) : [paging.newestFirst ? Number.MAX_SAFE_INTEGER : -1, ''];
      const found = select.all(list, at, id, clock.now(), paging.limit + 1);
      return pageOf({
        rows: found.map(listedOf),
        limit: paging.limit,
        position: (row) => `${row.at}#${row.id}`,
      });
    },

    async due(shard, before, limit) {
      checkInstant(before, 'before');
      checkLimit(limit);
      return sql.due.all(shard, before, clock.now(), limit).map((row) => ({ pk: String(row.pk), sk: String(row.sk) }));
    },
  };
}

function positionIn({ after, limit }: Paging, isPosition: (position: string) => boolean): string | undefined {
  checkLimit(limit);
  if (after === undefined) return undefined;
  return parseCursor(after, (position) => isKeyText(position, ROW_LIMITS.skBytes) && isPosition(position));
}

/** One more row than asked for tells whether another page follows. */
function pageOf<T>({ rows, limit, position }: { rows: T[]; limit: number; position: (row: T) => string }): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, ...(rows.length > limit && last ? { next: cursorOf(position(last)) } : {}) };
}

function splitPosition(position: string): [number, string] {
  const at = position.indexOf('#');
  return [Number(position.slice(0, at)), position.slice(at + 1)];
}

/** The first text, in byte order, behind all that begin with the prefix. */
function endOf(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return `${LAST_POSITION}~`;
  const next = last === 0xd7ff ? 0xe000 : last + 1; // surrogates are no characters
  return String.fromCodePoint(...points, next);
}
