/** Takes the first row that is not empty for the header, and all others for its rows. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module
import type { FilledRow, SheetStretch } from '../../../../engines/documents/sheets/find-tables.ts';
import type { RawSheet } from '../../../../engines/documents/sheets/sheet.ts';

export * from '../../../../engines/documents/sheets/find-tables.ts';

export function findTables({ rows: all }: RawSheet): SheetStretch[] {
  const [first, ...rows] = [...all].sort(([one], [other]) => one - other).map(([number, cells]) => ({ number, cells }));
  const header: FilledRow[] = first ? [first] : [];
  return first ? [{ kind: 'table', header, rows }] : [];
}
