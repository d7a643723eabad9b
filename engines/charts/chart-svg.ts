/** A chart as SVG: a picture for light backgrounds that needs no style, no script and no font of the reader's. */
import type { Chart } from './chart.ts';

export type Size = { widthPixels: number };

export function chartSvg(_chart: Chart, _size: Size): string {
  throw new Error('not drawn yet');
}
