/** Removes a user for good. Whoever has the user cached refuses it within that cache's time. */
import { Problem } from '../core/problem.ts';
import type { Table } from '../ports.ts';
import { userKey } from './user.ts';

export async function removeUser(table: Table, id: string): Promise<void> {
  const row = await table.get(userKey(id));
  if (!row) throw new Problem('notFound', 'There is no such user.');
  if (!(await table.remove(row))) throw new Problem('busy', 'Somebody else is changing this user; try again.');
}
