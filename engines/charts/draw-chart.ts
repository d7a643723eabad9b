/** Lays a chart out as shapes, for a width in pixels (or points): text keeps its size, so a phone reads it as well as paper. */
import type { Chart } from './chart.ts';
import { drawFoot, drawHead } from './draw-frame.ts';
import { drawSideways, goesSideways } from './draw-sideways.ts';
import { drawUpright } from './draw-upright.ts';
import type { Drawing } from './drawing.ts';
import { blankSheet, put, SIZE } from './sheet.ts';
import { knownLanguage } from './show-value.ts';
import { tidyChart, valuesOf } from './tidy-chart.ts';

export type DrawOptions = {
  widthPixels: number;
  /** BCP 47, for numbers. */
  language?: string | undefined;
  /** False where a caption around the picture holds them. */
  withTitle?: boolean;
};

const NARROWEST = 240;
const WIDEST = 2_000;

export function drawChart(chart: Chart, { widthPixels, language, withTitle = true }: DrawOptions): Drawing {
  const tidy = tidyChart(chart);
  const sheet = blankSheet(Math.round(Math.min(Math.max(widthPixels, NARROWEST), WIDEST)), withTitle ? 12 : 4);
  const known = knownLanguage(language);
  drawHead(sheet, tidy, withTitle);
  if (valuesOf(tidy).length === 0) drawNothing(sheet);
  else if (goesSideways(tidy, sheet.width)) drawSideways(sheet, tidy, known);
  else drawUpright(sheet, tidy, known);
  drawFoot(sheet, tidy, withTitle);
  return { width: sheet.width, height: Math.ceil(sheet.y), shapes: sheet.shapes };
}

const NOTHING_HEIGHT = 72;

function drawNothing(sheet: ReturnType<typeof blankSheet>): void {
  put(sheet, {
    text: 'No values',
    x: sheet.width / 2,
    y: sheet.y + NOTHING_HEIGHT / 2,
    anchor: 'middle',
    size: SIZE.label,
    paint: 'soft',
  });
  sheet.y += NOTHING_HEIGHT;
}
