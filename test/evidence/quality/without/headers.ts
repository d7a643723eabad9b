/** Takes the first row that is not empty for the header, and all others for its rows. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module
import type * as real from '../../../../engines/documents/sheets/find-tables.ts';

export * from '../../../../engines/documents/sheets/find-tables.ts';

export const findTables: typeof real.findTables = ({ rows: all }) => {
  const [first, ...rows] = [...all].sort(([one], [other]) => one - other).map(([number, cells]) => ({ number, cells }));
  const header: real.FilledRow[] = first ? [first] : [];
  return first ? [{ kind: 'table', header, rows }] : [];
};
