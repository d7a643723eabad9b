/** What a chart shows. */

export type ChartData = {
  title: string;
  kind: 'line' | 'bar';
  unit?: string | undefined;
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  /** Where the figures come from. */
  note?: string | undefined;
};
