/** The operator's command line: `npx errand <noun> [<verb>] [--json]`. */
import { text } from 'node:stream/consumers';
import { passwords } from '../engines/passwords/passwords.ts';
import { commandLine } from './operator/command-line.ts';
import { localState } from './operator/local-state.ts';

process.exitCode = await commandLine(process.argv.slice(2), {
  // The AWS clients are loaded only for commands on a stage.
  open: async ({ stage }, verb) =>
    stage === undefined ? localState(process.env, verb) : (await import('./operator/stage-state.ts')).stageState(stage),
  examineAccount: async () => (await import('./operator/account-report.ts')).accountReport(),
  passwords: passwords(),
  readStdin: () => text(process.stdin),
  untilStopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    }),
  out: console.log,
  err: console.error,
});
