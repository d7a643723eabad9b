/** Rows of the kill loop: every part of a row contains the same number, so that a torn write shows. */
import type { Draft } from '../../../shared/ports.ts';

export const LIST = 'kill';

export const rowOf = (id: string, n: number): Draft<{ id: string; n: number; filler: string }> => ({
  pk: `K#${id}`,
  sk: 'ROW',
  value: { id, n, filler: String(n).repeat(500) },
  listed: { list: LIST, at: 1_000 + n, id, state: String(n), type: 't', priority: n },
  dueAt: 5_000 + n,
});
