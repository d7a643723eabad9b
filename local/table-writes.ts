/** What changes the table: each call one conditional statement, answered when its group is on the disk. */
import { checkedJson, checkKey, checkSpend } from '../shared/core/port-limits.ts';
import type { Clock, Draft, Ids, Listed, Row, Table } from '../shared/ports.ts';
import type { groupedWrites } from './grouped-writes.ts';
import { spendOn } from './table-counters.ts';
import { columnsOf, inPlace } from './table-rows.ts';
import type { Statements } from './table-statements.ts';

type Write = ReturnType<typeof groupedWrites>['write'];
type Writes = Pick<Table, 'insert' | 'replace' | 'remove' | 'spend'>;

export function tableWrites(sql: Statements, o: { write: Write; clock: Clock; ids: Ids }): Writes {
  const { write, clock, ids } = o;

  /** Judged at once, written later. */
  function inserting(draft: Draft<unknown>, version = ids.mark()): () => number | bigint {
    const columns = columnsOf(draft, version, checkedJson(draft), draft);
    return () => sql.insert.run(draft.pk, draft.sk, ...columns, clock.now()).changes;
  }

  return {
    async insert(draft, first = []) {
      const version = ids.mark();
      const inserts = [...first.map((one) => inserting(one)), inserting(draft, version)];
      const written = await write(() => allOf(inserts));
      return written === 1 ? { ...draft, version } : undefined;
    },

    async replace(held, next, { first = [], durability = 'full' } = {}) {
      const { pk, sk } = held;
      const version = ids.mark();
      const columns = columnsOf({ pk, sk }, version, checkedJson({ ...next, pk, sk }), next);
      const [statement, values] = staysInPlace(held, next)
        ? ([sql.replaceInPlace, inPlace(columns)] as const)
        : ([sql.replace, columns] as const);
      const inserts = first.map((one) => inserting(one));
      const written = await write(() => {
        allOf(inserts);
        return statement.run(...values, pk, sk, held.version, clock.now()).changes;
      }, durability);
      return written === 1 ? { ...next, pk, sk, version } : undefined;
    },

    async remove({ pk, sk, version }) {
      checkKey({ pk, sk });
      return (await write(() => sql.remove.run(pk, sk, version, clock.now()).changes)) === 1;
    },

    async spend(key, spend) {
      checkKey(key);
      checkSpend(spend);
      return write(() => spendOn(sql, { key, spend, version: ids.mark(), now: clock.now() }), 'relaxed');
    },
  };
}

/** Its place in a list and its expiry are as they were. What is held may be a row, or no more than a key and a version. */
function staysInPlace(held: Partial<Row<unknown>>, next: Pick<Draft<unknown>, 'listed' | 'expiresAt'>): boolean {
  if (!('value' in held) || held.expiresAt !== next.expiresAt) return false;
  const [was, is] = [held.listed, next.listed];
  return was === undefined ? is === undefined : is !== undefined && LISTED.every((name) => was[name] === is[name]);
}

const LISTED = ['list', 'at', 'id', 'state', 'type', 'priority', 'endedAt'] as const satisfies (keyof Listed)[];

/** One after the other; answers what the last one changed. */
const allOf = (inserts: (() => number | bigint)[]): number | bigint =>
  inserts.reduce<number | bigint>((_, insert) => insert(), 0);
