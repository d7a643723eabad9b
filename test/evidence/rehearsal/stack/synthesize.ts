/** Bundles the functions and synthesizes the stack, as a deployment would, into a separate folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errandApp } from '../../../../infra/app.ts';
import { bundle } from '../../../../scripts/bundle.ts';
import type { Template } from './template.ts';

export type Synthesized = { template: Template; assembly: string };

export async function synthesize(folder: string, context: Record<string, string>): Promise<Synthesized> {
  const bundles = join(folder, 'dist');
  await bundle(bundles);
  const outdir = join(folder, 'cdk.out');
  const [stack, ...others] = errandApp({ bundles, outdir, context }).synth().stacks;
  if (!stack || others.length > 0) throw new Error('The rehearsal expects one stack.');
  const template = JSON.parse(readFileSync(stack.templateFullPath, 'utf8')) as Template;
  return { template, assembly: outdir };
}
