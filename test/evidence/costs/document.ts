/** Writes docs/operations/costs.md from a recording. */
import { METRICS } from '../../../shared/core/metrics.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import { bill, type Entry } from './bill.ts';
import { BOUNDS } from './bounds.ts';
import { type Dollars, total } from './cost-of.ts';
import { CUSTOMER_KEY } from './customer-key.ts';
import { besideTheFloors } from './floors.ts';
import { idleTable } from './idle.ts';
import { dollarsOf, entryOf, JOURNEYS } from './journeys.ts';
import { memoryTable } from './memory.ts';
import { AS_OF, MEGABYTES_OF_A_PROCESSOR, MILLISECONDS, PRICES, STANDING } from './prices.ts';
import { ROUND } from './scenes.ts';

const INTRO = `The AWS calls of each route and each task, and their price. Written by \`npm run costs\` from the recording of the last
\`npm run rehearse\`: the real bundles of the synthesized stack, every call counted on its way to independent AWS servers, the units as
DynamoDB returns them. A test compares the calls and the bounds with each new recording.

Tasks ask a scripted model: a server of OpenAI's protocol on the same machine, reached over TLS, which streams its answer at once and
reports its tokens. What the worker does for a call of a model is in the figures; the model's own price and the wait for it are not. One
line has the same chat task without a language model.`;

const HOW = `Each line was measured several times; the most frequent value is shown. It does not include data that an instance caches: the API
key, the user and the organization (30 s), the last use of a key (an hour), the number of unfinished tasks and the age of the lanes
(15 s), the median duration of tasks (a minute), the watchers of the organization (two seconds, one read; each message to a watcher is
an additional call), and blocks of the rate limits of reads and of files (one write for 20 of them). _Calls_ are those of the function;
the requests of Lambda to a queue, one to receive and one to delete for each batch, are in the dollars. Units of the indexes
are in addition to those of the table. A long prompt has more than 2,000 bytes; the one here has 10,000.`;

const LEFT_OUT = `Not included: storage, data transfer out of AWS, the model and waiting for it, free tiers, cold starts, and polls of empty queues.
A worker is counted with one task alone; up to five share its time.`;

export function costsDocument(recording: Recording): string {
  const entries = bill(recording);
  const sections = [
    `# Costs\n\n${INTRO}`,
    `## Journeys and their minimum cost\n\n${besideTheFloors(recording)}`,
    `## Units of each call\n\n${HOW}\n\n${unitsTable(entries)}`,
    `## Dollars per million\n\n${dollarsTable(entries)}\n\n${LEFT_OUT}\n\n${standing(entries)}`,
    `## AWS calls of each route\n\n${asked(entries)}`,
    `## Bounds\n\n${BOUNDED}\n\n${boundsTable(recording)}`,
    `## Assumptions\n\nList prices of ${AS_OF.region}, ${AS_OF.month}, dollars per million:\n\n${pricesTable(PRICES)}\n\n${TIMES}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const TIMES = `Emulators cannot show how long a function runs on Lambda. Two parts of it can be measured, and are added up:

- CPU time. The rehearsal measures the CPU time of the whole process for each event, on the machine it ran on (the median of
  ordinary events, without cold starts). Lambda gives a function a whole CPU at ${MEGABYTES_OF_A_PROCESSOR.toLocaleString('en-US')} MB, and a share of one at a smaller
  size, so a millisecond of work is billed as ${MEGABYTES_OF_A_PROCESSOR.toLocaleString('en-US')} MB for a millisecond, whatever the size. An arm64 CPU of Lambda is assumed to
  be as fast as that machine's.
- Waiting. A call is assumed to last as long as below; calls that ran in parallel in the recording count once. Waiting is billed
  at the size of the function: 768 MB for API functions and the worker, 256 MB for the sender of webhooks, 1,769 MB
  for the reconciler. Waiting for a model is not included.

${pricesTable(MILLISECONDS)}`;

const BOUNDED = `Calls as above: without cached data. The writes and the transactions are checked in everything that the rehearsal recorded, not
only in these lines.`;

const boundsTable = (recording: Recording): string =>
  markdownTable(
    ['What', 'At most', 'Found'],
    BOUNDS.map(({ what, most, found }) => [what, figure(most), figure(found(recording))]),
  );

const figure = (value: number): string => String(Math.round(value * 100) / 100);

function unitsTable(entries: Entry[]): string {
  const head = ['What', 'Calls', 'Reads', 'of indexes', 'Writes', 'of indexes'];
  const rows = entries.map(({ name, calls, reads, writes }) => [
    name,
    ...[calls, reads.table, reads.indexes, writes.table, writes.indexes].map(figure),
  ]);
  return markdownTable(head, rows);
}

const HEAD = ['What', 'DynamoDB', 'SQS', 'S3', 'Lambda', 'Gateway, Scheduler', 'WebSocket', 'Logs', 'Together'];

function dollarsTable(entries: Entry[]): string {
  const single = entries.map(({ name, dollars }) => [name, ...dollarsIn(dollars), total(dollars).toFixed(2)]);
  const wholes = JOURNEYS.map((journey) => {
    const dollars = dollarsOf(journey, entries);
    return [`**${journey.name}**`, ...dollarsIn(dollars), `**${total(dollars).toFixed(2)}**`];
  });
  return markdownTable(HEAD, [...single, ...wholes]);
}

const dollarsIn = ({ dynamodb, sqs, s3, lambda, door, sockets, logs }: Dollars): string[] =>
  [dynamodb, sqs, s3, lambda, door, sockets, logs].map((part) => part.toFixed(2));

/** Costs without any calls. */
function standing(entries: Entry[]): string {
  const roundDollars = total(entryOf(entries, ROUND).dollars);
  return `### A stage without any request

Dollars a month of 30 days, without free tiers. Metrics of our own, of which there are ${Object.keys(METRICS).length}, are billed in the hours
in which they are written; a round of the reconciler that finds nothing writes none.

${idleTable(roundDollars)}

${pricesTable(STANDING)}

${CUSTOMER_KEY}

### The memory of the functions that answer

${MEMORY}

${memoryTable(entries)}`;
}

const MEMORY = `The mean of the routes above that come through a gateway, by the same assumptions. More memory is a larger share of a processor: the
work takes less time and costs the same, while waiting costs more. The functions have 768 MB, at which
a request works about as long as it waits.`;

const asked = (entries: Entry[]): string =>
  markdownTable(
    ['What', 'Calls'],
    entries.map(({ name, way }) => [name, spoken(way)]),
  );

/** Equal rows are shown once, at the first one's position, as concurrent calls end in any order. */
function spoken(way: Call[]): string {
  const times = new Map<string, number>();
  for (const what of way.map(sentence)) times.set(what, (times.get(what) ?? 0) + 1);
  return [...times].map(([what, count]) => (count > 1 ? `${count} × ${what}` : what)).join(', ');
}

const sentence = ({ operation, rows = [] }: Call): string => [operation, ...new Set(rows.map(rowKind))].join(' ');

function pricesTable(prices: Record<string, number>): string {
  return markdownTable(
    ['What', ''],
    Object.entries(prices).map(([name, price]) => [name, String(price)]),
  );
}
