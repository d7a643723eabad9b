import { describe, expect, it } from 'vitest';
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { type Chart, describeChart, MAX_POINTS } from '../../../engines/charts/chart.ts';
import { chartPng, chartSvg, drawChart } from '../../../engines/charts/chart-image.ts';
import type { DrawingShape } from '../../../engines/charts/drawing.ts';
import { exampleCharts } from './example-charts.ts';

const line = (values: (number | null)[], more: Partial<Chart> = {}): Chart => ({
  kind: 'line',
  title: 'Title',
  x: { labels: values.map((_, at) => `${2000 + at}`) },
  series: [{ name: 'One', values }],
  ...more,
});
const bars = (values: (number | null)[], more: Partial<Chart> = {}): Chart => line(values, { kind: 'bar', ...more });

type Of<K extends DrawingShape['kind']> = Extract<DrawingShape, { kind: K }>;
const shapesOf = <K extends DrawingShape['kind']>(chart: Chart, kind: K, widthPixels = 600): Of<K>[] =>
  drawChart(chart, { widthPixels }).shapes.filter((shape): shape is Of<K> => shape.kind === kind);
const textsOf = (chart: Chart, widthPixels = 600) => shapesOf(chart, 'text', widthPixels).map(({ text }) => text);
const linesOf = (chart: Chart, widthPixels = 600) =>
  shapesOf(chart, 'line', widthPixels).filter(({ paint }) => typeof paint === 'object');
const barsOf = (chart: Chart, widthPixels = 600) =>
  shapesOf(chart, 'rect', widthPixels).filter(({ paint }) => typeof paint === 'object');

describe('a line', () => {
  it('is cut where there is no value, and a value between two gaps is a dot', () => {
    const chart = line([1, 2, null, 3, null, 4, 5]);
    expect(linesOf(chart).map(({ points }) => points.length)).toEqual([2, 2]);
    expect(shapesOf(chart, 'dot')).toHaveLength(5);
  });

  it('treats a value that is not a number as missing', () => {
    expect(linesOf(line([1, 2, Number.NaN, 3, Infinity, -1e300, 4])).map(({ points }) => points.length)).toEqual([2]);
  });

  it('goes up where values rise, at even steps', () => {
    const [{ points = [] } = {}] = linesOf(line([10, 20, 30]));
    const [a, b, c] = points;
    expect((a?.[1] ?? 0) - (b?.[1] ?? 0)).toBeCloseTo((b?.[1] ?? 0) - (c?.[1] ?? 0));
    expect(a?.[1]).toBeGreaterThan(b?.[1] ?? 0);
    expect((b?.[0] ?? 0) - (a?.[0] ?? 0)).toBeCloseTo((c?.[0] ?? 0) - (b?.[0] ?? 0));
  });

  it('stands as far apart as its days are, and so do their labels, none of which touch', () => {
    const labels = ['2026-11-06', '2026-11-13', '2026-11-19', '2026-11-20'];
    const chart = line([1, 2, 3, 3], { x: { labels } });
    const [{ points = [] } = {}] = linesOf(chart);
    const [a = 0, b = 0, c = 0, d = 0] = points.map(([x]) => x);
    expect((b - a) / (d - a)).toBeCloseTo(7 / 14);
    expect((c - a) / (d - a)).toBeCloseTo(13 / 14);
    expect(textsOf(chart)).toEqual(expect.arrayContaining(['2026-11-06', '2026-11-13', '2026-11-20']));
    expect(textsOf(chart)).not.toContain('2026-11-19');
    for (const others of [labels.toReversed(), ['2026-11-06', 'x', '2026-11-19', '2026-11-20']]) {
      const [{ points: even = [] } = {}] = linesOf(line([1, 2, 3, 3], { x: { labels: others } }));
      expect((even[1]?.[0] ?? 0) - (even[0]?.[0] ?? 0)).toBeCloseTo((even[3]?.[0] ?? 0) - (even[2]?.[0] ?? 0));
    }
  });

  it('keeps its highest and its lowest value however many are drawn', () => {
    const values = Array.from({ length: 5_000 }, (_, at) =>
      at === 1_234 ? 90 : at === 4_321 ? -80 : Math.sin(at) * 10,
    );
    const [{ points = [] } = {}] = linesOf(line(values), 360);
    expect(points.length).toBeLessThan(500);
    const scale = linesOf(line([90, -80]), 360)[0]?.points ?? [];
    expect(Math.min(...points.map(([, y]) => y))).toBeCloseTo(scale[0]?.[1] ?? 0);
    expect(Math.max(...points.map(([, y]) => y))).toBeCloseTo(scale[1]?.[1] ?? 0);
  });

  it('may leave zero out only where all change would be flat', () => {
    expect(textsOf(line([100, 101, 102]))).not.toContain('0');
    expect(textsOf(line([10, 90]))).toContain('0');
  });
});

describe('bars', () => {
  it('begin at zero and end at their values, downwards for less than nothing', () => {
    const [up, down] = barsOf(bars([10, -5]));
    expect(up && down && up.y + up.height).toBeCloseTo(down?.y ?? 0);
    expect(up && down && up.height / down.height).toBeCloseTo(2);
  });

  it('are not there for nothing, and seen for very little', () => {
    const drawn = barsOf(bars([1_000, 0, null, 0.01]));
    expect(drawn).toHaveLength(2);
    expect(drawn[1]?.height).toBe(1);
  });

  it('lie beside their names where those have no room below, and tell each value', () => {
    const names = { x: { labels: ['Industrial automation', 'Consumer electronics', 'Services and maintenance'] } };
    const [first, second] = barsOf(bars([10, 20, 30], names), 300);
    expect(first?.x).toBeCloseTo(second?.x ?? 0);
    expect((second?.width ?? 0) / (first?.width ?? 1)).toBeCloseTo(2);
    expect(textsOf(bars([10, 20, 30], names), 300)).toEqual(expect.arrayContaining(['Industrial', '10', '20', '30']));
  });

  it('stand side by side, whatever days they are of', () => {
    const [a, b, c] = barsOf(bars([1, 2, 3], { x: { labels: ['2026-11-06', '2026-11-19', '2026-11-20'] } }));
    expect((b?.x ?? 0) - (a?.x ?? 0)).toBeCloseTo((c?.x ?? 0) - (b?.x ?? 0));
  });

  it('become lines where each would be a hair', () => {
    const chart = bars(Array.from({ length: 400 }, (_, at) => at));
    expect(barsOf(chart, 360)).toEqual([]);
    expect(linesOf(chart, 360)).toHaveLength(1);
  });
});

describe('words in a drawing', () => {
  it('name unit, labels and source, and the series where there is more than one', () => {
    const texts = textsOf(exampleCharts['policy rates'], 800);
    expect(texts).toEqual(
      expect.arrayContaining(['% a year', 'Jan 2023', 'Federal Reserve', 'Source: Errand sample data, rates.csv']),
    );
    expect(textsOf(exampleCharts['revenue by quarter'], 800)).not.toContain('Revenue');
  });

  it('leave the title and the source to a caption on request', () => {
    const { shapes } = drawChart(exampleCharts['revenue by quarter'], { widthPixels: 600, withTitle: false });
    const words = shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
    expect(words).not.toContain('Revenue by quarter');
    expect(words.join()).not.toContain('Source');
  });

  it('are as many labels as do not touch, from the first on at even steps', () => {
    const labels = Array.from({ length: 60 }, (_, at) => `Week ${at + 1}`);
    const chart = line(
      labels.map((_, at) => at),
      { x: { labels } },
    );
    const shown = textsOf(chart, 360).filter((text) => text.startsWith('Week'));
    const numbers = shown.map((text) => Number(text.slice(5)));
    expect(numbers[0]).toBe(1);
    expect(new Set(numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))).size).toBe(1);
    expect(numbers.length).toBeGreaterThan(3);
  });

  it.each([
    ['en', '1.2M', '12.5'],
    ['de', '1,2\u00a0Mio.', '12,5'],
  ])('write numbers as people of %s do', (language, large, small) => {
    const texts = (values: number[]) =>
      drawChart(bars(values), { widthPixels: 600, language }).shapes.flatMap((shape) =>
        shape.kind === 'text' ? [shape.text] : [],
      );
    expect(texts([1_200_000])).toContain(large);
    expect(texts([12.5])).toContain(small);
  });

  it('are letters, whatever they look like', () => {
    const hostile = '<script>alert(1)</script>"\'&\u202e\u0000\n';
    const svg = chartSvg(line([1], { title: hostile, unit: hostile, x: { labels: [hostile] }, source: hostile }), {
      widthPixels: 600,
    });
    expect(svg).not.toContain('<script');
    for (const sign of '\u202e\u0000\n') expect(svg).not.toContain(sign);
    expect(svg).toContain('&lt;script&gt;');
  });

  it('say what was left out', () => {
    const values = Array.from({ length: MAX_POINTS + 1 }, () => 1);
    const series = Array.from({ length: 13 }, (_, at) => ({ name: `S${at}`, values }));
    const told = 'Shown are the first 12 of 13 series and the first 5000 of 5001 points.';
    expect(textsOf(line(values, { series }), 1_200)).toContain(told);
    expect(describeChart(line(values, { series }))).toContain(told);
  });
});

describe('any chart', () => {
  it.each(Object.entries<Chart>(exampleCharts))('is drawn without a number that is none: %s', (_, chart) => {
    for (const widthPixels of [1, 360, 5_000])
      expect(chartSvg(chart, { widthPixels })).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  it.each([[1e99, -1e99], [1e-99], [5e-324], [1e15, 1], [-1, -1], [0.1, 0.2, 0.3], []])(
    'of the values %s',
    (...values) => {
      for (const chart of [line(values), bars(values)]) {
        const svg = chartSvg(chart, { widthPixels: 400 });
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        expect(svg.length).toBeLessThan(10_000);
      }
    },
  );

  it('is the same letter by letter for the same data', () => {
    const [one, other] = [0, 1].map(() => chartSvg(structuredClone(exampleCharts.full), { widthPixels: 800 }));
    expect(one).toBe(other);
  });
});

describe('a chart in words', () => {
  it('tells few values one by one', () => {
    expect(describeChart(exampleCharts['one point'])).toBe('Line chart: One point, in USD. 42 (2025).');
  });

  it('tells of many where they begin and end, and how far they go', () => {
    expect(describeChart(line([5, 1, 2, 9, 3, 4, 7, 6]))).toBe(
      'Line chart: Title. 8 points from 2000 to 2007. From 5 (2000) to 6 (2007), lowest 1 (2001), highest 9 (2003).',
    );
  });
});

describe('a picture of a chart whose script the font lacks', () => {
  const paint = chartPng(fontFilesFromCheckout());
  const size = { widthPixels: 340, scale: 1 };
  const lineChart = (title: string, name: string, label: string) =>
    line([1, 2], {
      title,
      unit: name,
      source: name,
      x: { labels: [label, '2026'] },
      series: [
        { name, values: [1, 2] },
        { name: 'Two', values: [2, 3] },
      ],
    });

  it('shows the name of the script where the letters would be boxes, and says so', async () => {
    const picture = await paint(lineChart('東京 rates', 'سعر', '一月'), size);
    const wanted = await paint(lineChart('[Han] rates', '[Arabic]', '[Han]'), size);
    expect(picture.missingScripts.toSorted()).toEqual(['Arabic', 'Han']);
    expect(wanted.missingScripts).toEqual([]);
    expect(Buffer.from(picture.bytes).equals(wanted.bytes)).toBe(true);
    const other = await paint(lineChart('[Han] rates', '[Arabic]', '[Hebrew]'), size);
    expect(Buffer.from(other.bytes).equals(wanted.bytes)).toBe(false);
  });

  it('does so for numbers, too, which some languages write in digits of their own', async () => {
    const { missingScripts } = await paint(line([1000, 2000]), { ...size, language: 'ar-EG-u-nu-arab' });
    expect(missingScripts).toEqual(['Arabic']);
    expect((await paint(line([1000, 2000]), { ...size, language: 'de' })).missingScripts).toEqual([]);
  });
});
