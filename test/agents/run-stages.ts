/** Runs the stages of an agent as a worker does: each with the previous checkpoint, as JSON. */

import { deepEqual } from 'node:assert/strict';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { withMetering } from '../../engines/models/metering.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { Blobs } from '../../shared/ports.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import type { AgentReport } from '../../shared/tasks/agent-report.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { createMeter } from '../../shared/usage/meter.ts';
import { checker, contract } from '../scripts/contracts/check-answer.ts';

/** The ids and efforts that stages named, in their order. */
export const named: string[] = [];

/** This model under every id, counted like a configured one. */
export const onlyModel =
  (model: LanguageModelV4 | undefined): ModelOf =>
  async (id, { meter }, effort) => {
    named.push(`${id} ${effort}`);
    meter.use(id);
    if (!model) return undefined;
    return withMetering(model, meter);
  };

/** By the stage that an agent, or a part of it, begins with. */
const SCHEMAS: Record<string, string> = {
  planning: 'ResearchResults',
  reading: 'ProcessingResults',
  gathering: 'NotificationResults',
  composing: 'NotificationResults',
  sending: 'NotificationResults',
  reporting: 'NotificationResults',
};
const resultFaults = checker(contract('agents.openapi'));

/** The results of the agent of these stages are as the contract says, whatever a test makes it do. */
function checkContract(stages: readonly Stage[], { report }: Result): void {
  const [first] = stages;
  const schema = first && SCHEMAS[first.name];
  if (schema && report) deepEqual(resultFaults(schema, report.results), []);
}

export async function runStages(stages: readonly Stage[], o: Omit<Work, 'meter'>, from?: unknown): Promise<Result> {
  const meter = createMeter();
  const work = { ...o, meter };
  let carried = from;
  for (const stage of stages) {
    carried = JSON.parse(JSON.stringify(await stage.run(work, carried)));
    checkContract(stages, carried as Result);
  }
  const usage = meter.total();
  return { ...(carried as Result), ...(usage ? { usage } : {}) };
}

/** The same for an agent that reports, with its progress updates. */
export async function runReporting<Results>(stages: readonly Stage[], given: Omit<Work, 'report' | 'meter'>) {
  const shares: number[] = [];
  const { report, usage } = await runStages(stages, { ...given, report: (share) => void shares.push(share) });
  if (!report) throw new Error('There is no report.');
  return { report, usage, shares, results: report.results as unknown as Results };
}

export async function fileOf(blobs: Blobs, { files = [] }: AgentReport, nth = 0): Promise<Buffer> {
  const body = await blobs.read(files[nth]?.bytesAt ?? '');
  if (!body) throw new Error('There is no such file.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
