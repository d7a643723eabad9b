/** Runs the task a hint names: what both the function and the local worker do with a message of a lane. */
import { addressOfHint } from './hints.ts';
import { runTask, type WorkerPorts } from './run-task.ts';
import type { TaskAddress } from './task-rows.ts';

export async function runHint(ports: WorkerPorts, body: string, mustGo: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a message of a lane is no hint', { body });
  await runNamedTask(ports, address, mustGo);
}

export async function runNamedTask(ports: WorkerPorts, address: TaskAddress, mustGo: AbortSignal): Promise<void> {
  try {
    await runTask(ports, address, mustGo);
  } catch (error) {
    ports.log.error('a task could not be run', { ...address, error });
    throw error;
  }
}
