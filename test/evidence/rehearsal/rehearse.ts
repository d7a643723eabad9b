/** `npm run rehearse`: runs the API suites against the deployed product on AWS emulators, and checks roles against real calls. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../../scripts/arguments.ts';
import { isProblem } from '../../../shared/core/problem.ts';
import { type Emulators, startEmulators } from '../../support/emulators/start.ts';
import { playScenes } from '../costs/play.ts';
import { RECEIVER } from './internet/places.ts';
import { operatorEnvironment } from './operator-environment.ts';
import { type Rehearsal, startRehearsal } from './rehearsal.ts';
import { report } from './report.ts';
import { STAGE } from './stack/rehearsed-stage.ts';
import { synthesize } from './stack/synthesize.ts';

readArguments({ command: 'npm run rehearse' });

const RESULTS = '.cache/rehearsal';

/** The target of the suites, and an operator's environment for its table, bucket and secret. */
const environmentOf = (emulators: Emulators, rehearsal: Rehearsal) => {
  const { outputs, instances, internet } = rehearsal;
  return {
    ...operatorEnvironment(emulators, rehearsal),
    REHEARSAL_TARGET: JSON.stringify({
      filesAndTasks: outputs.FilesAndTasksBaseUrl,
      agents: outputs.AgentsRootUrl,
      agentsSocket: outputs.AgentsWsUrl,
      origin: STAGE.origins,
      mails: { server: emulators.awsUrl },
      receiver: { origin: `https://${RECEIVER}`, arrivedUrl: internet.arrivedUrl },
    }),
    REHEARSAL_INSTANCES: JSON.stringify(instances),
  };
};

async function vitest(project: string, env: Record<string, string | undefined> = {}): Promise<number> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project];
  const tests = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  const end = () => tests.kill();
  process.on('exit', end);
  const [code] = await once(tests, 'exit');
  process.off('exit', end);
  return code ?? 1;
}

async function main(folder: string): Promise<number> {
  const startedAt = Date.now();
  const starting = startEmulators({ takesSessions: true });
  starting.catch(() => {});
  try {
    const synthesized = await synthesize(folder, STAGE);
    const emulators = await starting;
    const rehearsal = await startRehearsal({ synthesized, emulators, logs: RESULTS });
    console.log(`The rehearsal is ready (${Date.now() - startedAt} ms).`);
    const failed = await played(rehearsal, emulators);
    // Without the scenes, the policies and the costs would fail for that alone, and hide the test that failed.
    if (failed) return failed;
    writeFileSync(join(RESULTS, 'calls.json'), JSON.stringify(rehearsal.recording));
    console.log(report(rehearsal.recording));
    return await vitest('policies');
  } finally {
    await starting.then(
      ({ stop }) => stop(),
      () => {},
    );
  }
}

/** Runs the suites, then the scenes: they must not overlap, or the calls of one would count for the other. */
async function played(rehearsal: Rehearsal, emulators: Emulators): Promise<number> {
  try {
    const failed = await vitest('rehearsal', environmentOf(emulators, rehearsal));
    if (failed === 0) await playScenes(rehearsal, emulators);
    return failed;
  } finally {
    await rehearsal.stop();
  }
}

/** Outside of the repository, so that functions cannot load its node_modules or package.json, as on Lambda. */
const folder = mkdtempSync(join(tmpdir(), 'errand-rehearsal-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
mkdirSync(RESULTS, { recursive: true });
try {
  process.exitCode = await main(folder);
} catch (error) {
  console.error(isProblem(error) ? error.message : error);
  process.exitCode = 1;
}
