/** docs/operations/costs.md, whole, from a recording. */
import { METRICS } from '../../shared/core/metrics.ts';
import { markdownTable } from '../proof/markdown-table.ts';
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import { bill, type Entry } from './bill.ts';
import { BOUNDS } from './bounds.ts';
import { type Dollars, total } from './cost-of.ts';
import { besideTheFloors } from './floors.ts';
import { dollarsOf, entryOf, JOURNEYS } from './journeys.ts';
import { AS_OF, MEGABYTES_OF_A_PROCESSOR, MILLISECONDS, PRICES, STANDING } from './prices.ts';
import { ROUND } from './scenes.ts';

const INTRO = `What each route and each task asks of AWS, and what that comes to. Written by \`npm run costs\` from what the
last \`npm run rehearse\` recorded: the real bundles of the synthesized stack, every call counted on its way to
independent AWS servers, the units as DynamoDB itself tells them. A test holds what is asked, and
the bounds, against each new recording.`;

const HOW = `Each line was played several times; what is shown is what most of them asked for. Not in it is what an instance
keeps in its memory for a while and so asks for only now and then: the API key, the user and the organization (half a
minute), the note of a key's last use (an hour), how many tasks are unfinished and how long the lanes wait (a quarter of a
minute), how long tasks usually take (a minute), who watches the organization (two seconds, one read; each message to a watcher is
a call more), and blocks of the limits of reads and of files (one write for 20 of them). _Calls_ are those of the function; what Lambda asks
of a queue in its place, one request to receive and one to delete for each batch, is in the dollars. Units of the indexes come on top of
those of the table. A long prompt has more than 2,000 bytes; the one here has 10,000.`;

const LEFT_OUT = `Left out: what is stored, what leaves AWS, the model and the waiting for it, free tiers, cold starts, and polls of empty queues.
A worker is counted with one task alone; up to five share its time.`;

const MINUTES_A_MONTH = 30 * 24 * 60;

export function costsDocument(recording: Recording): string {
  const entries = bill(recording);
  const sections = [
    `# Costs\n\n${INTRO}`,
    `## Beside the floors\n\n${besideTheFloors(recording)}`,
    `## A call at a time\n\n${HOW}\n\n${unitsTable(entries)}`,
    `## In dollars for a million\n\n${dollarsTable(entries)}\n\n${LEFT_OUT}\n\n${standing(entries)}`,
    `## What is asked\n\n${asked(entries)}`,
    `## Bounds\n\n${BOUNDED}\n\n${boundsTable(recording)}`,
    `## Assumptions\n\nList prices of ${AS_OF.region}, ${AS_OF.month}, in dollars for a million:\n\n${pricesTable(PRICES)}\n\n${TIMES}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const TIMES = `How long a function runs on Lambda cannot be learnt from emulators. Two things can, and are added up:

- What it works. The rehearsal measures the processor's time of the whole process in each event, on the machine it ran on
  (the median of those that went the usual way; cold starts are not in it). Lambda gives a function a whole processor at
  ${MEGABYTES_OF_A_PROCESSOR.toLocaleString('en-US')} MB, and of a smaller size its share of one, so a millisecond of work is billed as ${MEGABYTES_OF_A_PROCESSOR.toLocaleString('en-US')} MB for a millisecond,
  whatever the size. A processor of Lambda's arm64 is taken to be as fast as that machine's.
- What it waits. A call is taken to last as long as below; calls that the recording saw side by side are waited for
  together. Waiting is billed at the size of the function: 512 MB where a request is answered, 768 MB for the worker,
  256 MB for the sender of webhooks. No waiting for a model is in it.

${pricesTable(MILLISECONDS)}`;

const BOUNDED = `Calls as above: without what an instance keeps in its memory. The writes and the transactions are looked for in all
that the rehearsal recorded, not in these lines alone.`;

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

/** What is paid when nobody calls. */
function standing(entries: Entry[]): string {
  const month = (total(entryOf(entries, ROUND).dollars) * MINUTES_A_MONTH) / 1_000_000;
  return `What stands there is paid for whether or not anybody calls: the reconciler's rounds come to $${month.toFixed(2)} in a month of
30 days, and ${Object.keys(METRICS).length} metrics of our own are counted where they are written, in a quiet stage next to none of them. In dollars a month:

${pricesTable(STANDING)}`;
}

const asked = (entries: Entry[]): string =>
  markdownTable(
    ['What', 'Asks'],
    entries.map(({ name, way }) => [name, spoken(way)]),
  );

/** Equal ones are said once, where the first of them came: those that run side by side end in any order. */
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
