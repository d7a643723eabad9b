/** Every row of an organization, and the blobs that rows name, for its erasure and its export. */

import { isBlobKey, READINGS } from '../core/blobs.ts';
import { storedText } from '../core/long-values.ts';
import type { Everything, RawRow } from '../ports.ts';

/** Folders of blobs that rows may name; the organization's id follows. */
export const BLOB_FOLDERS = ['files/', 'results/', READINGS];

/** Every row of an organization, including expired ones, for its erasure and its export. */
export async function* storedRowsOf(everything: Everything, organization: string): AsyncIterable<RawRow> {
  const isOf = isRowOf(organization);
  for await (const row of everything.rowsAbout(organization)) if (isOf(row)) yield row;
}

/** By its partition, or by its field `organization`: users, keys, audit rows. */
export const isRowOf =
  (organization: string) =>
  ({ pk, value }: Pick<RawRow, 'pk' | 'value'>): boolean =>
    pk === `O#${organization}` ||
    pk.startsWith(`O#${organization}#`) ||
    (value as { organization?: unknown } | null)?.organization === organization;

/** The names of the organization's blobs in any field. A caller's text may look like one, also longer than any key. */
export function blobNamesIn(organization: string, value: unknown): string[] {
  const names = new RegExp(`(?:${BLOB_FOLDERS.join('|')})${organization}/[^"\\\\\\s]+`, 'g');
  return (storedText(value).match(names) ?? []).filter(isBlobKey);
}
