/** What a chart says, in words: for those who do not see it. */
import type { Chart } from './chart.ts';

export function chartInWords(_chart: Chart): string {
  throw new Error('not written yet');
}
