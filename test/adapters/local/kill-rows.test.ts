import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids } from '../../../shared/core/ids.ts';
import { shardOf } from '../../../shared/core/shard.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { repetitions } from '../../support/repetitions.ts';
import { LIST, rowOf } from './kill-rows.ts';

const ROUNDS = repetitions({ few: 5, many: 20 });
const WRITES_A_ROUND = 20;
const folder = mkdtempSync(join(tmpdir(), 'errand-kill-'));
const file = join(folder, 'state.db');
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the writer, kills it at a random moment, and returns the highest acknowledged n of each id. */
async function killedRound(round: number): Promise<Map<string, number>> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'kill-writer.ts'), file, String(round)]);
  let said = '';
  let complaint = '';
  writer.stderr.on('data', (text) => {
    complaint += text;
  });
  writer.stdout.on('data', (text) => {
    if (said === '') setTimeout(() => writer.kill('SIGKILL'), 20 + Math.random() * 150);
    said += text;
  });
  const signal = await new Promise((resolve) => writer.once('close', (_code, by) => resolve(by)));
  expect(complaint).toBe('');
  expect(signal).toBe('SIGKILL');
  const lines = said.split('\n').slice(0, -1); // the last line may be incomplete
  return new Map(lines.map((line) => line.split(' ')).map(([id = '', n]) => [id, Number(n)]));
}

it(`loses no acknowledged write and tears none over ${ROUNDS} kills`, { timeout: 120_000 }, async () => {
  const promised = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) for (const [id, n] of await killedRound(round)) promised.set(id, n);
  expect(promised.size).toBeGreaterThan(ROUNDS * WRITES_A_ROUND);

  const table = sqliteTable({ file, clock: systemClock, ids: ids(systemClock) });
  const { rows, faults } = table.check();
  expect(faults).toEqual([]);

  const places = (await table.listed(LIST, { limit: rows + 1 })).rows;
  expect(places.length).toBe(rows);
  const stored = new Map<string, number>();
  for (const place of places) {
    const { version: _, ...row } = (await table.get(rowOf(place.id, 0))) ?? {};
    // Item and index agree: all parts come from the same write.
    expect(row).toEqual(rowOf(place.id, Number(place.state)));
    expect(place).toEqual(rowOf(place.id, Number(place.state)).listed);
    stored.set(place.id, Number(place.state));
  }
  for (const [id, n] of promised) expect(stored.get(id), id).toBeGreaterThanOrEqual(n);

  const due = await Promise.all(Array.from({ length: 16 }, (_, shard) => table.due(shard, 10_000, rows + 1)));
  expect(due.flat().length).toBe(rows);
  expect(due.every((keys, shard) => keys.every((key) => shardOf(key) === shard))).toBe(true);
  table.close();
});
