/** Runs tests from other folders that check the same promise in process, with a controlled clock. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Outcome } from './part.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

type Report = { testResults: { assertionResults: { fullName: string; status: string }[] }[] };

export async function inProcess(what: string, files: string[]): Promise<Outcome> {
  const folder = temporaryFolder();
  const report = join(folder.path, 'report.json');
  const words = ['run', '--project', 'node', '--reporter=json', `--outputFile=${report}`, ...files];
  const child = spawn(process.execPath, [VITEST, ...words], { cwd: ROOT, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  folder.remove();
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const broken = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return {
    what,
    tried: tests.length,
    broken: code === 0 || broken.length > 0 ? broken : [`vitest ended with ${code}`],
  };
}
