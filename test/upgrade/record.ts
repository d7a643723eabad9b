/**
 * Records what the version that is checked out leaves behind: `node test/upgrade/record.ts`, before a release. Its
 * contracts and the resources of its template.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordedFolder, writeCompressed } from './recorded-file.ts';
import { templatesOfStages } from './recorded-stages.ts';
import { statefulResources } from './stateful-resources.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECORDED = recordedFolder(packageJson.version);
const CONTRACTS = ['files-and-tasks.openapi.json', 'agents.openapi.json', 'agents.asyncapi.json'];

function recordContracts(): void {
  for (const name of CONTRACTS)
    writeCompressed(join(RECORDED, 'contracts', name), readFileSync(join(ROOT, 'contracts', name), 'utf8'));
}

function recordTemplate(): void {
  const folder = temporaryFolder();
  const stages = Object.entries(templatesOfStages(folder.path)).map(([stage, template]) => [
    stage,
    { resources: statefulResources(template), outputs: Object.keys(template.Outputs) },
  ]);
  writeFileSync(join(RECORDED, 'template.json'), `${JSON.stringify(Object.fromEntries(stages), null, 1)}\n`);
  folder.remove();
}

recordContracts();
recordTemplate();
