/**
 * `npm run prove:capacity`: ten thousand organizations, skewed and in bursts, upon the keys that the product's own code
 * chooses, until AWS says no.
 */
import { availableParallelism, cpus } from 'node:os';
import { settingsOf } from '../../../infra/settings.ts';
import { readArguments } from '../../../scripts/arguments.ts';
import { writeSection } from '../bench/benchmarks-document.ts';
import { ORGANIZATIONS } from '../capacity/arrivals.ts';
import { measureReconciler } from '../capacity/reconciler/round-rate.ts';
import { lifeOfATask } from '../capacity/touches.ts';
import { type Standing, standings, walls } from '../capacity/walls.ts';
import { markdownTable } from './markdown-table.ts';
import { noteProofs } from './proof-table.ts';

const COMMAND = 'npm run prove:capacity';
const DOCUMENT = 'docs/operations/capacity.md';
const MOST = { full: 5_000, short: 500 };
/** Rows of the measured round of the reconciler. */
const ROUND_ROWS = { full: 30_000, short: 10_000 };

const { values } = readArguments({
  command: COMMAND,
  options: {
    seed: { type: 'string', default: '1', value: 'N', help: 'draws another load' },
    short: { type: 'boolean', default: false, help: `tries up to ${MOST.short} tasks a second, not ${MOST.full}` },
    write: { type: 'boolean', default: false, help: 'writes the result into the documents' },
  },
});
const most = values.short ? MOST.short : MOST.full;
const seed = Number(values.seed);

const count = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'));
const sizeText = (at: number | undefined): string => (at === undefined ? `beyond ${count(most)}` : count(at));

const settings = settingsOf('prod');
const reconciler = await measureReconciler(settings.sizes.reconcile, values.short ? ROUND_ROWS.short : ROUND_ROWS.full);
const life = await lifeOfATask();
const all = walls({ ...settings, roundRows: reconciler.roundRows });
const limited = standings(life, all, { seed, most, withLimits: true });
const lifted = standings(life, all, { seed, most, withLimits: false });
const liftedAt = new Map(lifted.found.map(({ wall, at }) => [wall, at]));

const rowOf = ({ wall, at }: Standing): string[] => [
  wall.name,
  `${count(wall.bears)} ${wall.unit}`,
  sizeText(at),
  sizeText(liftedAt.get(wall)),
  wall.turn,
];
const head = ['Limit', 'Capacity', 'Reached at, tasks/s', 'Without rate limits', 'Then change'];
const table = markdownTable(head, limited.found.map(rowOf));
const [first] = limited.found;
if (!first || first.at === undefined) throw new Error('No wall was met.');
const told = `${ORGANIZATIONS.toLocaleString('en-US')} organizations: the first limit is ${first.wall.name}, at ${count(first.at)} tasks a second`;
const { rows, cpuMs, roundRows } = reconciler;
const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`;
const round = `A round of the reconciler's bundle moved ${count(rows)} due rows with ${count(cpuMs)} ms of CPU time on ${machine}, and stopped in time when more were due. At its size and with such a CPU it moves up to ${count(roundRows)} rows before it stops.`;
console.log(`${table}\n\n${told} (seed ${seed})\n\n${round}`);
if (values.write) {
  const about = `Written by \`${COMMAND} -- --write\`, seed ${seed}. Tasks a second are submitted tasks; each organization may submit ${life.submits.minute} a minute, or any number without rate limits.`;
  writeSection('Where the limits are', `${about}\n\n${table}\n\n${round}`, DOCUMENT);
  const keys = limited.found.find(({ wall }) => wall.unit === 'units/s');
  const figure = `${told}; the first of the table, ${keys?.wall.name}, at ${sizeText(keys?.at)}`;
  noteProofs(
    [{ promise: 'The capacity of a stage is known before it is reached', command: COMMAND, figure }],
    new Date().toISOString().slice(0, 10),
  );
}
