/**
 * Fills a state with finished tasks, as copies of one that the product itself has made and finished: whatever rows it
 * keeps of a task, each copy has them under an id of its own, and its own place in the list. No product runs on it.
 */
import { openDatabase } from '../../../adapters/local/database.ts';
import { stateFolder } from '../../../adapters/local/state-folder.ts';
import { ids } from '../../../shared/core/ids.ts';

/** The copies lie that far apart in time, the newest before the task itself. */
const APART_MS = 10;
/** The log of a longer transaction outgrows the file. */
const AT_ONCE = 5_000;

/** As of a task whose webhook was delivered long ago: nothing is due any more. */
const COPY = `
  INSERT INTO rows (pk, sk, version, value, counter, list, at, id, state, type, priority, ended, expires)
  SELECT replace(pk, $task, $copy), sk, version, replace(value, $task, $copy), counter,
         list, iif(list IS NULL, NULL, $at), replace(id, $task, $copy), state, type, priority, ended, expires
  FROM rows WHERE pk = $pk`;

/** Answers the ids of the copies. */
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
