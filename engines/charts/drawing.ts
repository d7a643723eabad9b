/** A picture as a list of shapes, which SVG and PDF both write down. Y grows downwards. */

/** What a shape is painted as; each way to write a drawing has its own colours for them. */
export type Paint = 'paper' | 'ink' | 'soft' | 'grid' | 'axis' | { series: number };

export type DrawingPoint = [x: number, y: number];

export type DrawingShape =
  | { kind: 'rect'; x: number; y: number; width: number; height: number; paint: Paint; hollow?: boolean }
  | { kind: 'line'; points: DrawingPoint[]; paint: Paint; thickness: number; dashed?: boolean }
  | { kind: 'dot'; x: number; y: number; radius: number; paint: Paint; hollow?: boolean }
  | TextShape;

export type TextShape = {
  kind: 'text';
  x: number;
  /** Of the base line. */
  y: number;
  size: number;
  anchor: 'start' | 'middle' | 'end';
  paint: Paint;
  text: string;
  strong?: boolean;
};

export type Drawing = { width: number; height: number; shapes: DrawingShape[] };
