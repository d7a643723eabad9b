/**
 * `npm run bench:peers`: runs the whole job, from submit to the received signed webhook, on the product and on three systems
 * that a team would build of well-known parts.
 */
import { availableParallelism, cpus } from 'node:os';
import { readArguments } from '../../../scripts/arguments.ts';
import { demandProgram } from '../../support/browser/programs.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import { noteProofs } from '../promises/proof-table.ts';
import { writeSection } from './benchmarks-document.ts';
import { besideEachOther, type Extent, ORGANIZATIONS } from './peers/peers.ts';
import { profileOf } from './peers/profile.ts';
import { NAMES, processorOf, proofsOf, ratiosOf, type Wish, wishes } from './peers/verdict.ts';
import { postgres } from './yardstick/postgres.ts';
import { redisServer } from './yardstick/redis.ts';

const TITLE = 'Side by side';
const COMMAND = 'npm run bench:peers';

const FULL: Extent = { warmUps: 2, rounds: 9, tasks: 6_000, alone: 200, callers: 16, among: 2_000 };
const SHORT: Extent = { warmUps: 0, rounds: 1, tasks: 600, alone: 20, callers: 16, among: 160 };

const { values } = readArguments({
  command: COMMAND,
  options: {
    short: { type: 'boolean', default: false, help: 'only checks that each system does the job' },
    profile: { type: 'boolean', default: false, help: 'shows where the product spends its time' },
    write: { type: 'boolean', default: false, help: 'writes the results into the documents' },
  },
});
const extent = values.short ? SHORT : FULL;

const ABOUT = [
  `${FULL.tasks.toLocaleString('en-US')} tasks of 16 organizations from submit to the signed webhook received: 64 submits in flight for the throughput; one caller, then ${FULL.callers}, who wait for each webhook before they submit again, for the times. The four take turns, and the figures are medians of ${FULL.rounds} rounds. The receiver holds every body against both signatures.`,
  'Errand, PostgreSQL and Redis with appendfsync always have each accepted task on the disk before they respond; Redis as installed takes periodic snapshots and may lose the last seconds. The references are Fastify with BullMQ, and Fastify with pg-boss (notified of new work by NOTIFY): one process of Node, the store beside it, the same checks, hashed keys and signatures, no rate limits, no idempotency, no delivery log, no capacity.',
  'CPU time is that of all processes of a side, in user and in system mode, for one task; memory is measured under load, with shared memory counted once, and at rest after the start.',
].join(' ');

const wished = ({ ratio, most, least }: Wish): string[] => [
  ratio.toFixed(2),
  least === undefined ? `≤ ${most}` : `≥ ${least}`,
  (least === undefined ? ratio <= (most ?? 0) : ratio >= least) ? 'reached' : 'missed',
];

await demandProgram(redisServer);
await demandProgram(postgres);
const found = await besideEachOther(extent, (line) => console.log(line));
const figures = markdownTable(['', ...Object.values(NAMES)], ratiosOf(found));
const wanted = wishes(found);
const judged = markdownTable(
  ['Errand over', 'What', 'Ratio', 'Wanted', ''],
  wanted.map((wish) => [NAMES[wish.over], wish.what, ...wished(wish)]),
);
console.log(`\n${figures}\n`);
if (values.short) console.log('Each side did the whole job; so few tasks say nothing about how fast.');
else console.log(`${judged}\n`);

/** CPU time of a task by area of the code, profiled in a separate run. */
async function profiled(): Promise<string> {
  const taken = processorOf(found);
  const shares = await profileOf({ organizations: ORGANIZATIONS, tasks: 2 * extent.tasks });
  const rows = shares.map(({ area, share }) => [
    area,
    `${Math.round(share * 100)} %`,
    Math.round(share * taken * 1_000),
  ]);
  return markdownTable(
    ['Where the time of Errand goes', 'Share', 'µs a task'],
    rows.map((row) => row.map(String)),
  );
}

if (values.profile || values.write) {
  const profile = await profiled();
  console.log(profile);
  if (values.write) write(profile);
}

function write(profile: string): void {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`;
  const about = `${ABOUT} Made by \`${COMMAND} -- --write\` on ${machine}.`;
  const note =
    'The last table is a profile of the main thread under that load, from its start; waiting for the disk and requests to receivers happen in other threads.';
  writeSection(TITLE, [about, figures, judged, note, profile].join('\n\n'));
  noteProofs(
    proofsOf(found).map((proof) => ({ ...proof, command: COMMAND })),
    new Date().toISOString().slice(0, 10),
  );
}
