/** The cost of calls: counts from the recording, dollars from the prices. */
import { DEFAULT_ACCESS_LINE } from '../../../infra/constructs/access-log.ts';
import type { Spent } from '../rehearsal/lambda/runtime.ts';
import type { Call } from '../rehearsal/recorder/recording.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import { BYTES_AROUND_A_LINE, MEGABYTES_OF_A_PROCESSOR, MILLISECONDS, PRICES } from './prices.ts';
import type { Door } from './scenes.ts';

type Units = { table: number; indexes: number };
/** Dollars for a million times. */
export type Dollars = {
  dynamodb: number;
  sqs: number;
  s3: number;
  lambda: number;
  door: number;
  sockets: number;
  logs: number;
};
export type Cost = { calls: number; reads: Units; writes: Units; dollars: Dollars };

type Options = { door: Door; memoryMegabytes: number; spent: Spent };

const WRITES = /^(PutItem|UpdateItem|DeleteItem)$/;
const PUTS =
  /^(PutObject|CopyObject|ListObjects|ListObjectVersions|CreateMultipartUpload|UploadPart|CompleteMultipartUpload)$/;
const GETS = /^(GetObject|HeadObject)$/;

/** Calls by Lambda itself, for which the function does not wait. */
const isPoll = ({ route }: Call): boolean => route.startsWith('poll ');

export function costOf(calls: Call[], o: Options): Cost {
  const items = calls.filter(({ service }) => service === 'dynamodb');
  const writes = unitsOf(items.filter(({ operation }) => WRITES.test(operation)));
  const reads = unitsOf(items.filter(({ operation }) => !WRITES.test(operation)));
  const times = (kind: RegExp): number => calls.filter(({ operation }) => kind.test(operation)).length;
  const dollars = {
    dynamodb:
      all(writes) * PRICES['DynamoDB, on demand: a write unit'] +
      all(reads) * PRICES['DynamoDB, on demand: a read unit'],
    sqs: calls.filter(({ service }) => service === 'sqs').length * PRICES['SQS, standard queue: a request'],
    s3: times(PUTS) * PRICES['S3: a PUT, COPY, POST or LIST'] + times(GETS) * PRICES['S3: a GET or HEAD'],
    lambda: o.door === 'address' ? 0 : lambdaOf(calls, o),
    door: doorOf(o.door),
    sockets: times(/^PostToConnection$/) * PRICES['API Gateway, WebSocket API: a message'],
    logs: (logged(o) / 1_000) * PRICES['CloudWatch Logs: a kilobyte taken in'],
  };
  return { calls: calls.filter((call) => !isPoll(call)).length, reads, writes, dollars };
}

export const total = (dollars: Dollars): number => Object.values(dollars).reduce((sum, part) => sum + part, 0);

const all = ({ table, indexes }: Units): number => table + indexes;

function unitsOf(calls: Call[]): Units {
  const indexes = calls.reduce((sum, { indexUnits }) => sum + indexUnits, 0);
  return { table: calls.reduce((sum, { units }) => sum + units, 0) - indexes, indexes };
}

/** A function's share of a processor is proportional to its memory, so CPU time costs the same at any size; waiting does not. */
function lambdaOf(calls: Call[], { memoryMegabytes, spent }: Options): number {
  const worked = (spent.cpuMs * MEGABYTES_OF_A_PROCESSOR) / memoryMegabytes;
  const seconds = (worked + waitingMs(calls)) / 1_000;
  const gigabytes = memoryMegabytes / 1_024;
  return PRICES['Lambda, arm64: a request'] + seconds * gigabytes * PRICES['Lambda, arm64: a GB-second'];
}

const WAITS: Record<string, number> = {
  dynamodb: MILLISECONDS['a call to DynamoDB'],
  sqs: MILLISECONDS['a call to SQS'],
  s3: MILLISECONDS['a call to S3'],
  scheduler: MILLISECONDS['a call to EventBridge Scheduler'],
  'execute-api': MILLISECONDS['a message to a WebSocket connection'],
};

/** Concurrent calls count with the duration of the longest. */
export function waitingMs(calls: Call[]): number {
  const ours = calls.filter((call) => !isPoll(call)).sort((a, b) => a.at - b.at);
  let waited = 0;
  let group = { until: Number.NEGATIVE_INFINITY, longest: 0 };
  for (const { at, until, service } of ours) {
    const ms = WAITS[service] ?? 0;
    const isBeside = at < group.until;
    waited += isBeside ? Math.max(0, ms - group.longest) : ms;
    group = isBeside
      ? { until: Math.max(group.until, until), longest: Math.max(group.longest, ms) }
      : { until, longest: ms };
  }
  return waited + posted(ours) * MILLISECONDS['a receiver of webhooks'];
}

/** The recorder does not see outgoing webhooks, but every sender that was idle reads the secret before it signs. */
const posted = (calls: Call[]): number =>
  calls.filter(({ operation, rows: [row = ''] = [] }) => operation === 'GetItem' && rowKind(row) === 'WEBHOOK_SECRET')
    .length;

/** Logged bytes: those of the function, and the access log of API Gateway for calls that come through it. */
function logged({ door, spent: { logBytes, logLines } }: Options): number {
  const [bytes, lines] = door === 'gateway' ? [logBytes + ACCESS_BYTES, logLines + 1] : [logBytes, logLines];
  return bytes + lines * BYTES_AROUND_A_LINE;
}

const ACCESS_BYTES = Buffer.byteLength(JSON.stringify(DEFAULT_ACCESS_LINE));

function doorOf(door: Door): number {
  if (door === 'gateway') return PRICES['API Gateway, HTTP API: a request'];
  return door === 'schedule' ? PRICES['EventBridge Scheduler: an invocation'] : 0;
}
