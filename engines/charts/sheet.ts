/** What a chart is drawn on: shapes so far, and how far down it is filled. */
import { measureAt } from '../fonts/measure.ts';
import type { DrawingShape, TextShape } from './drawing.ts';

export type ChartSheet = { width: number; margin: number; shapes: DrawingShape[]; y: number };

export const SIZE = { title: 15, label: 12, note: 11 };
export const LINE = 1.35;

/** What stands in a page has the page's own margin. */
export const blankSheet = (width: number, margin: number): ChartSheet => ({ width, margin, shapes: [], y: margin });

export function addText(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (text.text) sheet.shapes.push({ kind: 'text', ...text });
}

/** Over what is drawn there already, so that no line runs through its letters. */
export function addTextOver(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (!text.text) return;
  const width = measureAt(text.size)(text.text);
  const left = text.x - { start: 0, middle: width / 2, end: width }[text.anchor];
  const place = { x: left, y: text.y - text.size * 0.9, width, height: text.size * 1.15 };
  sheet.shapes.push({ kind: 'rect', ...place, paint: 'paper' });
  addText(sheet, text);
}

/** Lines of text under one another, from the top given; answers where they end. */
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

/** Letters stand a little above the middle of their line. */
const baseLine = (top: number, size: number): number => top + size * 1.02;
