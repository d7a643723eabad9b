/** Reads as the product does, but much more slowly than the data arrives, in a new process with the product's flags, and reports its growth. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { durableFiles } from '../../../adapters/local/state-folder.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { guardIn } from './guard.ts';

const KILOBYTE = 2 ** 10;
const MEGABYTE = 2 ** 20;
/** How many bytes are read with a pause after each chunk; the rest is read without. */
const SLOW_BYTES = 4 * MEGABYTE;
const PAUSE_MS = 2;

type Reading = { origin: string; ca: string; megabytes: number };
/** `outcome` names how the answer ended; `growth` is the most the process grew by, in bytes, garbage included. */
type Read = { outcome: string; bytes: number; growth: number };

/** The arguments that `npm start` passes to Node. */
const FLAGS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

export async function readInFreshProcess(reading: Reading): Promise<Read> {
  const child = fork(import.meta.filename, [JSON.stringify(reading)], { execArgv: FLAGS });
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The reader ended with ${code}.`)));
  const [read] = (await Promise.race([once(child, 'message'), gone])) as [Read];
  await gone.catch(() => undefined);
  return read;
}

async function readSlowly({ origin, ca, megabytes }: Reading): Promise<Read> {
  const guard = guardIn(join(import.meta.dirname, '../../../engines/outbound'));
  const policy = guard.publicPolicy({ ownHosts: [], allowSources: [origin], ca });
  let bytes = 0;
  let outcome = 'ended';
  const before = process.memoryUsage.rss();
  const answer = await guard.outbound()(origin, { policy, maxBytes: megabytes * MEGABYTE });
  try {
    for await (const chunk of durableFiles.clearing(answer.body)) {
      bytes += chunk.byteLength;
      if (bytes < SLOW_BYTES) await pause(PAUSE_MS);
    }
  } catch (error) {
    outcome = String((error as { reason?: unknown }).reason);
  }
  return { outcome, bytes, growth: process.resourceUsage().maxRSS * KILOBYTE - before };
}

if (import.meta.main) process.send?.(await readSlowly(JSON.parse(process.argv[2] ?? '')), () => process.disconnect());
