/** Charts of the figures that came with documents: one label over time as a line, many things at one time as bars. */
import type { Chart, Series } from '../../charts/chart.ts';
import type { Point } from './state.ts';

const MOST_CHARTS = 6;
const MOST_POINTS = 60;
const MOST_LINES = 8;

type Made = Chart & { documents: number[] };

export function chartsOf(points: readonly Point[]): Made[] {
  const groups = Map.groupBy(points, ({ source, label, unit }) => JSON.stringify([source, label, unit ?? '']));
  return [...groups.values()]
    .flatMap((group) => chartOf(group) ?? [])
    .sort((a, b) => b.documents.length - a.documents.length)
    .slice(0, MOST_CHARTS);
}

/** One number alone compares nothing. */
function chartOf(points: readonly Point[]): Made | undefined {
  const dated = points.filter(({ at }) => at !== null);
  const days = new Set(dated.map(({ at }) => dayOf(at)));
  const things = Map.groupBy(dated, ({ title }) => title);
  if (days.size >= 2 && days.size === dated.length) return lineOf(points, new Map([['', dated]]));
  const lines = [...things].filter(([, own]) => new Set(own.map(({ at }) => dayOf(at))).size >= 2);
  if (lines.length > 0) return lineOf(points, new Map(lines.slice(0, MOST_LINES)));
  return barsOf(points);
}

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

function lineOf(points: readonly Point[], lines: Map<string, Point[]>): Made {
  const all = [...lines.values()].flat();
  const labels = [...new Set(all.map(({ at }) => dayOf(at)))].sort().slice(-MOST_POINTS);
  const series = [...lines].map(([name, own]): Series => {
    const values = new Map(own.map(({ at, value }) => [dayOf(at), value]));
    return {
      name: name === '' ? (points[0]?.label ?? '') : name,
      values: labels.map((day) => values.get(day) ?? null),
    };
  });
  return { kind: 'line', ...headOf(points), x: { labels }, series };
}

/** Of each thing its newest value. */
function barsOf(points: readonly Point[]): Made | undefined {
  const newest = new Map<string, Point>();
  for (const point of points) {
    const known = newest.get(point.title);
    if (!known || (known.at ?? '') <= (point.at ?? '')) newest.set(point.title, point);
  }
  const bars = [...newest.values()].slice(0, MOST_POINTS);
  if (bars.length < 2) return undefined;
  const values = bars.map(({ value }) => value);
  return {
    kind: 'bar',
    ...headOf(points),
    x: { labels: bars.map(({ title }) => title) },
    series: [{ name: points[0]?.label ?? '', values }],
  };
}

function headOf(points: readonly Point[]) {
  const [{ label = '', unit, source = '' } = {}] = points;
  const documents = [...new Set(points.flatMap(({ document }) => document ?? []))].sort((a, b) => a - b);
  const isSample = points.some((point) => point.isSample);
  return {
    title: label,
    ...(unit === undefined ? {} : { unit }),
    source: `${source}, ${points.length} records${isSample ? ', sample data' : ''}`,
    documents,
  };
}
