/** The rehearsed product with killed workers, and with its table and queues unavailable for a while. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { secretsFrom, tableFrom } from '../../../adapters/aws/context.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock as clock } from '../../../shared/core/time.ts';
import { vault } from '../../../shared/core/vault.ts';
import type { Table } from '../../../shared/ports.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { WORKLOAD_MODELS } from '../../engines/models/workload-model.ts';
import { type Emulators, startEmulators } from '../../support/emulators/start.ts';
import { proves } from '../../support/proves.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { MODEL_SETTINGS } from '../rehearsal/internet/internet.ts';
import { operatorEnvironment } from '../rehearsal/operator-environment.ts';
import { type Rehearsal, startRehearsal } from '../rehearsal/rehearsal.ts';
import { synthesize } from '../rehearsal/stack/synthesize.ts';
import { foundBusyOrganization } from '../soak/organizations.ts';
import { carefulCaller } from './careful-caller.ts';
import { isShort } from './setup.ts';

const STAGE = {
  stage: 'faults',
  origins: 'https://console.rehearsal.example',
  sender: 'errand@rehearsal.example',
  ...MODEL_SETTINGS,
};
const LOGS = '.cache/rehearsal-faults';
const ENDPOINT = 'https://hooks.errand-tests.org/results';
const AWAY_MS = isShort ? 8_000 : 30_000;
const KILLS = isShort ? 8 : 30;
const MAX_PAUSE_MS = 1_500;
/** As many as a function has instances here, so that no task waits for another. */
const AT_ONCE = 2;
/** Killed workers keep their slots for two minutes. */
const RECOVERS_MS = 200_000;

const folder = temporaryFolder();
let emulators: Emulators;
let rehearsal: Rehearsal;
let table: Table;
let organization: { id: string; apiKey: string };
let caller: ReturnType<typeof carefulCaller>;

beforeAll(async () => {
  const stored = join(folder.path, 'dynamodb');
  for (const each of [stored, LOGS]) mkdirSync(each, { recursive: true });
  const synthesizing = synthesize(join(folder.path, 'stack'), STAGE);
  emulators = await startEmulators({ takesSessions: true, folder: stored });
  rehearsal = await startRehearsal({ synthesized: await synthesizing, emulators, logs: LOGS });
  Object.assign(process.env, operatorEnvironment(emulators, rehearsal));
  table = tableFrom(process.env);
  const ports = { table, clock, ids: ids(clock), vault: vault(secretsFrom(process.env)) };
  organization = await foundBusyOrganization(ports, 'Faults', WORKLOAD_MODELS);
  const baseUrl = () => rehearsal.outputs.FilesAndTasksBaseUrl ?? '';
  caller = carefulCaller({ baseUrl, apiKey: organization.apiKey, endpoint: ENDPOINT });
}, 240_000);

afterAll(async () => {
  await rehearsal?.stop();
  await emulators?.stop();
  folder.remove();
}, 60_000);

async function lostWorkers(): Promise<number> {
  let lost = 0;
  for (const taskId of caller.accepted) {
    const row = await table.get<Task>(taskKey({ organization: organization.id, taskId }));
    lost += row?.value.past?.filter(([, , , how]) => how === 'vanished').length ?? 0;
  }
  return lost;
}

// Failed calls are logged on standard error, which this test ignores.
beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => expect(caller.accepted.size).toBeGreaterThan(0));

it('goes on when workers and reconcilers are killed in the middle of it', async () => {
  let kills = 0;
  const bringing = caller.bring(() => kills < KILLS, 100, AT_ONCE);
  for (; kills < KILLS; kills++) {
    await sleep(Math.random() * MAX_PAUSE_MS);
    await rehearsal.kill(kills % 4 === 3 ? 'reconcile' : 'run-task');
  }
  await bringing;
});

/** Submits tasks before, during and after an outage. */
async function outlives(leave: () => Promise<() => Promise<void>>): Promise<void> {
  const bringMore = (more: number) => {
    const wanted = caller.counts.put + more;
    return caller.bring(() => caller.counts.put < wanted, 100, AT_ONCE);
  };
  await bringMore(10);
  const comeBack = await leave();
  const backAt = Date.now() + AWAY_MS;
  const bringing = caller.bring(() => Date.now() < backAt, 100, AT_ONCE);
  await sleep(AWAY_MS);
  await comeBack();
  await bringing;
  await bringMore(5);
}

it.each(['dynamodb', 'moto'] as const)('goes on when %s has stood still', (name) =>
  outlives(async () => {
    emulators.signal(name, 'SIGSTOP');
    return async () => emulators.signal(name, 'SIGCONT');
  }),
);

it('goes on when the table was killed and has come back', () =>
  outlives(async () => {
    const { startAgain } = await emulators.killDynamo();
    return startAgain;
  }));

it('has lost no task that was accepted meanwhile, and needed no hand', async ({ task }) => {
  await caller.allSucceed(RECOVERS_MS);
  const lost = await lostWorkers();
  if (!isShort) expect(lost).toBeGreaterThan(0);
  const { put, off } = caller.counts;
  const away = `table and queues away for ${AWAY_MS / 1_000} s each, the table killed`;
  proves(task, `0 of ${put} tasks lost: ${KILLS} kills, ${lost} workers lost at work, ${away}; ${off} submits put off`);
});
