/**
 * `npm run prove:faults`: what the tasks promise, held against crashes at sixteen points and everything else that may go
 * wrong.
 */
import { readArguments, refuseArguments } from '../../../scripts/arguments.ts';
import type { CrowdingResult } from '../faults/crowded-lane.ts';
import { POINTS } from '../faults/points.ts';
import { POWER_CUT, proveAll, proveCrowded, type Sum } from '../faults/prove-all.ts';
import { noteProofs, today } from './proof-table.ts';

const COMMAND = 'npm run prove:faults';
const NIGHTLY_SEEDS = 20;
const SEEDS = 5;
/** The run that waits for all tasks takes longer than the others. */
const CROWDED_SEEDS = 2;

const SCRIPT = {
  command: COMMAND,
  options: {
    nightly: { type: 'boolean', default: false, help: `takes ${NIGHTLY_SEEDS} seeds instead of ${SEEDS}` },
    seed: { type: 'string', value: 'N', help: 'takes this seed alone' },
    point: { type: 'string', value: 'POINT', help: "crashes at this point alone, such as 'after post'" },
    tasks: { type: 'string', default: '500', value: 'N', help: 'the tasks of a point and a seed' },
    mixed: { type: 'string', default: '10000', value: 'N', help: 'the tasks with all faults at once' },
    write: { type: 'boolean', default: false, help: 'notes the result in docs/evidence/proof.md' },
  },
} as const;
const { values } = readArguments(SCRIPT);
const points = [...POINTS, POWER_CUT];
if (values.point !== undefined && !points.includes(values.point))
  refuseArguments(SCRIPT, `There is no point '${values.point}'; there are ${points.join(', ')}.`);

const count = (value: number): string => value.toLocaleString('en-US');

const figureOf = ({ points, tasks, seeds, crashes, faults, cuts, faded, repeats, excused, seconds }: Sum): string =>
  `0 broken over ${count(tasks)} tasks, ${points > 0 ? `${points} points, ` : ''}${seeds} seeds: ` +
  (cuts > 0 ? `${count(cuts)} cuts that undid ${count(faded)} writes` : `${count(crashes)} crashes`) +
  `, ${count(faults)} other ` +
  `faults, ${count(repeats)} repeated webhooks of ${count(excused)} allowed; ${Math.round(seconds)} s of processor`;

const PROMISES: Record<string, string> = {
  'each point': 'A crash before or after any step loses no task and finishes none twice',
  mixed: 'All faults at once lose no task and finish none twice',
  [POWER_CUT]: 'A power loss undoes nothing that was acknowledged',
};

const seeds = Array.from({ length: values.nightly ? NIGHTLY_SEEDS : SEEDS }, (_, at) => at + 1);
const proven = await proveAll({
  points: POINTS.filter((point) => values.point === undefined || values.point === point),
  seeds: values.seed === undefined ? seeds : [Number(values.seed)],
  tasks: Number(values.tasks),
  mixed: Number(values.mixed),
  isDark: values.point === undefined || values.point === POWER_CUT,
  tell: (line) => process.stdout.write(`${line}\n`),
});

const crowded =
  proven && values.point === undefined
    ? await proveCrowded(values.seed === undefined ? seeds.slice(0, CROWDED_SEEDS) : [Number(values.seed)], (line) =>
        process.stdout.write(`${line}\n`),
      )
    : [];

const crowdedFigure = (results: readonly CrowdingResult[]): string => {
  const of = (value: (result: CrowdingResult) => number) => Math.max(...results.map(value));
  const tasks = results.reduce((sum, { quietTasks }) => sum + quietTasks, 0);
  return (
    `${count(tasks)} instant tasks beside 1,000 tasks of 10 minutes, ${results.length} seeds: started within ` +
    `${(of(({ slowestStartMs }) => slowestStartMs) / 1_000).toFixed(1)} s, at most ` +
    `${of(({ maxHeldSlots }) => maxHeldSlots)} of ${of(({ slots }) => slots)} slots held`
  );
};

if (!proven || !crowded) process.exitCode = 1;
else if (values.write) {
  const command = values.nightly ? `${COMMAND} -- --nightly` : COMMAND;
  const proofs = proven.map((sum) => ({ promise: PROMISES[sum.name] ?? sum.name, command, figure: figureOf(sum) }));
  if (crowded.length > 0) {
    const promise = 'An instant task starts within 5 s while another organization fills its lane';
    proofs.push({ promise, command, figure: crowdedFigure(crowded) });
  }
  noteProofs(proofs, today());
}
