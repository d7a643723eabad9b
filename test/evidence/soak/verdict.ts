/** Judges a load: flat memory, flat latency, nothing lost. The warm-up is left out. */
import { drift, growthOf, type Point, quantile } from './flatness.ts';
import type { Soaked } from './soak.ts';

const MAX_WARM_UP_SECONDS = 300;
const WARM_UP_SHARE = 0.4;
/** A short load has few calls: one slow moment of the machine is then a large share of them. */
const LONG_SECONDS = 600;

/** `floorMs`: a latency below it always passes. `memory` is the rise of a fitted line. */
const BOUNDS = {
  long: { memory: 1.1, p50: 1.5, p99: 2, floorMs: { p50: 0, p99: 0 } },
  short: { memory: 1.5, p50: 2.5, p99: 5, floorMs: { p50: 100, p99: 1_000 } },
};
const SHARES = { p50: 0.5, p99: 0.99 } as const;
const KINDS = ['submit', 'read'] as const;

export type Figure = {
  what: string;
  unit: string;
  early: number;
  late: number;
  ratio: number;
  most: number;
  floor: number;
};

export const warmUpSeconds = (seconds: number): number => Math.min(MAX_WARM_UP_SECONDS, seconds * WARM_UP_SHARE);

export function verdict({ seconds, memory, meter }: Pick<Soaked, 'seconds' | 'memory' | 'meter'>): Figure[] {
  const warm = (points: readonly Point[]) => points.filter(({ at }) => at >= warmUpSeconds(seconds) * 1_000);
  const bounds = BOUNDS[seconds >= LONG_SECONDS ? 'long' : 'short'];
  return [
    { ...memoryFigure(warm(memory)), most: bounds.memory, floor: 0 },
    ...KINDS.flatMap((kind) =>
      (['p50', 'p99'] as const).map((name): Figure => {
        const bare = drift(warm(meter.calls.bare), SHARES[name]);
        const what = `${kind}, ${name}`;
        const found = latencyOf(warm(meter.calls[kind]), SHARES[name], bare);
        return { what, ...found, most: bounds[name], floor: bounds.floorMs[name] };
      }),
    ),
  ];
}

type Measured = Omit<Figure, 'most' | 'floor'>;

function memoryFigure(points: readonly Point[]): Measured {
  const ratio = 1 + growthOf(points);
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length;
  const early = (2 * mean) / (1 + ratio);
  return { what: 'resident memory, fitted line', unit: 'MB', early, late: early * ratio, ratio };
}

/** A slowdown that a bare server shows too is the machine's. */
function latencyOf(points: readonly Point[], share: number, bare: number): Omit<Measured, 'what'> {
  const third = Math.ceil(points.length / 3);
  const of = (some: readonly Point[]) =>
    quantile(
      some.map(({ value }) => value),
      share,
    );
  const ratio = drift(points, share) / Math.max(1, bare);
  return { unit: 'ms', early: of(points.slice(0, third)), late: of(points.slice(-third)), ratio };
}

export const isFlat = ({ late, ratio, most, floor }: Figure): boolean => ratio <= most || late <= floor;
