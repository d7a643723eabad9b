/** Prepares a picture for OCR: even light, upright lines, and letters large enough to be read. */

/** One byte for each pixel, 0 is black. */
export type GrayPicture = { width: number; height: number; data: Uint8Array };

/** Larger pictures are reduced: OCR takes longer for them and reads no more. */
const MAX_PIXELS = 9_000_000;

/** Brings a picture to a size that OCR reads well. `pixelAt` returns the gray value of the n-th pixel. */
export function readGray(width: number, height: number, pixelAt: (at: number) => number): GrayPicture {
  const step = Math.ceil(Math.sqrt((width * height) / MAX_PIXELS));
  const small = { width: Math.floor(width / step), height: Math.floor(height / step) };
  const data = new Uint8Array(small.width * small.height);
  for (let y = 0, to = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++, to++) {
      let sum = 0;
      for (let dy = 0; dy < step; dy++)
        for (let dx = 0; dx < step; dx++) sum += pixelAt((y * step + dy) * width + x * step + dx);
      data[to] = sum / (step * step);
    }
  }
  return { ...small, data };
}

/** OCR expects letters of about 20 pixels, whose strokes are this wide. In screenshots they have half of that. */
const GOOD_STROKE = 5;
const MAX_FACTOR = 3;
const MAX_STROKE = 40;

/** Enlarges thin letters by a whole factor, with cubic interpolation, which keeps their edges sharp. */
export function enlarge(picture: GrayPicture): GrayPicture {
  const maxFactor = Math.sqrt(MAX_PIXELS / (picture.width * picture.height));
  const factor = Math.min(MAX_FACTOR, Math.floor(maxFactor), Math.round(GOOD_STROKE / strokeOf(picture)));
  return factor > 1 ? stretchAndSwap(stretchAndSwap(picture, factor), factor) : picture;
}

/** The width of most strokes: the median of all runs of dark pixels in a row. */
function strokeOf({ width, data }: GrayPicture): number {
  const counts = runsOf(width, data);
  const half = counts.reduce((sum, count) => sum + count, 0) / 2;
  let stroke = 1;
  for (let counted = counts[1] ?? 0; stroke < MAX_STROKE && counted < half; stroke++)
    counted += counts[stroke + 1] ?? 0;
  return stroke;
}

/** How many runs there are of each length. */
function runsOf(width: number, data: Uint8Array): Uint32Array {
  const edge = edgeOf(data);
  const counts = new Uint32Array(MAX_STROKE + 1);
  for (let at = 0, run = 0; at < data.length; at++) {
    if ((data[at] ?? 255) < edge && at % width < width - 1) run++;
    else {
      if (run > 0 && run <= MAX_STROKE) counts[run] = (counts[run] ?? 0) + 1;
      run = 0;
    }
  }
  return counts;
}

/** A rule is at least as long as this many strokes are wide, and as this share of the picture. */
const RULE_STROKES = 60;
const RULE_SHARE = 1 / 6;
/** Between the lines of a dark page, its ground looks like rules. */
const MAX_INK = 0.3;
/** Noise tears a rule. */
const MAX_TEAR = 2;

/**
 * Erases the lines of forms and tables: Tesseract takes some framed text for a drawing. What crosses a line stays.
 * `top` and `bottom` are shares of the height between which the frames stand. Undefined if there are none.
 */
export function withoutFrames(picture: GrayPicture) {
  const { width, height, data } = picture;
  const edge = edgeOf(data);
  if (data.reduce((sum, value) => sum + Number(value < edge), 0) > MAX_INK * data.length) return undefined;
  const stroke = strokeOf(picture);
  const limits = { edge, stroke, least: Math.max(RULE_STROKES * stroke, RULE_SHARE * width) };
  const rows: Lines = { ...limits, lines: height, length: width, stride: width, step: 1 };
  const columns: Lines = { ...limits, lines: width, length: height, stride: 1, step: width };
  const rules = rulesOf(data, rows);
  const sides = rules.flatMap((rule) => sidesOf(data, rule, columns));
  if (sides.length < MIN_SIDES) return undefined;
  const to = Uint8Array.from(data);
  eraseRules(data, to, rules, rows);
  eraseRules(data, to, [...rulesOf(data, columns), ...sides], columns);
  const framed = rules.map(({ line }) => line);
  const ruleCount = framed.filter((line, at) => line - (framed[at - 1] ?? Number.NEGATIVE_INFINITY) > NEAR).length;
  return {
    picture: { width, height, data: to },
    frames: ruleCount / 2,
    top: Math.min(...framed) / height,
    bottom: Math.max(...framed) / height,
  };
}

/** `stride` is from one line to the next, `step` from one pixel of a line to the next. */
type Lines = {
  edge: number;
  stroke: number;
  least: number;
  lines: number;
  length: number;
  stride: number;
  step: number;
};

/** A run of dark pixels in one line. */
type Rule = { line: number; from: number; end: number };

const rulesOf = (data: Uint8Array, lines: Lines): Rule[] =>
  Array.from({ length: lines.lines }, (_, line) => longRuns(data, line, lines)).flat();

/** Two frames have four sides, each beside several lines of pixels of one rule. */
const MIN_SIDES = 8;
const SIDE_STROKES = 8;
const NEAR = 3;

/** The sides of a frame begin at an end of its upper rule. */
function sidesOf(data: Uint8Array, { line, from, end }: Rule, columns: Lines): Rule[] {
  const { edge, stroke, stride, step, lines, length } = columns;
  const isDark = (x: number, y: number) => (data[x * stride + y * step] ?? 255) < edge;
  return [from, end - 1].flatMap((corner) => {
    for (let x = Math.max(0, corner - NEAR); x <= Math.min(lines - 1, corner + NEAR); x++) {
      let y = line;
      while (y < length && isDark(x, y)) y++;
      if (y - line >= SIDE_STROKES * stroke) return [{ line: x, from: line, end: y }];
    }
    return [];
  });
}

function eraseRules(data: Uint8Array, to: Uint8Array, rules: readonly Rule[], lines: Lines): void {
  for (const { line, from, end } of rules) for (let at = from; at < end; at++) eraseAcross(data, to, line, at, lines);
}

function longRuns(data: Uint8Array, line: number, { edge, least, length, stride, step }: Lines): Rule[] {
  const runs: Rule[] = [];
  for (let at = 0, from = -1, end = 0; at <= length; at++) {
    if (at < length && (data[line * stride + at * step] ?? 255) < edge) {
      if (from < 0) from = at;
      end = at + 1;
    } else if (from >= 0 && (at === length || at - end >= MAX_TEAR)) {
      if (end - from >= least) runs.push({ line, from, end });
      from = -1;
    }
  }
  return runs;
}

/** Whitens a rule at one place, with its soft edges. */
function eraseAcross(data: Uint8Array, to: Uint8Array, line: number, at: number, lines: Lines): void {
  const { edge, stroke, stride, step } = lines;
  const thickest = 2 * stroke + 2;
  const valueAt = (across: number) =>
    across < 0 || across >= lines.lines ? 255 : (data[across * stride + at * step] ?? 255);
  let first = line;
  while (line - first <= thickest && valueAt(first - 1) < edge) first--;
  let last = line;
  while (last - line <= thickest && valueAt(last + 1) < edge) last++;
  if (last - first >= thickest) return;
  const background = Math.max(valueAt(first - 2), valueAt(last + 2));
  for (let across = Math.max(0, first - 1); across <= Math.min(lines.lines - 1, last + 1); across++)
    to[across * stride + at * step] = background;
}

/** Enlarges the width and swaps the axes, so doing it twice enlarges both. */
function stretchAndSwap({ width, height, data }: GrayPicture, factor: number): GrayPicture {
  const steps = Array.from({ length: factor }, (_, at) => {
    const place = (at + 0.5) / factor - 0.5;
    const first = Math.floor(place) - 1;
    return { first, weights: [0, 1, 2, 3].map((tap) => cubic(Math.abs(place - first - tap))) };
  });
  const to = new Uint8ClampedArray(width * factor * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const [at, { first, weights }] of steps.entries()) {
        let sum = 0;
        for (let tap = 0; tap < 4; tap++) {
          const from = Math.min(Math.max(x + first + tap, 0), width - 1);
          sum += (weights[tap] ?? 0) * (data[y * width + from] ?? 0);
        }
        to[(x * factor + at) * height + y] = sum;
      }
  return { width: height, height: width * factor, data: new Uint8Array(to.buffer) };
}

/** Catmull and Rom's spline. */
const cubic = (t: number): number =>
  t < 1 ? 1.5 * t ** 3 - 2.5 * t ** 2 + 1 : t < 2 ? -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2 : 0;

/** Returns the interpolated value between four pixels; outside the picture it is white. */
function sampler({ width, height, data }: GrayPicture) {
  const at = (x: number, y: number): number =>
    data[Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)] ?? 255;
  return (x: number, y: number): number => {
    if (x < -1 || y < -1 || x > width || y > height) return 255;
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const [right, low] = [x - left, y - top];
    const above = at(left, top) * (1 - right) + at(left + 1, top) * right;
    const below = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right;
    return above * (1 - low) + below * low;
  };
}

/** The light is measured in tiles, each of which is far larger than a letter. */
const TILE_SHARE = 24;
const MIN_TILE = 24;
/** Paper in the shade is darker than this share of the brightest tile. */
const SHADE = 0.8;
const DARK = 110;

/**
 * Evens out shadows: divides each pixel by the brightness of the paper around it. Pictures with even light, and those
 * with backgrounds darker than `darkest`, stay as they are.
 */
export function withEvenLight(picture: GrayPicture, darkest = DARK): GrayPicture {
  const { width, height, data } = picture;
  const tile = Math.max(MIN_TILE, Math.ceil(Math.max(width, height) / TILE_SHARE));
  const background = brightTiles(picture, tile, 0.1);
  const sorted = background.data.toSorted();
  const dark = sorted[Math.floor(sorted.length / 10)] ?? 0;
  const bright = sorted[Math.floor(sorted.length * 0.95)] ?? 255;
  if (dark < darkest || dark > SHADE * bright) return picture;
  const light = sampler(background);
  const even = new Uint8Array(data.length);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const around = Math.max(1, light((x + 0.5) / tile - 0.5, (y + 0.5) / tile - 0.5));
      even[at] = Math.min(255, ((data[at] ?? 0) * 255) / around);
    }
  return { width, height, data: even };
}

/** The brightness of each tile that the given share of its pixels reaches. */
export function brightTiles(picture: GrayPicture, tile: number, share: number): GrayPicture {
  const width = Math.ceil(picture.width / tile);
  const height = Math.ceil(picture.height / tile);
  const data = new Uint8Array(width * height);
  for (let at = 0; at < data.length; at++)
    data[at] = brightnessIn(picture, { left: (at % width) * tile, top: Math.floor(at / width) * tile, tile, share });
  return { width, height, data };
}

type Tile = { left: number; top: number; tile: number; share: number };

function brightnessIn({ width, height, data }: GrayPicture, { left, top, tile, share }: Tile): number {
  const counts = new Uint32Array(256);
  let count = 0;
  for (let y = top; y < Math.min(height, top + tile); y += 2)
    for (let x = left; x < Math.min(width, left + tile); x += 2, count++) {
      const value = data[y * width + x] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    }
  let value = 255;
  for (let above = counts[255] ?? 0; value > 0 && above < count * share; value--) above += counts[value - 1] ?? 0;
  return value;
}

/** The lines of a photographed or scanned page lean by a few degrees. */
const MAX_SKEW = 8;
const COARSE = 0.5;
const FINE = 0.1;
const SKEW_SIDE = 900;
/** An upright page is not turned for less than this many degrees. */
const MIN_SKEW = 0.3;
/** Lines have to become this much clearer. */
const CLEARER = 1.05;

/** The angle in degrees by which the lines of text fall to the right. 0 if turning would not make them clearer. */
export function skewOf(picture: GrayPicture): number {
  const dots = darkDots(picture);
  let best = { angle: 0, clarity: clarityAt(dots, 0) };
  const upright = best.clarity;
  const tryAngle = (angle: number): void => {
    const clarity = clarityAt(dots, angle);
    if (clarity > best.clarity) best = { angle, clarity };
  };
  for (let angle = -MAX_SKEW; angle <= MAX_SKEW; angle += COARSE) tryAngle(angle);
  for (let from = best.angle - COARSE, angle = from; angle <= from + 2 * COARSE; angle += FINE) tryAngle(angle);
  return Math.abs(best.angle) < MIN_SKEW || best.clarity < CLEARER * upright ? 0 : best.angle;
}

type Dots = { xs: Float32Array; ys: Float32Array; rows: number };

/** The dark pixels that have a bright one below: the lower edges of letters, not dark areas. */
function darkDots({ width, height, data }: GrayPicture): Dots {
  const step = Math.max(1, Math.floor(Math.max(width, height) / SKEW_SIDE));
  const edge = edgeOf(data);
  const xs: number[] = [];
  const ys: number[] = [];
  for (let y = 0; y + step < height; y += step)
    for (let x = 0; x < width; x += step) {
      const isLowerEdge = (data[y * width + x] ?? 255) < edge && (data[(y + step) * width + x] ?? 0) >= edge;
      if (!isLowerEdge) continue;
      xs.push(x / step);
      ys.push(y / step);
    }
  return { xs: Float32Array.from(xs), ys: Float32Array.from(ys), rows: Math.ceil((width + height) / step) + 2 };
}

/** Pixels darker than this are ink: three quarters of the mean. */
function edgeOf(data: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < data.length; at += 7) sum += data[at] ?? 0;
  return (0.75 * sum) / Math.max(1, Math.ceil(data.length / 7));
}

/** Lines of text are clear if their lower edges fall into few rows. */
function clarityAt({ xs, ys, rows }: Dots, angle: number): number {
  const slope = Math.tan((angle * Math.PI) / 180);
  const counts = new Uint32Array(2 * rows);
  for (let at = 0; at < xs.length; at++) {
    const row = Math.round((ys[at] ?? 0) - (xs[at] ?? 0) * slope) + rows;
    counts[row] = (counts[row] ?? 0) + 1;
  }
  return counts.reduce((sum, count) => sum + count * count, 0);
}

/** Where a point of a prepared picture stood in the picture before. */
export type PointBefore = (x: number, y: number) => readonly [x: number, y: number];

export function beforeDeskew({ width, height }: GrayPicture, degrees: number): PointBefore {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [middleX, middleY] = [width / 2, height / 2];
  return (x, y) => {
    const [dx, dy] = [x - middleX, y - middleY];
    return [middleX + dx * cos - dy * sin, middleY + dx * sin + dy * cos];
  };
}

/** `width` and `height` are those of the picture before. */
export const beforeRotation =
  ({ width, height }: GrayPicture, quarters: 1 | 2 | 3): PointBefore =>
  (x, y) =>
    quarters === 1 ? [y, height - x] : quarters === 2 ? [width - x, height - y] : [width - y, x];

/** Turns the picture so that lines that fall by this many degrees are level. */
export function deskew(picture: GrayPicture, degrees: number): GrayPicture {
  if (degrees === 0) return picture;
  return resample(picture, picture, beforeDeskew(picture, degrees));
}

/** Takes each pixel of a picture of the given size from where it stood before. */
export function resample(
  picture: GrayPicture,
  { width, height }: { width: number; height: number },
  before: PointBefore,
): GrayPicture {
  const sample = sampler(picture);
  const data = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++) for (let x = 0; x < width; x++, to++) data[to] = sample(...before(x, y));
  return { width, height, data };
}

/** Turns the picture clockwise by quarter turns. */
export function rotate({ width, height, data }: GrayPicture, quarters: 1 | 2 | 3): GrayPicture {
  const size = quarters === 2 ? { width, height } : { width: height, height: width };
  const to = new Uint8Array(data.length);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const [left, top] =
        quarters === 1 ? [height - 1 - y, x] : quarters === 2 ? [width - 1 - x, height - 1 - y] : [y, width - 1 - x];
      to[top * size.width + left] = data[at] ?? 255;
    }
  return { ...size, data: to };
}

/** The picture in the simplest image format (Netpbm). */
export const toNetpbm = ({ width, height, data }: GrayPicture): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);

/** A square from the middle of a picture, to find out which way up it is. */
export function middleOf({ width, height, data }: GrayPicture): GrayPicture {
  const side = Math.ceil(Math.min(width, height) / 2);
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)];
  const to = new Uint8Array(side * side);
  for (let y = 0; y < side; y++)
    to.set(data.subarray((top + y) * width + left, (top + y) * width + left + side), y * side);
  return { width: side, height: side, data: to };
}
