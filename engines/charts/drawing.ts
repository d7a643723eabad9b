/** A drawing as a list of shapes, the sheet it is made on, and its colors. */
import { measureAt } from '../fonts/text-layout.ts';

/** The role of a shape's color. Each color scheme maps roles to colors. */
export type Paint = 'paper' | 'ink' | 'soft' | 'grid' | 'axis' | { series: number };

export type DrawingPoint = [x: number, y: number];

export type DrawingShape =
  | { kind: 'rect'; x: number; y: number; width: number; height: number; paint: Paint; hollow?: boolean }
  | { kind: 'line'; points: DrawingPoint[]; paint: Paint; thickness: number; dashed?: boolean }
  | { kind: 'dot'; x: number; y: number; radius: number; paint: Paint; hollow?: boolean }
  | TextShape;

type TextShape = {
  kind: 'text';
  x: number;
  /** The baseline. */
  y: number;
  size: number;
  anchor: 'start' | 'middle' | 'end';
  paint: Paint;
  text: string;
  strong?: boolean;
};

/** A list of shapes, written as SVG or PDF. Y grows downwards. */
export type Drawing = { width: number; height: number; shapes: DrawingShape[] };

/** Chart colors, distinguishable with color blindness, with a contrast of at least 3:1 against their background. */
type Colours = { series: readonly string[]; paper: string; ink: string; soft: string; grid: string; axis: string };

export const LIGHT: Colours = {
  series: ['#0081dd', '#e37400', '#559c79', '#a05392', '#76702f', '#2e3543'],
  paper: '#ffffff',
  ink: '#1b2330',
  soft: '#55606e',
  grid: '#e3e7ec',
  axis: '#8a94a1',
};

export const DARK: Colours = {
  series: ['#0c95ea', '#d87749', '#4de7b2', '#ffaff0', '#d5d34d', '#879098'],
  paper: '#161b22',
  ink: '#e8ebf0',
  soft: '#a7b0bc',
  grid: '#2c343f',
  axis: '#77828f',
};

const COLOURS = LIGHT.series.length;

export const colourOf = (paint: Paint, { series, ...others }: Colours): string =>
  typeof paint === 'string' ? others[paint] : (series[paint.series % COLOURS] ?? others.ink);

/** When colors repeat, dashed lines and hollow bars mark the second round. */
export const isSecondRound = (series: number): boolean => series >= COLOURS;

/** Class names of paints for style sheets, which a page's dark mode needs. */
export const className = (paint: Paint): string =>
  typeof paint === 'string' ? `c-${paint}` : `c-${(paint.series % COLOURS) + 1}`;

/** The surface for a chart: its shapes, and how far down it is filled. */
export type ChartSheet = { width: number; margin: number; shapes: DrawingShape[]; y: number };

export const SIZE = { title: 15, label: 12, note: 11 };
export const LINE = 1.35;

export const blankSheet = (width: number, margin: number): ChartSheet => ({ width, margin, shapes: [], y: margin });

export function addText(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (text.text) sheet.shapes.push({ kind: 'text', ...text });
}

/** Puts a background behind the text, so that no line runs through its letters. */
export function addTextOver(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (!text.text) return;
  const width = measureAt(text.size)(text.text);
  const left = text.x - { start: 0, middle: width / 2, end: width }[text.anchor];
  const place = { x: left, y: text.y - text.size * 0.9, width, height: text.size * 1.15 };
  sheet.shapes.push({ kind: 'rect', ...place, paint: 'paper' });
  addText(sheet, text);
}

/** Adds lines of text from `top` downwards and returns where they end. */
export function addLines(
  sheet: ChartSheet,
  lines: readonly string[],
  { top, ...text }: Omit<TextShape, 'kind' | 'text' | 'y'> & { top: number },
): number {
  const height = text.size * LINE;
  for (const [at, line] of lines.entries())
    addText(sheet, { ...text, text: line, y: baseLine(top + at * height, text.size) });
  return top + lines.length * height;
}

/** Letters are slightly above the middle of their line. */
const baseLine = (top: number, size: number): number => top + size * 1.02;
