/** Draws a chart for a given width, and renders it as SVG for light backgrounds and as PNG for emails. */
import { readFile } from 'node:fs/promises';
import { type ChartFiles, type Font, openFont, toShowable } from '../fonts/font.ts';
import { measureAt, shorten, wrap } from '../fonts/text-layout.ts';
import { toHtmlText } from '../outputs/escape-html.ts';
import {
  type Chart,
  canonicalLanguage,
  describeChart,
  type FormatValue,
  scaleOf,
  type TidyChart,
  tickFormat,
  tidyChart,
  type ValueScale,
  valuesOf,
} from './chart.ts';
import {
  addLines,
  addText,
  addTextOver,
  barValueTexts,
  blankSheet,
  type ChartSheet,
  className,
  colourOf,
  type Drawing,
  type DrawingShape,
  drawVertical,
  isSecondRound,
  LIGHT,
  LINE,
  type Paint,
  SIZE,
  wrapLabels,
} from './drawing.ts';

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
type DrawOptions = {
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
  const locale = canonicalLanguage(language);
  drawHead(sheet, tidy, withTitle);
  if (valuesOf(tidy).length === 0) drawNothing(sheet);
  else if (isHorizontal(tidy, sheet.width)) drawHorizontalBars(sheet, tidy, locale);
  else drawVertical(sheet, tidy, locale);
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

const MAX_ROWS = 40;
const NAMES_SHARE = 0.38;
const NAME_LINES = 3;
const SINGLE_BAR = 16;
const GROUPED_BAR = 9;
const ROW_GAP = 10;
/** If the plot would be narrower than this, the value labels are omitted. */
const MIN_PLOT_WIDTH = 64;

const measure = measureAt(SIZE.label);
const measureNote = measureAt(SIZE.note);

/** If most labels contain digits, such as years and months, they are times and never go to the side. */
function isHorizontal({ kind, labels }: TidyChart, width: number): boolean {
  if (kind !== 'bar' || labels.length > MAX_ROWS) return false;
  if (labels.filter((label) => /\d/.test(label)).length * 2 > labels.length) return false;
  return wrapLabels(labels, (width - 70) / labels.length - 8) === undefined;
}

type Rows = { names: string[][]; left: number; from: number; right: number; xOf: (value: number) => number };

function drawHorizontalBars(sheet: ChartSheet, chart: TidyChart, language: string): void {
  const [only] = chart.series;
  const valueTexts = only && chart.series.length === 1 ? barValueTexts(only, language) : [];
  const scale = scaleOf(valuesOf(chart), { mustShowZero: true, ticks: sheet.width < 500 ? 3 : 5 });
  const show = tickFormat(scale.ticks, language);
  const withValues = rowsOn(sheet, chart, scale, Math.max(0, ...valueTexts.map(measureNote)));
  const hasRoom = withValues.right - withValues.from >= MIN_PLOT_WIDTH;
  const rows = hasRoom ? withValues : rowsOn(sheet, chart, scale, 0);
  const top = sheet.y;
  for (const [index, name] of rows.names.entries())
    drawRow(sheet, chart, rows, { index, name, text: hasRoom ? (valueTexts[index] ?? '') : '' });
  sheet.y += 2;
  drawAxis(sheet, scale, rows, show, top);
}

/** Draws the axis behind the bars, with as many numbers as fit. */
function drawAxis(sheet: ChartSheet, { ticks }: ValueScale, { xOf }: Rows, show: FormatValue, top: number): void {
  const bottom = sheet.y;
  const lines = ticks.map((tick): DrawingShape => {
    const x = xOf(tick);
    const points: [number, number][] = [
      [x, top],
      [x, bottom],
    ];
    return { kind: 'line', points, paint: tick === 0 ? 'axis' : 'grid', thickness: 1 };
  });
  sheet.shapes.unshift(...lines);
  let end = -Infinity;
  for (const tick of ticks) {
    const text = show(tick);
    const half = measure(text) / 2;
    const middle = Math.min(xOf(tick), sheet.width - half - 2);
    if (middle - half < end + 4) continue;
    end = middle + half;
    addLines(sheet, [text], { x: middle, top: bottom + 4, size: SIZE.label, anchor: 'middle', paint: 'soft' });
  }
  sheet.y = bottom + 4 + SIZE.label * LINE;
}

function rowsOn(sheet: ChartSheet, { labels, series }: TidyChart, scale: ValueScale, textWidth: number): Rows {
  const maxWidth = Math.max(sheet.width * NAMES_SHARE, 96);
  const names = labels.map((label) => wrap(label, maxWidth, measure, NAME_LINES).lines);
  const left = sheet.margin + Math.max(...names.flat().map(measure), 0) + 10;
  const aside = textWidth > 0 ? textWidth + 8 : 0;
  const hasLess = series.some(({ values }) => values.some((value) => value !== null && value < 0));
  const from = left + (hasLess ? aside : 0);
  const right = sheet.width - sheet.margin - Math.max(aside, 8);
  return { names, left, from, right, xOf: (value) => from + scale.shareOf(value) * (right - from) };
}

type Row = { index: number; name: string[]; text: string };

function drawRow(sheet: ChartSheet, { series }: TidyChart, rows: Rows, { index, name, text }: Row): void {
  const thickness = series.length === 1 ? SINGLE_BAR : GROUPED_BAR;
  const nameHeight = name.length * SIZE.label * LINE;
  const height = Math.max(nameHeight, thickness * series.length);
  const top = sheet.y + ROW_GAP / 2;
  const nameTop = top + (height - nameHeight) / 2;
  addLines(sheet, name, { x: rows.left - 10, top: nameTop, size: SIZE.label, anchor: 'end', paint: 'ink' });
  const first = top + (height - thickness * series.length) / 2;
  const gap = series.length > 1 ? 1 : 0;
  for (const [at, { values }] of series.entries()) {
    const value = values[index] ?? null;
    if (value === null) continue;
    drawBar(sheet, rows, { at, top: first + at * thickness, thickness: thickness - gap, value, text });
  }
  sheet.y = top + height + ROW_GAP / 2;
}

type Bar = { at: number; top: number; thickness: number; value: number; text: string };

function drawBar(sheet: ChartSheet, { xOf }: Rows, { at, top, thickness, value, text }: Bar): void {
  const zero = xOf(0);
  const width = value === 0 ? 0 : Math.max(Math.abs(xOf(value) - zero), 1);
  const x = value < 0 ? zero - width : zero;
  const place = { x, y: top, width, height: thickness };
  if (width > 0) sheet.shapes.push({ kind: 'rect', ...place, paint: { series: at }, hollow: isSecondRound(at) });
  const beside = value < 0 ? { x: x - 5, anchor: 'end' as const } : { x: x + width + 5, anchor: 'start' as const };
  addTextOver(sheet, { ...beside, text, y: top + thickness / 2 + SIZE.note * 0.36, size: SIZE.note, paint: 'ink' });
}

const FONTS = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export const chartSvg = (chart: Chart, options: DrawOptions): string =>
  svgOf(drawChart(chart, options), describeChart(chart, options.language));

function svgOf({ width, height, shapes }: Drawing, words: string): string {
  const background = `<rect ${fillOf('paper')} width="${width}" height="${height}"/>`;
  const box = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" aria-label="${toHtmlText(words)}" font-family="${FONTS}">`;
  return `${head}${background}${shapes.map(elementOf).join('')}</svg>`;
}

function elementOf(shape: DrawingShape): string {
  const { kind, paint } = shape;
  if (kind === 'text') {
    const { x, y, size, anchor, strong, text } = shape;
    const weight = strong ? ' font-weight="600"' : '';
    return `<text ${fillOf(paint)} x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}"${weight}>${toHtmlText(text)}</text>`;
  }
  if (kind === 'line') {
    const { points, thickness, dashed } = shape;
    const dashes = dashed ? ' stroke-dasharray="6 4"' : '';
    const places = points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
    return `<polyline ${strokeOf(paint)} points="${places}" stroke-width="${thickness}" stroke-linejoin="round"${dashes}/>`;
  }
  const look = shape.hollow ? `${strokeOf(paint)} stroke-width="1.5"` : fillOf(paint);
  if (kind === 'dot') return `<circle ${look} cx="${short(shape.x)}" cy="${short(shape.y)}" r="${shape.radius}"/>`;
  const inset = shape.hollow ? 0.75 : 0;
  const [width, height] = [shape.width - 2 * inset, shape.height - 2 * inset].map((side) => short(Math.max(side, 0.1)));
  return `<rect ${look} x="${short(shape.x + inset)}" y="${short(shape.y + inset)}" width="${width}" height="${height}"/>`;
}

const fillOf = (paint: Paint): string => `class="${className(paint)}" fill="${colourOf(paint, LIGHT)}"`;
/** A hollow shape has only an outline, without a fill. */
const strokeOf = (paint: Paint): string =>
  `class="${className(paint)} c-stroke" fill="none" stroke="${colourOf(paint, LIGHT)}"`;

const short = (value: number): string => String(Math.round(value * 10) / 10);

/** `missingScripts`: scripts that the fonts lack, so that only their names are shown. */
type Picture = { bytes: Uint8Array; missingScripts: string[] };
export type ChartPng = (chart: Chart, options: DrawOptions & { scale: number }) => Promise<Picture>;

const MAX_SCALE = 3;

type Painter = { paint: (svg: string, scale: number) => Uint8Array; font: Font };

/** The painter is shared by the process and loaded with the first chart. */
export const chartPng = (files: ChartFiles): ChartPng => {
  return async (chart, { scale, ...options }) => {
    sharedPainter ??= loadPainter(files).catch(forget);
    const { paint, font } = await sharedPainter;
    const missing = new Set<string>();
    const plain = (text: string) => toShowable(text, font, missing);
    const drawing = drawChart(withTexts(chart, plain), options);
    // Some languages write numbers in digits and words of their own.
    const shapes = drawing.shapes.map((shape) =>
      shape.kind === 'text' ? { ...shape, text: plain(shape.text) } : shape,
    );
    const bytes = paint(svgOf({ ...drawing, shapes }, ''), Math.min(Math.max(scale, 1), MAX_SCALE));
    return { bytes, missingScripts: [...missing] };
  };
};

let sharedPainter: Promise<Painter> | undefined;

/** Resets the cache after an error, so that the next chart loads the painter again. */
function forget(error: unknown): never {
  sharedPainter = undefined;
  throw error;
}

async function loadPainter(files: ChartFiles): Promise<Painter> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const [program, ...fonts] = await Promise.all(
    [files.painter, files.regular, files.semiBold].map((file) => readFile(file)),
  );
  // `initWasm` may be called only once, so it comes after all files were read.
  await initWasm(program ?? new Uint8Array());
  const [regular] = fonts;
  const font = openFont(regular ?? new Uint8Array());
  const settings = { fontBuffers: fonts, defaultFontFamily: 'Inter', sansSerifFamily: 'Inter', loadSystemFonts: false };
  return {
    font,
    paint: (svg, scale) => {
      const picture = new Resvg(svg, { font: settings, fitTo: { mode: 'zoom', value: scale } });
      try {
        const image = picture.render();
        try {
          return image.asPng();
        } finally {
          image.free();
        }
      } finally {
        picture.free();
      }
    },
  };
}

const withTexts = (chart: Chart, plain: (text: string) => string): Chart => ({
  ...chart,
  title: plain(chart.title),
  ...(chart.unit ? { unit: plain(chart.unit) } : {}),
  ...(chart.source ? { source: plain(chart.source) } : {}),
  x: { labels: chart.x.labels.map(plain) },
  series: chart.series.map(({ name, values }) => ({ name: plain(name), values })),
});
