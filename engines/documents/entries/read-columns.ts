/** Comma-separated values as records: the first line names the columns. */
import type { Reading } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { recordsOf, separatorOf } from '../text/read-csv.ts';
import { ENTRY_LIMITS, type Entry, type Shape } from './entry.ts';
import { recordEntry } from './record.ts';

export function readColumns(reading: Reading, { of, base }: Shape): Entry[] | string {
  if (of.kind !== 'csv') throw new Error(`No CSV is expected of ${of.kind}.`);
  const text = decodeText(reading.bytes);
  const found: Entry[] = [];
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
    const entry = recordEntry(of, (name) => cells[places.get(name) ?? -1]?.trim(), { base, reading });
    if (entry) found.push(entry);
  }
  return found.length === 0 && records > 0 ? 'has none of the columns it was said to have' : found;
}
