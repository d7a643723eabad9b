/** A chart's values as rows, for those who cannot see it or want to count on. */
import type { Chart } from '../charts/chart.ts';
import { fullFormat } from '../charts/show-value.ts';
import { tidyChart } from '../charts/tidy-chart.ts';

const MAX_CHART_ROWS = 60;

export type ChartTable = { head: string[]; rows: string[][]; remark: string };

export function chartTable(chart: Chart, language: string): ChartTable {
  const { labels, series, unit } = tidyChart(chart);
  const show = fullFormat(language);
  const step = Math.ceil(labels.length / MAX_CHART_ROWS);
  const rows = labels.flatMap((label, index) => {
    const isShown = index % step === 0 || index === labels.length - 1;
    const cells = series.map(({ values }) => (values[index] == null ? '–' : show(values[index])));
    return isShown ? [[label, ...cells]] : [];
  });
  const remark = step > 1 ? `Every ${step}th of ${labels.length} points.` : '';
  return { head: [unit, ...series.map(({ name }) => name)], rows, remark: remark };
}
