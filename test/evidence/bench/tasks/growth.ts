/** The cost of a submit, a read and a page with 10,000 and with 200,000 stored tasks. Product only. */
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type Comparison, inTurns } from '../side-by-side.ts';
import { closeStored, pageCost, readCost, type Stored, storing, submitCost } from './stored-tasks.ts';

const FEW = 10_000;
const MANY = 200_000;

export async function growth(endpoint: string): Promise<Comparison[]> {
  const folder = temporaryFolder();
  const opened: Stored[] = [];
  const fillStore = async (amount: number): Promise<Stored> => {
    const filled = await storing({ folder: folder.path, amount, endpoint });
    opened.push(filled);
    return filled;
  };
  try {
    return await compare(await fillStore(MANY), await fillStore(FEW));
  } finally {
    for (const one of opened) await closeStored(one);
    folder.remove();
  }
}

async function compare(many: Stored, few: Stored): Promise<Comparison[]> {
  const compareCost = async (what: string, cost: (stored: Stored) => Promise<number>): Promise<Comparison> => ({
    what: `${what}, ${MANY.toLocaleString('en-US')} tasks stored over ${FEW.toLocaleString('en-US')}`,
    unit: 'µs',
    ...(await inTurns(cost, { ours: many, reference: few })),
    wanted: { atMost: 1.3 },
  });
  // Submits come last, because they add stored tasks.
  return [
    await compareCost('GET /tasks/:taskId', readCost),
    await compareCost('GET /tasks, a page of 20', pageCost),
    await compareCost('POST /tasks', submitCost),
  ];
}
