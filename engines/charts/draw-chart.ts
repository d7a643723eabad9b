/** Lays a chart out as shapes, for a width in pixels (or points): text keeps its size, so a phone reads it as well as paper. */
import type { Chart } from './chart.ts';
import { drawFoot, drawHead } from './draw-frame.ts';
import { drawHorizontalBars, isHorizontal } from './draw-sideways.ts';
import { drawVertical } from './draw-upright.ts';
import type { Drawing } from './drawing.ts';
import { addText, blankSheet, SIZE } from './sheet.ts';
import { canonicalLanguage } from './show-value.ts';
import { tidyChart, valuesOf } from './tidy-chart.ts';

export type DrawOptions = {
  widthPixels: number;
  /** BCP 47, for numbers. */
  language?: string | undefined;
  /** False where a caption around the picture holds them. */
  withTitle?: boolean;
};

const MIN_WIDTH = 240;
const MAX_WIDTH = 2_000;

export function drawChart(chart: Chart, { widthPixels, language, withTitle = true }: DrawOptions): Drawing {
  const tidy = tidyChart(chart);
  const sheet = blankSheet(Math.round(Math.min(Math.max(widthPixels, MIN_WIDTH), MAX_WIDTH)), withTitle ? 12 : 4);
  const known = canonicalLanguage(language);
  drawHead(sheet, tidy, withTitle);
  if (valuesOf(tidy).length === 0) drawNothing(sheet);
  else if (isHorizontal(tidy, sheet.width)) drawHorizontalBars(sheet, tidy, known);
  else drawVertical(sheet, tidy, known);
  drawFoot(sheet, tidy, withTitle);
  return { width: sheet.width, height: Math.ceil(sheet.y), shapes: sheet.shapes };
}

const NOTHING_HEIGHT = 72;

function drawNothing(sheet: ReturnType<typeof blankSheet>): void {
  addText(sheet, {
    text: 'No values',
    x: sheet.width / 2,
    y: sheet.y + NOTHING_HEIGHT / 2,
    anchor: 'middle',
    size: SIZE.label,
    paint: 'soft',
  });
  sheet.y += NOTHING_HEIGHT;
}
