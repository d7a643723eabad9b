/** Measures how many due rows a round of the reconciler's real bundle moves, by the CPU time that they take. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Size } from '../../../../infra/settings.ts';
import { bundle } from '../../../../scripts/bundle.ts';
import { REQUESTS_AT_ONCE } from '../../../../shared/core/batched-sends.ts';
import { environment } from '../../../../shared/core/environment.ts';
import { QUEUE_LIMITS } from '../../../../shared/core/queue-limits.ts';
import { STOP_BEFORE_MS } from '../../../../shared/reconcile/reconcile.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { MEGABYTES_OF_A_PROCESSOR, MILLISECONDS } from '../../costs/prices.ts';
import { openDueRowsAws } from './due-rows-aws.ts';

/** What a round moved, its CPU time and its duration. */
type Round = { moved: number; hints: number; cpuMs: number; tookMs: number };

/** `roundRows`: the rows that a round of the function's size moves before it stops. */
export type ReconcilerRate = { rows: number; cpuMs: number; roundRows: number };

/** Far more time than a round takes, so that other programs on the machine do not end the measured one. */
const AMPLE_SECONDS = 600;
/** Time for a small part of the rows. */
const TIGHT_SECONDS = STOP_BEFORE_MS / 1_000 + 1;

export async function measureReconciler(size: Size, rows: number): Promise<ReconcilerRate> {
  const folder = temporaryFolder();
  try {
    await bundle(folder.path);
    const file = join(folder.path, 'reconcile', 'index.js');
    const { moved, hints, cpuMs } = await measureRound(file, { rows, seconds: AMPLE_SECONDS });
    if (moved !== rows || hints !== rows) throw new Error(`The round moved ${moved} of ${rows}, with ${hints} hints.`);
    const tight = await measureRound(file, { rows, seconds: TIGHT_SECONDS });
    if (tight.moved === rows) throw new Error(`${rows} rows are too few to see whether a round stops in time.`);
    if (tight.tookMs > TIGHT_SECONDS * 1_000) throw new Error(`A round of ${TIGHT_SECONDS} s took ${tight.tookMs} ms.`);
    return { rows, cpuMs, roundRows: roundRowsOf(size, cpuMs / rows) };
  } finally {
    folder.remove();
  }
}

/** Limited by the CPU, or by the hints, if all are for one queue. */
function roundRowsOf({ memoryMegabytes, timeoutSeconds }: Size, cpuMsOfARow: number): number {
  const roundMs = timeoutSeconds * 1_000 - STOP_BEFORE_MS;
  const byCpu = (roundMs * Math.min(1, memoryMegabytes / MEGABYTES_OF_A_PROCESSOR)) / cpuMsOfARow;
  const byHints = (roundMs / MILLISECONDS['a call to SQS']) * REQUESTS_AT_ONCE * QUEUE_LIMITS.batch;
  return Math.floor(Math.min(byCpu, byHints));
}

const PROBE = `
  const { handler } = require(process.argv[1]);
  const endsAt = Date.now() + Number(process.argv[2]) * 1_000;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  handler({}, { getRemainingTimeInMillis: () => endsAt - Date.now() }).then(() => {
    const tookMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    process.stdout.write('\\n' + JSON.stringify({ cpuMs: (user + system) / 1_000, tookMs }), () => process.exit());
  });`;

/** A round of a fresh process over this many due tasks. */
async function measureRound(file: string, { rows, seconds }: { rows: number; seconds: number }): Promise<Round> {
  const aws = await openDueRowsAws(rows);
  const places = Object.values(environment).map((name) => [name, `${aws.address}/1/name`]);
  const env = {
    ...Object.fromEntries(places),
    ...{ [environment.logLevel]: 'error', [environment.scheduledLanes]: 'a:high,a:normal,a:low' },
    ...{
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL: aws.address,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE, file, String(seconds)], { env });
    const spent = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Pick<Round, 'cpuMs' | 'tookMs'>;
    return { ...spent, ...(await aws.counts()) };
  } finally {
    aws.close();
  }
}
