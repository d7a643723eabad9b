/** Measures two implementations in turns, so that both meet the same load of the machine, and compares their medians. */

export type Way = () => Promise<void> | void;
/** `ratio` is ours over the reference. */
export type Comparison = { what: string; unit: string; ours: number; reference: number; ratio: number; wanted: Wanted };
export type Wanted = { atLeast: number } | { atMost: number };
export type Bench = {
  title: string;
  about: string;
  /** Returns one line on what this machine lacks for the benchmark. */
  missing?(): string | undefined;
  run(): Promise<Comparison[]>;
};

const ROUNDS = 9;

export const isReached = ({ ratio, wanted }: Comparison): boolean =>
  'atLeast' in wanted ? ratio >= wanted.atLeast : ratio <= wanted.atMost;

export async function sideBySide(o: {
  what: string;
  unit: string;
  amount: number;
  atLeast: number;
  ours: Way;
  reference: Way;
}): Promise<Comparison> {
  const { what, unit, amount, atLeast } = o;
  const rates = await inTurns(async (way) => (amount * 1_000) / (await millisecondsOf(way)), o);
  return { what, unit, ...rates, wanted: { atLeast } };
}

/** The first round of each is a warm-up and is not counted. */
export async function inTurns<W>(measure: (way: W) => Promise<number>, o: { ours: W; reference: W }, rounds = ROUNDS) {
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const first = await measure(o.ours);
    const second = await measure(o.reference);
    if (round === 0) continue;
    ours.push(first);
    reference.push(second);
  }
  const ratios = ours.map((figure, at) => figure / (reference[at] ?? Number.NaN));
  return { ours: median(ours), reference: median(reference), ratio: median(ratios) };
}

export async function millisecondsOf(way: Way): Promise<number> {
  const start = performance.now();
  await way();
  return performance.now() - start;
}

const median = (figures: number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
