/**
 * `npm run bench:growth`: the cost of API calls for an organization as it stores more and more tasks. Fails when a call
 * exceeds its bound.
 */
import { writeFileSync } from 'node:fs';
import { chartSvg } from '../../../engines/charts/chart-image.ts';
import { readArguments } from '../../../scripts/arguments.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import { noteProofs } from '../promises/proof-table.ts';
import { writeSection } from './benchmarks-document.ts';
import { type Curve, curves } from './growth/curves.ts';

const COMMAND = 'npm run bench:growth';
const FULL = { sizes: [100, 1_000, 10_000, 100_000, 1_000_000], rounds: 3 };
const SHORT = { sizes: [1_000, 20_000], rounds: 1 };
/** Bound of the cost at the largest size over that at the smallest: an index grows by a few levels. A short run allows noise. */
const MOST = { full: 2, short: 3 };
const PLOT = 'docs/images/growth.svg';

const { values } = readArguments({
  command: COMMAND,
  options: {
    short: { type: 'boolean', default: false, help: 'compares two sizes' },
    write: { type: 'boolean', default: false, help: 'writes the results into the documents' },
  },
});
const extent = values.short ? SHORT : FULL;
const most = values.short ? MOST.short : MOST.full;
const labels = extent.sizes.map((size) => size.toLocaleString('en-US'));

const overFirst = ({ points }: Curve): number => points.at(-1)?.ratio ?? Number.NaN;

function write(found: readonly Curve[], table: string): void {
  const series = found.map(({ what, points }) => ({
    name: what,
    values: points.map(({ ratio }) => Number(ratio.toFixed(3))),
  }));
  const chart = {
    kind: 'line',
    title: 'What a call costs, over the smallest size',
    unit: 'times',
    x: { labels },
    series,
  } as const;
  writeFileSync(PLOT, `${chartSvg(chart, { widthPixels: 760 })}\n`);
  const about =
    'The table of the local product is filled with finished tasks of one organization; then it is called over HTTP, 16 calls in flight, alternating between all sizes. The reconciler is measured separately, over the same table. ' +
    `In microseconds per call, and relative to the smallest size: the median of the rounds' ratios. Made by \`${COMMAND} -- --write\`.`;
  writeSection(
    'Growth',
    [about, table, `![What a call costs as more tasks are stored](../images/growth.svg)`].join('\n\n'),
  );
  const worst = Math.max(...found.map(overFirst));
  const promise = 'The cost of a call does not grow with stored data';
  const figure = `${labels.at(-1)} tasks stored over ${labels[0]}: ${found.map((curve) => `${curve.what} ${overFirst(curve).toFixed(2)}`).join(', ')}; at most ${worst.toFixed(2)}`;
  noteProofs([{ promise, command: COMMAND, figure }], new Date().toISOString().slice(0, 10));
}

const found = await curves({ ...extent, tell: (line) => console.log(line) });
const rows = found.map((curve) => [
  curve.what,
  ...curve.points.map(({ cost, ratio }) => `${Math.round(cost).toLocaleString('en-US')} (${ratio.toFixed(2)})`),
  overFirst(curve) <= most ? `≤ ${most}` : `missed ≤ ${most}`,
]);
const table = markdownTable(['µs, and over the smallest', ...labels, 'Wanted'], rows);
console.log(`\n${table}`);
if (!found.every((curve) => overFirst(curve) <= most)) process.exitCode = 1;
if (values.write) write(found, table);
