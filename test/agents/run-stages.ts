/** Runs the stages of an agent as a worker would: each with what the one before left, as JSON. */

import type { Report } from '../../shared/agents/report.ts';
import type { Blobs } from '../../shared/ports.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/result.ts';

export async function runStages(stages: readonly Stage[], work: Work, from?: unknown): Promise<Result> {
  let carried = from;
  for (const stage of stages) carried = JSON.parse(JSON.stringify(await stage.run(work, carried)));
  return carried as Result;
}

/** The same with what was told meanwhile, of an agent that reports. */
export async function runReporting<Results>(stages: readonly Stage[], given: Omit<Work, 'report'>) {
  const shares: number[] = [];
  const { report, usage } = await runStages(stages, { ...given, report: (share) => void shares.push(share) });
  if (!report) throw new Error('There is no report.');
  return { report, usage, shares, results: report.results as unknown as Results };
}

export async function fileOf(blobs: Blobs, { files = [] }: Report, nth = 0): Promise<Buffer> {
  const body = await blobs.read(files[nth]?.bytesAt ?? '');
  if (!body) throw new Error('There is no such file.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
