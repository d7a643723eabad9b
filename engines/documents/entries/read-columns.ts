/** Comma-separated values as records: the first line names the columns. */
import type { ReaderInput } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { recordsOf, separatorOf } from '../text/read-csv.ts';
import { ENTRY_LIMITS, type EntryShape, type SourceEntry } from './entry.ts';
import { entryFromRecord } from './record.ts';

export function readColumns(reading: ReaderInput, { of, base }: EntryShape): SourceEntry[] | string {
  if (of.kind !== 'csv') throw new Error(`No CSV is expected of ${of.kind}.`);
  const text = decodeText(reading.bytes);
  const found: SourceEntry[] = [];
  let columns: Map<string, number> | undefined;
  let records = 0;
  for (const cells of recordsOf(text, separatorOf(text))) {
    reading.budget.countCells(cells.length);
    if (!columns) {
      columns = new Map(cells.map((name, place) => [name.trim(), place]));
      continue;
    }
    if (++records > ENTRY_LIMITS.records) break;
    const places = columns;
    const entry = entryFromRecord(of, (name) => cells[places.get(name) ?? -1]?.trim(), { base, reading });
    if (entry) found.push(entry);
  }
  return found.length === 0 && records > 0 ? 'has none of the columns it was said to have' : found;
}
