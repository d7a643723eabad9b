/** The rows of a recorded state folder. Of the tasks that hang, which are all alike, only the first and the last. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Any } from '../support/any.ts';

export type RecordedRow = { pk: string; sk: string; isCounter: boolean };

/** Only those that had not expired when the product was killed. */
export function readRecordedRows(state: string, { chats, killedAt }: Any): RecordedRow[] {
  const db = new DatabaseSync(join(state, 'state.db'));
  const found = db.prepare('SELECT pk, sk, counter FROM rows WHERE expires IS NULL OR expires > ?').all(killedAt);
  db.close();
  const leftOut: string[] = chats.hanging.slice(1, -1);
  return found
    .map(({ pk, sk, counter }) => ({ pk: String(pk), sk: String(sk), isCounter: counter === 1 }))
    .filter(({ pk, sk }) => !leftOut.some((id) => `${pk} ${sk}`.includes(id)));
}
