/** Time and memory that charts and reports cost a worker. */

import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { chartPng, chartSvg } from '../../../engines/charts/chart-image.ts';
import { renderReport } from '../../../engines/reports/render-report.ts';
import { exampleCharts } from '../../engines/charts/example-charts.ts';
import { longReport } from '../../engines/reports/example-report.ts';
import { type Bench, type Comparison, millisecondsOf, type Way } from './side-by-side.ts';

const ROUNDS = 9;
/** Renders to 21 pages. */
const SECTIONS = 8;

const against = (what: string, unit: string, ours: number, most: number): Comparison => ({
  what: `${what}, over ${most} ${unit}`,
  unit,
  ours,
  reference: most,
  ratio: ours / most,
  wanted: { atMost: 1 },
});

async function usual(way: Way): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await millisecondsOf(way));
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

const residentMb = (): number => process.memoryUsage().rss / 1_048_576;

export const bench: Bench = {
  title: 'Charts and reports',
  about:
    'A line chart of 3 series and 36 points, 600 pixels wide at twice the resolution; a report of 8 chapters, charts and tables, of 21 pages. The references are bounds.',
  async run() {
    const files = fontFilesFromCheckout();
    const [paint, render] = [chartPng(files), renderReport(files)];
    const chart = exampleCharts['policy rates'];
    const picture = async () => void (await paint(chart, { widthPixels: 600, scale: 2 }));
    const report = longReport(SECTIONS);
    const paper = async () => void (await render(report, 'pdf'));
    const page = async () => void (await render(report, 'html'));
    const before = residentMb();
    const first = [
      against('first report as PDF, fonts loaded', 'ms', await millisecondsOf(paper), 2_000),
      against('first chart as PNG, painter loaded', 'ms', await millisecondsOf(picture), 1_500),
      against('resident growth by both', 'MB', residentMb() - before, 160),
    ];
    return [
      ...first,
      against('report as PDF', 'ms', await usual(paper), 600),
      against('report as HTML', 'ms', await usual(page), 150),
      against('chart as PNG', 'ms', await usual(picture), 400),
      against('chart as SVG', 'ms', await usual(() => void chartSvg(chart, { widthPixels: 600 })), 10),
    ];
  },
};
