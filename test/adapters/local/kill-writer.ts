/** Writes rows until it is killed, and prints each acknowledged one: `<id> <n>`. */
import { writeSync } from 'node:fs';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { rowOf } from './kill-rows.ts';

const [file = '', round = ''] = process.argv.slice(2);
const table = sqliteTable({ file, clock: systemClock, ids: ids(systemClock) });

const promised = (id: string, n: number) => writeSync(1, `${id} ${n}\n`);

async function grow(id: string): Promise<void> {
  let held = await table.insert(rowOf(id, 0));
  for (let n = 1; held; n++) {
    promised(id, n - 1);
    if (n > 3) return;
    const { pk: _pk, sk: _sk, ...next } = rowOf(id, n);
    held = await table.replace(held, next);
  }
  throw new Error(`${id} was written by somebody else`);
}

for (let batch = 0; ; batch++) {
  await Promise.all(Array.from({ length: 25 }, (_, at) => grow(`${round}-${batch}-${at}`)));
}
