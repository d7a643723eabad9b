/**
 * Fills the state of a stopped product with copies of a finished task that the product itself made: each copy has all rows
 * of the original under its own id, and its own position in the list.
 */
import { openDatabase } from '../../../../adapters/local/database.ts';
import { stateFolder } from '../../../../adapters/local/state-folder.ts';
import { ids } from '../../../../shared/core/ids.ts';

/** Time between two copies; the newest is just before now. */
const APART_MS = 10;
/** Rows per transaction: a longer one makes the write-ahead log larger than the database. */
const AT_ONCE = 5_000;

/** Leaves out the due index, as for a task whose webhook was delivered long ago. */
const COPY = `
  INSERT INTO rows (pk, sk, version, value, counter, list, at, id, state, type, priority, ended, expires)
  SELECT replace(pk, $task, $copy), sk, version, replace(value, $task, $copy), counter,
         list, iif(list IS NULL, NULL, $at), replace(id, $task, $copy), state, type, priority, ended, expires
  FROM rows WHERE pk = $pk`;

/** Returns the ids of the copies. */
export function seedTasks(state: string, task: string, amount: number): string[] {
  const db = openDatabase(stateFolder(state).table);
  const partitions = db.prepare('SELECT DISTINCT pk FROM rows WHERE instr(pk, ?) > 0').all(task);
  if (partitions.length === 0) throw new Error(`No row of the state belongs to the task ${task}.`);
  const copy = db.prepare(COPY);
  let at = Date.now() - APART_MS * (amount + 1);
  const makeIds = ids({ now: () => at });
  const made: string[] = [];
  db.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
  while (made.length < amount) {
    at += APART_MS;
    const id = makeIds.uuid();
    for (const { pk } of partitions) copy.run({ task, copy: id, at, pk: String(pk) });
    made.push(id);
    if (made.length % AT_ONCE === 0) db.exec('COMMIT; BEGIN IMMEDIATE');
  }
  db.exec('COMMIT');
  db.close();
  return made;
}
