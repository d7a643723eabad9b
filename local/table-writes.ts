/** What changes the table: each call one conditional statement, answered when its group is on the disk. */
import { checkedJson, checkKey, checkSpend } from '../shared/core/table-limits.ts';
import type { Clock, Ids, Table } from '../shared/ports.ts';
import type { groupedWrites } from './grouped-writes.ts';
import { spendOn } from './table-counters.ts';
import { columnsOf } from './table-rows.ts';
import type { Statements } from './table-statements.ts';

type Write = ReturnType<typeof groupedWrites>['write'];
type Writes = Pick<Table, 'insert' | 'replace' | 'remove' | 'spend'>;

export function tableWrites(sql: Statements, o: { write: Write; clock: Clock; ids: Ids }): Writes {
  const { write, clock, ids } = o;
  return {
    async insert(draft) {
      const version = ids.mark();
      const columns = columnsOf(draft, version, checkedJson(draft), draft);
      const written = await write(() => sql.insert.run(draft.pk, draft.sk, ...columns, clock.now()).changes);
      return written === 1 ? { ...draft, version } : undefined;
    },

    async replace({ pk, sk, version: held }, next) {
      const version = ids.mark();
      const columns = columnsOf({ pk, sk }, version, checkedJson({ ...next, pk, sk }), next);
      const written = await write(() => sql.replace.run(...columns, pk, sk, held, clock.now()).changes);
      return written === 1 ? { ...next, pk, sk, version } : undefined;
    },

    async remove({ pk, sk, version }) {
      checkKey({ pk, sk });
      return (await write(() => sql.remove.run(pk, sk, version, clock.now()).changes)) === 1;
    },

    async spend(key, spend) {
      checkKey(key);
      checkSpend(spend);
      return write(() => spendOn(sql, { key, spend, version: ids.mark(), now: clock.now() }));
    },
  };
}
