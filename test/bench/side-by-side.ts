/** Takes two ways of doing one thing in turns, so that both meet the same machine, and compares their medians. */

export type Way = () => Promise<void> | void;
export type Comparison = {
  what: string;
  unit: string;
  ours: number;
  reference: number;
  ratio: number;
  atLeast: number;
};
export type Bench = { title: string; about: string; run(): Promise<Comparison[]> };

const ROUNDS = 9;

export async function sideBySide(o: {
  what: string;
  unit: string;
  amount: number;
  atLeast: number;
  ours: Way;
  reference: Way;
}): Promise<Comparison> {
  const ours: number[] = [];
  const reference: number[] = [];
  // The first round of each warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const first = await perSecond(o.ours, o.amount);
    const second = await perSecond(o.reference, o.amount);
    if (round > 0) {
      ours.push(first);
      reference.push(second);
    }
  }
  const ratios = ours.map((figure, at) => figure / (reference[at] ?? Number.NaN));
  return { ...o, ours: median(ours), reference: median(reference), ratio: median(ratios) };
}

async function perSecond(way: Way, amount: number): Promise<number> {
  const start = performance.now();
  await way();
  return (amount * 1_000) / (performance.now() - start);
}

const median = (figures: number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
