/** The plots of a load: memory, latency and throughput over its time, as SVG. */
import type { Chart, ChartSeries } from '../../../engines/charts/chart.ts';
import { chartSvg } from '../../../engines/charts/chart-image.ts';
import { type Point, quantile } from './flatness.ts';
import type { Soaked } from './soak.ts';

const WINDOWS = 60;
const WIDTH = { widthPixels: 760 };

export function plots({ seconds, memory, meter, ledger }: Soaked): Record<'memory' | 'latency' | 'throughput', string> {
  const windowMs = (seconds * 1_000) / WINDOWS;
  const labels = Array.from({ length: WINDOWS }, (_, at) => timeOf(((at + 1) * windowMs) / 1_000));
  const inWindows = (points: readonly Point[]): number[][] => {
    const windows = Array.from({ length: WINDOWS }, (): number[] => []);
    for (const { at, value } of points) windows[Math.floor(at / windowMs)]?.push(value);
    return windows;
  };
  const line = (name: string, points: readonly Point[], of: (values: number[]) => number): ChartSeries => ({
    name,
    values: inWindows(points).map((values) => (values.length === 0 ? null : round(of(values)))),
  });
  const rate = (values: number[]): number => (values.length * 1_000) / windowMs;
  const p50 = (values: number[]) => quantile(values, 0.5);
  const p99 = (values: number[]) => quantile(values, 0.99);
  const draw = (title: string, unit: string, series: ChartSeries[]): string => {
    const chart: Chart = { kind: 'line', title, unit, x: { labels }, series };
    return `${chartSvg(chart, WIDTH)}\n`;
  };
  const { submit, read, page, other } = meter.calls;
  const told = ledger.reportedAt.map((at) => ({ at, value: 1 }));
  return {
    memory: draw('Resident memory of the product', 'MB', [line('resident', memory, (values) => quantile(values, 0.5))]),
    latency: draw('How long a call takes', 'ms', [
      line('submit, p50', submit, p50),
      line('submit, p99', submit, p99),
      line('read, p50', read, p50),
      line('read, p99', read, p99),
    ]),
    throughput: draw('How much is done', 'a second', [
      line('calls answered', [submit, read, page, other].flat(), rate),
      line('tasks ended and told', told, rate),
    ]),
  };
}

const round = (value: number): number => Number(value.toPrecision(4));

const timeOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`;
