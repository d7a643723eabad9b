/** Reads a file's row. Unknown, foreign and malformed ids are never told apart. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { type File, fileKey } from './file.ts';

export async function findFile(table: Table, organization: string, fileId: string): Promise<Row<File>> {
  const row = isUuid(fileId) ? await table.get<File>(fileKey(organization, fileId)) : undefined;
  if (!row) throw fileNotFound();
  return row;
}

export const fileNotFound = () => new Problem('notFound', 'File not found');
