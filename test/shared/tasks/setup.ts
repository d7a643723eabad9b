/** The task engine over the local table and queues, with a clock and heartbeats that the test controls. */
import { join } from 'node:path';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { localQueues } from '../../../adapters/local/local-queues.ts';
import { localScheduler } from '../../../adapters/local/scheduler.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { signedAddresses } from '../../../adapters/local/signed-addresses.ts';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import { LANES } from '../../../shared/core/lane.ts';
import { logger } from '../../../shared/core/log.ts';
import type { Every, Row } from '../../../shared/ports.ts';
import type { Agent, Stage } from '../../../shared/tasks/agent.ts';
import { addressOfHint, hintsOver } from '../../../shared/tasks/hints.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import type { StartedTask, Task } from '../../../shared/tasks/task.ts';
import type { WorkerPorts } from '../../../shared/tasks/worker-ports.ts';
import { setClock } from '../../ports/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export type TaskSetup = ReturnType<typeof openTasks>;

export function openTasks() {
  const folder = temporaryFolder();
  const clock = setClock();
  const ids = makeIds(clock);
  const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids });
  const lines: string[] = [];
  const log = logger({ clock, write: (line) => lines.push(line), minLevel: 'info' });
  const queues = localQueues({ clock, ids });
  const hints = hintsOver({ ...queues, log });
  const scheduler = localScheduler({ table, clock, lanes: queues.lanes });
  const organization = ids.uuid();
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock });
  const blobs = folderBlobs({ folder: join(folder.path, 'blobs'), addresses });

  return {
    clock,
    ids,
    table,
    blobs,
    log,
    lines,
    queues,
    hints,
    scheduler,
    organization,
    async submit(about: object = {}, start: StartedTask & Partial<Pick<Task, 'face'>> = {}): Promise<TaskAddress> {
      const address = { organization, taskId: ids.uuid() };
      const details = { input: {}, ...about };
      await submitTask({ table, clock, hints }, address, {
        ...{ face: 'agents', type: 'made', priority: 5, about: details },
        ...start,
      });
      return address;
    },
    async task(address: TaskAddress): Promise<Task> {
      const row: Row<Task> | undefined = await table.get<Task>(taskKey(address));
      if (!row) throw new Error('There is no such task.');
      return row.value;
    },
    /** The ids of the tasks that were hinted in all lanes; removes the hints from the queues. */
    async hinted(): Promise<string[]> {
      const received = await Promise.all(LANES.map((lane) => queues.lanes[lane].receive(10, 0)));
      return received.flat().map(({ body }) => addressOfHint(body)?.taskId ?? '');
    },
    close() {
      table.close();
      folder.remove();
    },
  };
}

/** A worker whose heartbeats the test triggers. */
export function worker(
  workerPorts: Omit<WorkerPorts, 'every' | 'agents'>,
  stages: Stage[],
  about: Pick<Agent, 'checkpointVersion'> = {},
) {
  const beats = new Set<() => void>();
  const every: Every = (_ms, run) => {
    beats.add(run);
    return () => beats.delete(run);
  };
  const stopController = new AbortController();
  const ports = { ...workerPorts, every, agents: { made: { ...about, stages: () => stages } } };
  return {
    stopController,
    run: (address: TaskAddress) => runTask(ports, address, stopController.signal),
    beat: () => {
      for (const beat of beats) beat();
    },
    beating: () => beats.size > 0,
  };
}
