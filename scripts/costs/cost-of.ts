/** What some calls come to: counted as the recording tells, in dollars as the prices say. */
import type { Call } from '../rehearsal/recorder/recording.ts';
import { MILLISECONDS, PRICES } from './prices.ts';
import type { Door } from './scenes.ts';

type Units = { table: number; indexes: number };
/** Dollars are for a million times. */
export type Dollars = { dynamodb: number; sqs: number; s3: number; lambda: number; door: number };
export type Cost = { calls: number; reads: Units; writes: Units; dollars: Dollars };

const WRITES = /^(PutItem|UpdateItem|DeleteItem)$/;
const PUTS = /^(PutObject|CopyObject|CreateMultipartUpload|UploadPart|CompleteMultipartUpload)$/;
const GETS = /^(GetObject|HeadObject)$/;

/** Lambda's own: nobody waits for them in the function. */
const isPoll = ({ route }: Call): boolean => route.startsWith('poll ');

export function costOf(calls: Call[], o: { door: Door; memoryMegabytes: number }): Cost {
  const items = calls.filter(({ service }) => service === 'dynamodb');
  const writes = unitsOf(items.filter(({ operation }) => WRITES.test(operation)));
  const reads = unitsOf(items.filter(({ operation }) => !WRITES.test(operation)));
  const times = (kind: RegExp): number => calls.filter(({ operation }) => kind.test(operation)).length;
  const dollars = {
    dynamodb:
      all(writes) * PRICES['DynamoDB, on demand: a write unit'] +
      all(reads) * PRICES['DynamoDB, on demand: a read unit'],
    sqs: calls.filter(({ service }) => service === 'sqs').length * PRICES['SQS, standard queue: a request'],
    s3: times(PUTS) * PRICES['S3: a PUT, COPY or POST'] + times(GETS) * PRICES['S3: a GET or HEAD'],
    lambda: o.door === 'address' ? 0 : lambdaOf(calls, o.memoryMegabytes),
    door: doorOf(o.door),
  };
  return { calls: calls.filter((call) => !isPoll(call)).length, reads, writes, dollars };
}

export const total = (dollars: Dollars): number => Object.values(dollars).reduce((sum, part) => sum + part, 0);

const all = ({ table, indexes }: Units): number => table + indexes;

function unitsOf(calls: Call[]): Units {
  const indexes = calls.reduce((sum, { indexUnits }) => sum + indexUnits, 0);
  return { table: calls.reduce((sum, { units }) => sum + units, 0) - indexes, indexes };
}

function lambdaOf(calls: Call[], memoryMegabytes: number): number {
  const waits: Record<string, number> = {
    dynamodb: MILLISECONDS['a call to DynamoDB'],
    sqs: MILLISECONDS['a call to SQS'],
    s3: MILLISECONDS['a call to S3'],
    scheduler: MILLISECONDS['a call to EventBridge Scheduler'],
  };
  const waited = calls.filter((call) => !isPoll(call)).reduce((sum, { service }) => sum + (waits[service] ?? 0), 0);
  const seconds = (waited + MILLISECONDS['the work of the function itself']) / 1_000;
  const gigabytes = memoryMegabytes / 1_024;
  return PRICES['Lambda, arm64: a request'] + seconds * gigabytes * PRICES['Lambda, arm64: a GB-second'];
}

function doorOf(door: Door): number {
  if (door === 'gateway') return PRICES['API Gateway, HTTP API: a request'];
  return door === 'schedule' ? PRICES['EventBridge Scheduler: an invocation'] : 0;
}
