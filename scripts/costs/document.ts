/** docs/costs.md, whole, from a recording. */
import { markdownTable } from '../markdown-table.ts';
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import { bill, type Entry } from './bill.ts';
import { BOUNDS } from './bounds.ts';
import { total } from './cost-of.ts';
import { AS_OF, MILLISECONDS, PRICES } from './prices.ts';
import { ROUND } from './scenes.ts';

const INTRO = `What each route and each task asks of AWS, and what that comes to. Written by \`npm run costs\` from what the
last \`npm run rehearse\` recorded: the real bundles of the synthesized stack, every call counted on its way to
independent AWS servers, the units as DynamoDB itself tells them. A test holds this page, and
the bounds in it, against the recording.`;

const HOW = `Each line was played several times; what is shown is what most of them asked for. Not in it is what an instance
keeps in its memory for a while and so asks for only now and then: the API key, the user and the organization (half a
minute), the note of a key's last use (an hour), how many tasks are unfinished and how long the lanes wait (a quarter of a
minute), how long tasks usually take (a minute), who watches the organization (two seconds, one read; each message to a watcher is
a call more), and blocks of the read limit (one write for 20 reads). _Calls_ are those of the function; what Lambda asks
of a queue in its place, one request to receive and one to delete for each batch, is in the dollars. Units of the indexes come on top of
those of the table. A long prompt has more than 2,000 bytes; the one here has 10,000.`;

const LEFT_OUT = `Left out: what is stored, what leaves AWS, logs, the model, free tiers, cold starts, and polls of empty queues.
A worker is counted with one task alone; up to five share its time.`;

/** What belongs together, and how often each part of it comes. */
const WHOLES: [name: string, parts: [times: number, scene: string][]][] = [
  [
    'a task: submitted, run, polled three times',
    [
      [1, 'POST /tasks, short prompt, no files'],
      [1, 'a task on the worker, short prompt, no files'],
      [2, 'GET /tasks/:taskId, open'],
      [1, 'GET /tasks/:taskId, ended'],
    ],
  ],
  [
    'a task with a file: submitted, run, polled three times',
    [
      [1, 'POST /tasks, with a file'],
      [1, 'a task on the worker, with a file'],
      [2, 'GET /tasks/:taskId, open'],
      [1, 'GET /tasks/:taskId, ended'],
    ],
  ],
  [
    'a file: offered, uploaded, completed, its download address',
    [
      [1, 'POST /files, for an upload'],
      [1, 'PUT to the signed address'],
      [1, 'POST /files/:fileId/complete'],
      [1, 'GET /files/:fileId'],
    ],
  ],
];

const MINUTES_A_MONTH = 30 * 24 * 60;

export function costsDocument(recording: Recording): string {
  const entries = bill(recording);
  const sections = [
    `# Costs\n\n${INTRO}`,
    `## A call at a time\n\n${HOW}\n\n${unitsTable(entries)}`,
    `## In dollars for a million\n\n${dollarsTable(entries)}\n\n${LEFT_OUT}\n\n${standing(entries)}`,
    `## What is asked\n\n${asked(entries)}`,
    `## Bounds\n\n${BOUNDED}\n\n${boundsTable(recording)}`,
    `## Assumptions\n\nList prices of ${AS_OF.region}, ${AS_OF.month}, in dollars for a million:\n\n${pricesTable(PRICES)}\n\n${TIMES}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const TIMES = `How long a function runs cannot be learnt from emulators. It is taken to make its calls one after the other, which
is the worst case, and to need these milliseconds:

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

function dollarsTable(entries: Entry[]): string {
  const head = ['What', 'DynamoDB', 'SQS', 'S3', 'Lambda', 'Gateway, Scheduler', 'Together'];
  const single = entries.map(({ name, dollars }) => [name, ...dollarsIn(dollars), total(dollars).toFixed(2)]);
  const wholes = WHOLES.map(([name, parts]) => {
    const dollars = parts.map(([times, scene]) => scaled(entryOf(entries, scene).dollars, times)).reduce(added);
    return [`**${name}**`, ...dollarsIn(dollars), `**${total(dollars).toFixed(2)}**`];
  });
  return markdownTable(head, [...single, ...wholes]);
}

type Dollars = Entry['dollars'];
const dollarsIn = ({ dynamodb, sqs, s3, lambda, door }: Dollars): string[] =>
  [dynamodb, sqs, s3, lambda, door].map((part) => part.toFixed(2));

const scaled = (dollars: Dollars, times: number): Dollars => ({
  dynamodb: dollars.dynamodb * times,
  sqs: dollars.sqs * times,
  s3: dollars.s3 * times,
  lambda: dollars.lambda * times,
  door: dollars.door * times,
});

const added = (a: Dollars, b: Dollars): Dollars => ({
  dynamodb: a.dynamodb + b.dynamodb,
  sqs: a.sqs + b.sqs,
  s3: a.s3 + b.s3,
  lambda: a.lambda + b.lambda,
  door: a.door + b.door,
});

function entryOf(entries: Entry[], name: string): Entry {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw new Error(`The recording has no scene ${name}.`);
  return found;
}

/** What is paid when nobody calls. */
function standing(entries: Entry[]): string {
  const month = (total(entryOf(entries, ROUND).dollars) * MINUTES_A_MONTH) / 1_000_000;
  return `The reconciler's rounds come to $${month.toFixed(2)} in a month of 30 days, whether or not anybody calls.`;
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
