/** Measures a submit, a read, a page and a round of the reconciler at several numbers of stored tasks, in turns. */
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { startReceiver } from '../tasks/receiver.ts';
import { closeStored, pageCost, readCost, type Stored, storing, submitCost } from '../tasks/stored-tasks.ts';
import { reconcileCost } from './reconcile-cost.ts';

/** `cost` in microseconds; `ratio` to the smallest size is the median of the rounds' ratios. */
type Point = { cost: number; ratio: number };
export type Curve = { what: string; points: Point[] };

type Call = [what: string, cost: (stored: Stored) => Promise<number>];
// Submits come last, because they add stored tasks.
const CALLS: Call[] = [
  ['GET /tasks/:taskId', readCost],
  ['GET /tasks, a page of 20', pageCost],
  ['POST /tasks', submitCost],
];
const RECONCILE = 'a round of the reconciler, 100 tasks due';

type Wanted = { sizes: readonly number[]; rounds: number; tell: (line: string) => void };

export async function curves({ sizes, rounds, tell }: Wanted): Promise<Curve[]> {
  const folder = temporaryFolder();
  const receiver = await startReceiver();
  const opened: Stored[] = [];
  const reconciled: number[][] = [];
  try {
    for (const amount of sizes) {
      const costs: number[] = [];
      const beforeStart = async (state: string) => {
        for (let round = 0; round <= rounds; round++) costs.push(await reconcileCost(state));
      };
      opened.push(await storing({ folder: folder.path, amount, endpoint: receiver.endpoint, beforeStart }));
      reconciled.push(costs.slice(1));
      tell(`${amount.toLocaleString('en-US')} tasks stored`);
    }
    const found: Curve[] = [];
    for (const [what, cost] of CALLS) found.push({ what, points: pointsOf(await inTurns(opened, cost, rounds)) });
    return [...found, { what: RECONCILE, points: pointsOf(reconciled) }];
  } finally {
    for (const one of opened) await closeStored(one);
    receiver.stop();
    folder.remove();
  }
}

/** The first round of each size is a warm-up and is not counted. */
async function inTurns(all: Stored[], cost: (stored: Stored) => Promise<number>, rounds: number): Promise<number[][]> {
  const costs: number[][] = all.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, stored] of all.entries()) costs[at]?.push(await cost(stored));
  }
  return costs.map((figures) => figures.slice(1));
}

const pointsOf = (costs: number[][]): Point[] =>
  costs.map((figures) => ({
    cost: median(figures),
    ratio: median(figures.map((figure, round) => figure / (costs[0]?.[round] ?? Number.NaN))),
  }));

const median = (figures: number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
