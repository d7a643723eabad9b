/** Reads a file's row. Unknown, foreign, malformed and expired ids are never told apart. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import type { Clock, Row, Table } from '../ports.ts';
import { type File, fileKey, type StoredFile } from './file.ts';

type FindPorts = { table: Table; clock: Clock };
export type FileAddress = { organization: string; fileId: string };

export async function findFile({ table, clock }: FindPorts, { organization, fileId }: FileAddress): Promise<Row<File>> {
  const row = isUuid(fileId) ? await table.get<File>(fileKey(organization, fileId)) : undefined;
  if (!row || row.value.goneAt <= clock.now()) throw fileNotFound();
  return row;
}

export function checkStored(row: Row<File>): Row<StoredFile> {
  if (row.value.state !== 'stored') throw fileNotFound();
  return row as Row<StoredFile>;
}

export const fileNotFound = () => new Problem('notFound', 'File not found');
