/** Checkpoints are packed for the table, without harm to releases that cannot read packed rows. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { checkpointDrafts, readBeginning } from '../../../shared/tasks/checkpoints.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
let address: TaskAddress;
beforeEach(async () => {
  opened = openTasks();
  address = await opened.submit();
});
afterEach(() => opened.close());

const DOCUMENTS = Array.from({ length: 60 }, (_, at) => ({ document: at, text: `The port fees rose in year ${at}.` }));
const REACHED = { checkpoint: 1, attempt: 1, expiresAt: Date.parse('2199-01-01') };

type Piece = { text: string; packed?: string; pieces?: number };
const piecesOf = (carried: unknown, version: number) =>
  checkpointDrafts(address, { ...REACHED, version, carried }).map(({ value }) => value as Piece);

/** As a release reads it that knows no packed rows. */
const readUnpacked = (pieces: Piece[]) =>
  JSON.parse(
    pieces
      .toReversed()
      .map(({ text }) => text)
      .join(''),
  );

/** What an attempt goes on from after this was stored. */
async function resumed(carried: unknown, checkpoint = 1) {
  const reached = { ...REACHED, checkpoint, version: 2 };
  for (const draft of checkpointDrafts(address, { ...reached, carried })) await opened.table.insert(draft);
  const task = { ...(await opened.task(address)), checkpoint, checkpointOf: 1 };
  return (await readBeginning(opened.table, address, { task, version: 2 })).carried;
}

it('packs a checkpoint to a third or less, and reads it as it was', async () => {
  const [piece] = piecesOf(DOCUMENTS, 2);
  expect(JSON.stringify(piece).length).toBeLessThan(JSON.stringify(DOCUMENTS).length / 3);
  expect(await resumed(DOCUMENTS)).toEqual(DOCUMENTS);
});

it('packs the pieces of a long checkpoint so that no character breaks between two of them', async () => {
  const ships = '🚢港🚢'.repeat(60_000);
  // One of them has a cut within a pair of surrogates, wherever the pieces begin.
  for (const [at, text] of [ships, `.${ships}`, `..${ships}`, `...${ships}`].entries()) {
    expect(piecesOf(text, 2).length).toBeGreaterThan(2);
    expect((await resumed(text, at + 1)) === text).toBe(true);
  }
});

it('leaves a checkpoint as it is where packing saves nothing', () => {
  expect(piecesOf({ text: 'short' }, 2)).toEqual([{ text: expect.stringContaining('short') }]);
});

it('lets a release that reads no packed rows begin the task anew', () => {
  expect(readUnpacked(piecesOf(DOCUMENTS, 2))).toEqual({ value: null, version: 0 });
  expect(readUnpacked(piecesOf('港'.repeat(250_000), 2))).toEqual({ value: null, version: 0 });
});

it('packs nothing that the release before has to read: results, and checkpoints of the first version', () => {
  expect(readUnpacked(piecesOf(DOCUMENTS, 1))).toMatchObject({ value: DOCUMENTS });
  const result = { text: JSON.stringify(DOCUMENTS) };
  const [row] = resultDrafts(address, { attempt: 1, result, expiresAt: REACHED.expiresAt });
  expect(readUnpacked([row?.value as Piece])).toEqual(result);
});

it('goes on from a packed checkpoint in another attempt', async () => {
  const seenResults: unknown[] = [];
  const reading: Stage = { name: 'reading', run: async () => ({ documents: DOCUMENTS }) };
  const breaking: Stage = { name: 'writing', run: () => Promise.reject(new Error('broken')) };
  const writing: Stage = { name: 'writing', run: async (_, carried) => seenResults.push(carried) && { text: 'done' } };
  await worker(opened, [reading, breaking], { checkpointVersion: 2 }).run(address);
  opened.clock.pass(60_000);
  await worker(opened, [reading, writing], { checkpointVersion: 2 }).run(address);
  expect(seenResults).toEqual([{ documents: DOCUMENTS }]);
});
