/** One emulator: a child process that serves HTTP on a free port of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../functions/over-http/free-port.ts';
import { endWithParent } from '../end-with-parent.ts';

const READY_WITHIN_MS = 60_000;
const LAST_WORDS = 2_000;

export type Emulator = { url: string; process: ChildProcess; ready: Promise<void> };
export type Command = (url: URL) => string[];

/** `at` is its former URL if it is started again. */
export async function launch(name: string, command: Command, at?: string): Promise<Emulator> {
  const url = new URL(at ?? `http://127.0.0.1:${await freePort()}`);
  const [file = '', ...args] = command(url);
  const child = endWithParent(spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const lastWords = keepLastWords(child);
  child.on('error', lastWords.add);
  const ready = answers(url, child).catch((cause: unknown) => {
    throw new Error(`${name} did not start:\n${lastWords.text()}`, { cause });
  });
  ready.catch(() => {}); // the caller that awaits it later gets the error
  return { url: url.origin, process: child, ready };
}

function keepLastWords({ stdout, stderr }: ChildProcess) {
  let kept = '';
  const add = (words: unknown) => {
    kept = (kept + String(words)).slice(-LAST_WORDS);
  };
  stdout?.on('data', add);
  stderr?.on('data', add);
  return { add, text: () => kept };
}

async function answers(url: URL, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until) {
    if (hasEnded(child)) throw new Error('it ended at once');
    // Any answer will do, as the root of an emulator is an error.
    const answered = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await pause(50);
  }
  throw new Error(`no answer within ${READY_WITHIN_MS} ms`);
}

const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

export async function end({ process: child }: Emulator): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
