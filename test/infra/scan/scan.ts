/** `npm run scan`: cfn-lint and checkov over the templates of three stages; fails on what acknowledged.json does not name. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errandApp } from '../../../infra/app.ts';
import { readArguments } from '../../../scripts/arguments.ts';
import { isProblem } from '../../../shared/core/problem.ts';
import { installPython } from '../../support/emulators/install.ts';
import { EVERY_SETTING } from '../every-setting.ts';
import { emptyBundles } from '../stack.ts';
import acknowledgements from './acknowledged.json' with { type: 'json' };
import { compare } from './acknowledgements.ts';
import { checkov, lint, type Scanned } from './scanners.ts';

readArguments({ command: 'npm run scan' });

/** The kept stage as it is, an ephemeral one, and the kept one with every setting, which has resources of its own. */
const { expires: _, ...settings } = EVERY_SETTING;
const STAGES: Record<string, Record<string, string>> = {
  production: { stage: 'production' },
  branch: { stage: 'branch' },
  'every-setting': { stage: 'production', ...settings },
};

/** The rules do not look into the functions, so these need no bundles. */
function synthesize(folder: string): Scanned[] {
  const bundles = emptyBundles(folder);
  return Object.entries(STAGES).map(([stage, context]) => {
    const [stack] = errandApp({ bundles, outdir: join(folder, stage), context }).synth().stacks;
    return { stage, file: stack?.templateFullPath ?? '' };
  });
}

/** A template with a property of the wrong type. */
function faultyTemplate(folder: string): Scanned {
  const stage = 'faulty';
  const file = join(folder, stage, 'template.json');
  const Faulty = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 'soon' } };
  mkdirSync(join(folder, stage));
  writeFileSync(file, JSON.stringify({ Resources: { Faulty } }));
  return { stage, file };
}

async function main(folder: string): Promise<number> {
  const python = await installPython('cfn-lint and checkov', join(import.meta.dirname, 'requirements.txt'));
  const templates = synthesize(folder);
  const findings = (
    await Promise.all([lint(python, templates, faultyTemplate(folder)), checkov(python, templates)])
  ).flat();
  const { open, idle } = compare(findings, acknowledgements, Object.keys(STAGES));
  for (const { stage, check, resource, says } of open) console.error(`${check} ${resource} in ${stage}: ${says}`);
  for (const part of idle) console.error(`${part}: acknowledged, but no scanner finds it any more.`);
  const count = open.length + idle.length;
  console.log(
    `${findings.length} findings in ${templates.length} templates, ${count} of them or of acknowledged.json to mend`,
  );
  return count > 0 ? 1 : 0;
}

const folder = mkdtempSync(join(tmpdir(), 'errand-scan-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
try {
  process.exitCode = await main(folder);
} catch (error) {
  console.error(isProblem(error) ? error.message : error);
  process.exitCode = 1;
}
