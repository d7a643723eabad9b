/** Draws a sheet of paper that was photographed at an angle as if it were seen from straight above. */
import { type GrayPicture, type PointBefore, resample, withEvenLight } from './prepare-picture.ts';

/** A sheet of paper of its own, and where its points stood on the photo. */
export type FoundSheet = { picture: GrayPicture; before: PointBefore };

type Point = readonly [x: number, y: number];
/** Clockwise from the upper left. */
type Corners = readonly [Point, Point, Point, Point];
/** `across` grows by `slope` with each step along the side. */
type Side = { start: number; slope: number };

/** Near a corner, which may be bent or torn, a side is not measured. */
const CORNER_SHARE = 0.1;
/** So much of a side is straight, and the paper fills the four sides so exactly. */
const STRAIGHT = 0.75;
const MAX_GAP = 0.08;
/** So many tiles of the edge, which is half ground, are left out. */
const INSET = 0.3;
/** Nothing here is ground, so what is dark is paper in the shade. */
const DEEP_SHADE = 30;

/** The outline marks the tiles of the photo that are paper. Returns undefined if it does not have four straight sides. */
export function straighten(photo: GrayPicture, outline: GrayPicture, tile: number): FoundSheet | undefined {
  const corners = cornersOf(outline);
  if (!corners) return undefined;
  const [topLeft, topRight, bottomRight, bottomLeft] = corners.map(([x, y]): Point => [x * tile, y * tile]);
  if (!topLeft || !topRight || !bottomRight || !bottomLeft) return undefined;
  const width = Math.max(distance(topLeft, topRight), distance(bottomLeft, bottomRight));
  const height = Math.max(distance(topLeft, bottomLeft), distance(topRight, bottomRight));
  const scale = Math.min(1, Math.sqrt((photo.width * photo.height) / (width * height)));
  const size = { width: Math.floor(width * scale), height: Math.floor(height * scale) };
  const before = perspective([topLeft, topRight, bottomRight, bottomLeft], size);
  return { picture: withEvenLight(resample(photo, size, before), DEEP_SHADE), before };
}

const distance = ([x, y]: Point, [otherX, otherY]: Point): number => Math.hypot(x - otherX, y - otherY);

/** The corners of the paper in tiles: where lines through its four sides meet. */
function cornersOf(outline: GrayPicture): Corners | undefined {
  const marks = marksOf(outline);
  const [rows, columns] = [spansOf(marks, 1), spansOf(marks, 0)];
  const extreme = (score: (mark: Point) => number): Point =>
    marks.reduce((best, mark) => (score(mark) > score(best) ? mark : best));
  const [topLeft, topRight] = [extreme(([x, y]) => -x - y), extreme(([x, y]) => x - y)];
  const [bottomRight, bottomLeft] = [extreme(([x, y]) => x + y), extreme(([x, y]) => y - x)];
  const left = sideOf(rows, 'first', topLeft[1], bottomLeft[1]);
  const right = sideOf(rows, 'last', topRight[1], bottomRight[1]);
  const top = sideOf(columns, 'first', topLeft[0], topRight[0]);
  const bottom = sideOf(columns, 'last', bottomLeft[0], bottomRight[0]);
  if (!left || !right || !top || !bottom) return undefined;
  const [inLeft, inRight] = [shiftSide(left, INSET), shiftSide(right, -INSET)];
  const [inTop, inBottom] = [shiftSide(top, INSET), shiftSide(bottom, -INSET)];
  const whole = [
    intersectionOf(left, top),
    intersectionOf(right, top),
    intersectionOf(right, bottom),
    intersectionOf(left, bottom),
  ];
  if (Math.abs(areaOf(whole) / marks.length - 1) > MAX_GAP) return undefined;
  return [
    intersectionOf(inLeft, inTop),
    intersectionOf(inRight, inTop),
    intersectionOf(inRight, inBottom),
    intersectionOf(inLeft, inBottom),
  ];
}

const shiftSide = ({ start, slope }: Side, by: number): Side => ({ start: start + by, slope });

function marksOf({ width, data }: GrayPicture): Point[] {
  const marks: Point[] = [];
  data.forEach((value, at) => {
    if (value) marks.push([at % width, Math.floor(at / width)]);
  });
  return marks;
}

type Span = { along: number; first: number; last: number };

/** Where the marks of each row begin and end (`axis` 1), or those of each column (`axis` 0). */
function spansOf(marks: readonly Point[], axis: 0 | 1): Span[] {
  const spans = new Map<number, Span>();
  for (const mark of marks) {
    const [along, across] = [mark[axis], mark[axis === 1 ? 0 : 1]];
    const { first, last } = spans.get(along) ?? { first: across, last: across + 1 };
    spans.set(along, { along: along + 0.5, first: Math.min(first, across), last: Math.max(last, across + 1) });
  }
  return [...spans.values()];
}

/** The line through the ends of the spans between two corners. */
function sideOf(spans: readonly Span[], end: 'first' | 'last', from: number, to: number): Side | undefined {
  const margin = CORNER_SHARE * (to - from);
  const between = spans.filter(({ along }) => along >= from + margin && along <= to + 1 - margin);
  if (between.length < 3) return undefined;
  const rough = lineThrough(between, end);
  const isNear = (span: Span) => Math.abs(span[end] - rough.start - rough.slope * span.along) <= 1.5;
  const near = between.filter(isNear);
  return near.length >= STRAIGHT * between.length ? lineThrough(near, end) : undefined;
}

/** Least squares. */
function lineThrough(spans: readonly Span[], end: 'first' | 'last'): Side {
  const mean = (value: (span: Span) => number) => spans.reduce((sum, span) => sum + value(span), 0) / spans.length;
  const [along, across] = [mean((span) => span.along), mean((span) => span[end])];
  const spread = mean((span) => (span.along - along) ** 2);
  const slope = mean((span) => (span.along - along) * (span[end] - across)) / spread;
  return { start: across - slope * along, slope };
}

/** Where a side that runs down and one that runs across meet. */
function intersectionOf(down: Side, across: Side): Point {
  const x = (down.start + down.slope * across.start) / (1 - down.slope * across.slope);
  return [x, across.start + across.slope * x];
}

const areaOf = (corners: readonly Point[]): number =>
  corners.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = corners[(at + 1) % corners.length] ?? [0, 0];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);

/** Places the points of a rectangle on a quadrilateral (Heckbert, Fundamentals of Texture Mapping, 1989, section 2.2.3). */
function perspective(
  [[x0, y0], [x1, y1], [x2, y2], [x3, y3]]: Corners,
  size: { width: number; height: number },
): PointBefore {
  const [dx1, dx2, dx3] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, dy3] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const divisor = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / divisor;
  const h = (dx1 * dy3 - dx3 * dy1) / divisor;
  const [a, b] = [x1 - x0 + g * x1, x3 - x0 + h * x3];
  const [d, e] = [y1 - y0 + g * y1, y3 - y0 + h * y3];
  return (x, y) => {
    const [u, v] = [x / size.width, y / size.height];
    const depth = g * u + h * v + 1;
    return [(a * u + b * v + x0) / depth, (d * u + e * v + y0) / depth];
  };
}
