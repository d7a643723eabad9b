/** Mutation test: removing any condition from the task rules or from a conditional write makes a test fail. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ids } from '../../../shared/core/ids.ts';
import { setClock } from '../../ports/clock.ts';
import type { TableHarness } from '../../ports/table.ts';
import { loaderOf } from '../../shared/tasks/loader.ts';
import { isDetected, mutantDetector } from '../../shared/tasks/mutant-detector.ts';
import { CONDITIONS, type Mutant, mutantsOf } from '../../shared/tasks/mutants.ts';
import { proves } from '../../support/proves.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWriting } from '../promises/proof-table.ts';
import { contractCases, type Opening } from './contract-cases.ts';
import { PRODUCT, PRODUCT_FILES, type Product } from './product.ts';
import { isBroken } from './short.ts';
import { MEMORY, memoryMutants, STATEMENTS, sqlMutants } from './write-mutants.ts';

const WANTED = 0.95;
const PATIENT = { timeout: 900_000 };

/** `byHarness` is missing where the fault harness was not run. */
type Tried = { name: string; byTests: boolean; byHarness?: boolean };

/** The harness takes seconds, so a mutant that the tests notice is tried with it only for the figures of the proof. */
const tryMutant = async (name: string, byTests: boolean, harness: () => Promise<boolean>): Promise<Tried> =>
  byTests && !isWriting() ? { name, byTests } : { name, byTests, byHarness: await harness() };

type Context = { task: { meta: object } };

function recordTried({ task }: Context, what: string, tried: readonly Tried[]): number {
  const red = tried.filter(({ byHarness, byTests }) => byHarness || byTests);
  const harness = tried.filter(({ byHarness }) => byHarness);
  const isCounted = tried.every((one) => one.byHarness !== undefined);
  const seen = isCounted ? `; the short harness sees ${harness.length}` : '';
  console.log(`${what}: ${tried.length} conditions, ${red.length} red${seen}`);
  for (const { name } of tried.filter((one) => !red.includes(one))) console.log(`  green: ${name}`);
  proves(task, `${red.length} of ${tried.length} in ${what}`);
  return red.length / tried.length;
}

it.for(['decide.ts', 'decide-delivery.ts'])('%s', PATIENT, async (file, context) => {
  const tried: Tried[] = [];
  for (const mutant of mutantsOf(file, CONDITIONS)) {
    const harness = async () => {
      const load = await loaderOf(PRODUCT_FILES, mutant, { room: 'shared' });
      return isBroken(load<Product>(...PRODUCT_FILES));
    };
    tried.push(await tryMutant(mutant.name, await isDetected(mutant), harness));
  }
  expect(recordTried(context, file, tried)).toBeGreaterThanOrEqual(WANTED);
});

let notices: (opening: Opening) => Promise<boolean>;
beforeAll(async () => {
  notices = mutantDetector<Opening>(await contractCases());
});

type Local = Pick<typeof import('../../../adapters/local/sqlite-table.ts'), 'sqliteTable'>;
type Memory = Pick<typeof import('./memory-table.ts'), 'memoryStore' | 'memoryTable'>;

function sqlite({ sqliteTable }: Local): Opening {
  return async (): Promise<TableHarness> => {
    const clock = setClock();
    const folder = temporaryFolder();
    const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids: ids(clock) });
    const close = async () => {
      table.close();
      folder.remove();
    };
    return { table, flaky: table, clock, close };
  };
}

function memory({ memoryStore, memoryTable }: Memory): Opening {
  return async (): Promise<TableHarness> => {
    const clock = setClock();
    const table = memoryTable({ store: memoryStore({ ids: ids(clock), now: clock.now }), clock });
    return { table, flaky: table, clock, close: async () => undefined };
  };
}

async function memoryOf(mutant?: Mutant): Promise<Memory> {
  return (await loaderOf([MEMORY], mutant, { room: 'test/evidence/faults' }))<Memory>(MEMORY);
}

const TABLE = 'adapters/local/sqlite-table.ts';
async function localOf(mutant?: Mutant): Promise<Local> {
  return (await loaderOf([TABLE], mutant, { room: 'adapters/local' }))<Local>(TABLE);
}

it('the original breaks no promise', PATIENT, async () => {
  expect(await isBroken(PRODUCT)).toBe(false);
  expect(await notices(sqlite(await localOf()))).toBe(false);
  expect(await notices(memory(await memoryOf()))).toBe(false);
});

it(STATEMENTS, PATIENT, async (context) => {
  const tried: Tried[] = [];
  for (const mutant of sqlMutants()) {
    tried.push({ name: mutant.name, byTests: await notices(sqlite(await localOf(mutant))) });
  }
  expect(recordTried(context, STATEMENTS, tried)).toBeGreaterThanOrEqual(WANTED);
});

it('the table in memory', PATIENT, async (context) => {
  const tried: Tried[] = [];
  for (const mutant of memoryMutants()) {
    const mutated = await memoryOf(mutant);
    tried.push(await tryMutant(mutant.name, await notices(memory(mutated)), () => isBroken(PRODUCT, mutated)));
  }
  expect(recordTried(context, MEMORY, tried)).toBeGreaterThanOrEqual(WANTED);
});
