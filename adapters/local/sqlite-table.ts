/** The table on SQLite. Reads are synchronous; writes are grouped into transactions. */

import { cursorOf, parseCursor } from '../../shared/core/cursor.ts';
import {
  checkedJson,
  checkInstant,
  checkLimit,
  checkRowKey,
  checkRowKeys,
  checkSpend,
  checkText,
  isKeyText,
  ROW_LIMITS,
} from '../../shared/core/row-limits.ts';
import type {
  Clock,
  Counts,
  Draft,
  Ids,
  Key,
  ListEntry,
  Page,
  Paging,
  RawRow,
  Row,
  Spend,
  Table,
} from '../../shared/ports.ts';
import { beforeClosing, integrityOf, openDatabase, type Statements, statements } from './database.ts';
import { groupedWrites } from './group-commit.ts';
import { logSync } from './log-sync.ts';
import { columnsOf, inPlace, listedOf, rowOf } from './sqlite-rows.ts';

const LAST_POSITION = '\u{10ffff}';

function tableReads(sql: Statements, clock: Clock): Pick<Table, 'get' | 'getMany' | 'rows' | 'listed' | 'due'> {
  const read = <T>(key: Key): Row<T> | undefined => {
    checkRowKey(key);
    const stored = sql.get.get(key.pk, key.sk, clock.now());
    return stored && rowOf<T>(key.pk, stored);
  };

  return {
    get: async (key) => read(key),

    async getMany<T>(keys: Key[]) {
      checkRowKeys(keys);
      return keys.map((key) => read<T>(key));
    },

    async rows<T>(pk: string, prefix: string, paging: Paging) {
      checkText(pk, ROW_LIMITS.pkBytes, 'pk');
      const after = positionIn(paging, (position) => position.startsWith(prefix));
      const select = paging.newestFirst ? sql.rows.back : sql.rows.forward;
      const from = after === undefined || paging.newestFirst ? prefix : `${after}\0`; // the smallest text greater than `after`
      const to = after !== undefined && paging.newestFirst ? after : endOf(prefix);
      const storedRows = select.all(pk, from, to, clock.now(), paging.limit + 1);
      return pageOf({
        rows: storedRows.map((row) => rowOf<T>(pk, row)),
        limit: paging.limit,
        position: (row) => row.sk,
      });
    },

    async listed(list, paging) {
      checkText(list, ROW_LIMITS.pkBytes, 'list');
      const after = positionIn(paging, (position) => /^\d{1,16}#/.test(position));
      const select = paging.newestFirst ? sql.listed.back : sql.listed.forward;
      const [at, id] = after ? splitPosition(after) : [paging.newestFirst ? Number.MAX_SAFE_INTEGER : -1, ''];
      const storedRows = select.all(list, at, id, clock.now(), paging.limit + 1);
      return pageOf({
        rows: storedRows.map(listedOf),
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

/** One row beyond the limit was read, to know whether another page follows. */
function pageOf<T>({ rows, limit, position }: { rows: T[]; limit: number; position: (row: T) => string }): Page<T> {
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  return { rows: pageRows, ...(rows.length > limit && last ? { next: cursorOf(position(last)) } : {}) };
}

function splitPosition(position: string): [number, string] {
  const at = position.indexOf('#');
  return [Number(position.slice(0, at)), position.slice(at + 1)];
}

/** The first text, in byte order, after all texts with the prefix. */
function endOf(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return `${LAST_POSITION}~`;
  const next = last === 0xd7ff ? 0xe000 : last + 1; // skips surrogates, which are not characters
  return String.fromCodePoint(...points, next);
}

/** Bounded counters: read, checked and written inside one transaction. */
type Change = { key: Key; spend: Spend; version: string; now: number };

const COUNTER = 2; // the index of `counter`

function spendOn(sql: Statements, { key, spend, version, now }: Change) {
  const stored = sql.counter.get(key.pk, key.sk, now);
  if (stored && stored.counter !== 1) throw new Error(`${key.pk} / ${key.sk} is a row, not a counter.`);
  const counts: Counts = stored ? (JSON.parse(stored.value as string) as Counts) : {};

  const sums = new Map(Object.entries(counts));
  for (const [name, amount] of Object.entries(spend.by)) sums.set(name, (sums.get(name) ?? 0) + amount);
  const within = Object.entries(spend.atMost).every(([name, max]) => (sums.get(name) ?? 0) <= max);
  if (!within) return { spent: false, now: counts };
  const after: Counts = Object.fromEntries(sums);

  const text = JSON.stringify(after);
  if (stored) {
    // The expiry of the first spend stays: a counter ends with its window.
    sql.count.run(version, text, key.pk, key.sk, stored.version as string, now);
    return { spent: true, now: after };
  }
  const columns = columnsOf(key, version, text, spend);
  columns[COUNTER] = 1;
  sql.insert.run(key.pk, key.sk, ...columns, now);
  return { spent: true, now: after };
}

/** Writes: each call is one conditional statement and resolves when its group is on disk. */
type Write = ReturnType<typeof groupedWrites>['write'];
type Writes = Pick<Table, 'insert' | 'replace' | 'remove' | 'spend'>;

function tableWrites(sql: Statements, o: { write: Write; clock: Clock; ids: Ids }): Writes {
  const { write, clock, ids } = o;

  /** Validates now and returns the write, which runs later. */
  function inserting(draft: Draft<unknown>, version = ids.mark()): () => number | bigint {
    const columns = columnsOf(draft, version, checkedJson(draft), draft);
    return () => sql.insert.run(draft.pk, draft.sk, ...columns, clock.now()).changes;
  }

  return {
    async insert(draft, prerequisites = []) {
      const version = ids.mark();
      const inserts = [...prerequisites.map((prerequisite) => inserting(prerequisite)), inserting(draft, version)];
      const written = await write(() => allOf(inserts));
      return written === 1 ? { ...draft, version } : undefined;
    },

    async replace(current, next, { prerequisites = [], durability = 'full' } = {}) {
      const { pk, sk } = current;
      const version = ids.mark();
      const columns = columnsOf({ pk, sk }, version, checkedJson({ ...next, pk, sk }), next);
      const [statement, values] = staysInPlace(current, next)
        ? ([sql.replaceInPlace, inPlace(columns)] as const)
        : ([sql.replace, columns] as const);
      const inserts = prerequisites.map((prerequisite) => inserting(prerequisite));
      const written = await write(() => {
        allOf(inserts);
        return statement.run(...values, pk, sk, current.version, clock.now()).changes;
      }, durability);
      return written === 1 ? { ...next, pk, sk, version } : undefined;
    },

    async remove({ pk, sk, version }) {
      checkRowKey({ pk, sk });
      return (await write(() => sql.remove.run(pk, sk, version, clock.now()).changes)) === 1;
    },

    async spend(key, spend) {
      checkRowKey(key);
      checkSpend(spend);
      return write(() => spendOn(sql, { key, spend, version: ids.mark(), now: clock.now() }), 'relaxed');
    },
  };
}

/** Whether the row keeps its position in a list and its expiry. `current` may be a row, or only a key and a version. */
function staysInPlace(current: Partial<Row<unknown>>, next: Pick<Draft<unknown>, 'listed' | 'expiresAt'>): boolean {
  if (!('value' in current) || current.expiresAt !== next.expiresAt) return false;
  const [before, after] = [current.listed, next.listed];
  return before === undefined
    ? after === undefined
    : after !== undefined && LISTED.every((name) => before[name] === after[name]);
}

const LISTED = ['list', 'at', 'id', 'state', 'type', 'priority', 'endedAt'] as const satisfies (keyof ListEntry)[];

/** Runs the inserts in order and returns the number of changes of the last one. */
const allOf = (inserts: (() => number | bigint)[]): number | bigint =>
  inserts.reduce<number | bigint>((_, insert) => insert(), 0);

export type LocalTable = Table & {
  /** Deletes at most `max` expired rows and returns their number. */
  sweep(max: number): Promise<number>;
  /** The keys of all rows of this kind with a due time, however far ahead. */
  dueKeys(sk: string): Key[];
  /** Checks every index against the rows; returns the number of rows and the faults. */
  check(): { rows: number; faults: string[] };
  /** Includes expired rows, in the order of their keys. */
  rowsContaining(text: string, paging?: { after: Key; limit: number }): RawRow[];
  erase(keys: Key[]): Promise<void>;
  /** Truncates the log, which still contains removed rows. */
  forget(): void;
  /** Returns `undefined` if everything that was read is durable already, apart from relaxed writes. */
  settled(): Promise<void> | undefined;
  close(): void;
};

/** SQLite takes a negative limit for none. */
const ALL_ROWS = { after: { pk: '', sk: '' }, limit: -1 };

export function sqliteTable(o: { file: string; clock: Clock; ids: Ids }): LocalTable {
  const db = openDatabase(o.file);
  const sql = statements(db);
  const { write, settled, close } = groupedWrites(db, logSync(o.file));
  return {
    ...tableReads(sql, o.clock),
    ...tableWrites(sql, { write, clock: o.clock, ids: o.ids }),
    sweep: (max) => write(() => Number(sql.sweep.run(o.clock.now(), max).changes)),
    dueKeys: (sk) => sql.dueKeys.all(sk, o.clock.now()).map(({ pk }) => ({ pk: String(pk), sk })),
    settled,
    check: () => integrityOf(db),
    rowsContaining: (text, { after, limit } = ALL_ROWS) =>
      sql.containing
        .all(after.pk, after.sk, text, text, limit)
        .map(({ pk, sk, value }) => ({ pk: String(pk), sk: String(sk), value: JSON.parse(String(value)) })),
    erase: (keys) =>
      write(() => {
        for (const { pk, sk } of keys) sql.erase.run(pk, sk);
      }),
    forget: () => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close() {
      beforeClosing(db);
      close();
      db.close();
    },
  };
}
