/** What a chart is, before anybody draws it. */

export type ChartSeries = {
  name: string;
  /** One for each label of x; null where there is no value, which leaves a gap. */
  values: (number | null)[];
};

export type Chart = {
  kind: 'line' | 'bar';
  title: string;
  /** Of the values: `EUR`, `% of GDP`. */
  unit?: string;
  x: { labels: string[] };
  series: ChartSeries[];
  /** Where the values come from, in words. */
  source?: string;
};

/** What is more is left out, and said so under the chart. Lines of many points are drawn by their extremes. */
export const MAX_SERIES = 12;
export const MAX_POINTS = 5_000;
