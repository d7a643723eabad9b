/**
 * `npm run dev`: `npm start` that starts again when a source changes. The arguments are checked here, because Node's watcher
 * does not end with a program that refuses them.
 */
import { spawnSync } from 'node:child_process';
import { readStartArguments } from './local/arguments.ts';

const FLAGS = ['--max-semi-space-size=16', '--expose-gc', '--import=./bin/compile-once.js', '--watch'];

if (readStartArguments()) {
  const words = [...FLAGS, 'bin/local.ts', ...process.argv.slice(2)];
  // The watcher takes the place of this process, so that signals reach it. Windows cannot do so.
  if (process.execve) process.execve(process.execPath, [process.execPath, ...words], process.env);
  process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;
}
