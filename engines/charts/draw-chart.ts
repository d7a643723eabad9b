/** Lays out a chart as shapes for a given width: title, legend and unit, then the plot, then source and remarks. */
import { measureAt, shorten, wrap } from '../fonts/text-layout.ts';
import { type Chart, type TidyChart, tidyChart, valuesOf } from './chart.ts';
import {
  addLines,
  addText,
  blankSheet,
  type ChartSheet,
  type Drawing,
  isSecondRound,
  LINE,
  type Paint,
  SIZE,
} from './drawing.ts';
import { canonicalLanguage } from './scale.ts';
import { drawHorizontalBars, isHorizontal } from './sideways.ts';
import { drawVertical } from './upright.ts';

const TITLE_LINES = 3;
const NOTE_LINES = 3;
const SWATCH = 14;
const SWATCH_GAP = 6;
const ENTRY_GAP = 18;

function drawHead(sheet: ChartSheet, chart: TidyChart, withTitle: boolean): void {
  const room = sheet.width - 2 * sheet.margin;
  if (withTitle && chart.title) {
    const title = { size: SIZE.title, strong: true };
    const { lines } = wrap(chart.title, room, measureAt(title.size, title), TITLE_LINES);
    sheet.y = addLines(sheet, lines, { ...title, x: sheet.margin, top: sheet.y, anchor: 'start', paint: 'ink' }) + 8;
  }
  if (chart.series.length > 1) drawLegend(sheet, chart, room);
  if (chart.unit) {
    const { lines } = wrap(chart.unit, room, measureAt(SIZE.label), 2);
    sheet.y = addLines(sheet, lines, {
      size: SIZE.label,
      x: sheet.margin,
      top: sheet.y,
      anchor: 'start',
      paint: 'soft',
    });
  }
  sheet.y += 6;
}

function drawLegend(sheet: ChartSheet, { series, kind }: TidyChart, room: number): void {
  const measure = measureAt(SIZE.label);
  const height = SIZE.label * 1.7;
  let x = sheet.margin;
  for (const [at, { name }] of series.entries()) {
    const text = shorten(name, room - SWATCH - SWATCH_GAP, measure);
    const width = SWATCH + SWATCH_GAP + measure(text);
    if (x > sheet.margin && x + width > sheet.margin + room) {
      x = sheet.margin;
      sheet.y += height;
    }
    drawSwatch(sheet, kind, x, sheet.y + height / 2, at);
    const y = sheet.y + height / 2 + SIZE.label * 0.36;
    addText(sheet, { text, x: x + SWATCH + SWATCH_GAP, y, anchor: 'start', size: SIZE.label, paint: 'ink' });
    x += width + ENTRY_GAP;
  }
  sheet.y += height + 4;
}

function drawSwatch(sheet: ChartSheet, kind: TidyChart['kind'], x: number, middle: number, series: number): void {
  const paint: Paint = { series };
  if (kind === 'line') {
    const points: [number, number][] = [
      [x, middle],
      [x + SWATCH, middle],
    ];
    sheet.shapes.push({ kind: 'line', points, paint, thickness: 3, dashed: isSecondRound(series) });
  } else {
    const hollow = isSecondRound(series);
    sheet.shapes.push({ kind: 'rect', x: x + 1, y: middle - 6, width: 12, height: 12, paint, hollow });
  }
}

function drawFoot(sheet: ChartSheet, { source, remark }: TidyChart, withTitle: boolean): void {
  const notes = [remark, withTitle && source ? `Source: ${source}` : ''].filter(Boolean);
  if (notes.length > 0) sheet.y += 6;
  for (const note of notes) {
    const { lines } = wrap(note, sheet.width - 2 * sheet.margin, measureAt(SIZE.note), NOTE_LINES);
    sheet.y = addLines(sheet, lines, {
      size: SIZE.note,
      x: sheet.margin,
      top: sheet.y,
      anchor: 'start',
      paint: 'soft',
    });
  }
  sheet.y += Math.max(sheet.margin - (LINE - 1) * SIZE.note, 2);
}

/** The text size does not depend on the width, so charts are legible on a phone and on paper. */
export type DrawOptions = {
  widthPixels: number;
  /** A BCP 47 tag for number formats. */
  language?: string | undefined;
  /** False if a caption outside the picture shows the title and source. */
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
