/** Finds the sheet of paper in a photo, so that OCR does not read the table that it lies on. */
import { brightTiles, type GrayPicture } from './prepare-picture.ts';
import { type FoundSheet, straighten } from './straighten-sheet.ts';

/** The picture is judged in tiles of about the size of a letter. */
const TILES_A_SIDE = 100;
const MIN_TILE = 6;
/** Paper is at least this much brighter than what it lies on. */
const MIN_CONTRAST = 40;
const MIN_AREA = 0.12;
const MAX_AREA = 0.9;
/** How much of the outline is paper, and how much of two opposite sides of the photo is not. */
const SOLID = 0.6;
const FREE_SIDE = 0.6;
/** Shade on paper takes less than this from one tile to the next. */
const SOFT = 0.88;
/** Bright signs around the paper may be text on a dark page, such as that of a program. */
const MAX_BRIGHT_AROUND = 0.01;

/** Returns undefined for scans, screenshots, and photos without one sheet on a darker ground. */
export function findSheet(photo: GrayPicture): FoundSheet | undefined {
  const tile = Math.max(MIN_TILE, Math.ceil(Math.max(photo.width, photo.height) / TILES_A_SIDE));
  const medians = brightTiles(photo, tile, 0.5);
  const split = splitOf(medians.data);
  if (split.bright - split.dark < MIN_CONTRAST) return undefined;
  const signs = brightTiles(photo, tile, 0.02);
  const sheetOf = (area: GrayPicture, { bright, dark }: Split): GrayPicture | undefined => {
    const outline = outlineOf(area);
    const isAlone = shareAround(outline, signs, bright - (bright - dark) / 4) <= MAX_BRIGHT_AROUND;
    return isAlone && isSheetIn(outline, area) ? outline : undefined;
  };
  // Half of the ground may be lit as brightly as paper in the shade: then the brighter half is split again.
  for (const level of [split, splitOf(medians.data.filter((value) => value >= split.edge))]) {
    const outline = sheetOf(withShade(largestArea(medians, level.edge), medians), level);
    const sheet = outline && straighten(photo, outline, tile);
    if (sheet) return sheet;
  }
  const outline = sheetOf(largestArea(medians, split.edge), split);
  return outline && (straighten(photo, outline, tile) ?? cutOut(photo, outline, tile, split.bright));
}

function isSheetIn(outline: GrayPicture, area: GrayPicture): boolean {
  const share = sizeOf(outline) / outline.data.length;
  return share >= MIN_AREA && share <= MAX_AREA && sizeOf(area) >= SOLID * sizeOf(outline) && isFreeAround(outline);
}

type Split = { edge: number; dark: number; bright: number };

/** Otsu's threshold: the two groups of tiles differ the most. */
function splitOf(values: Uint8Array): Split {
  const counts = new Float64Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  const sum = values.reduce((total, value) => total + value, 0);
  let best: Split & { variance: number } = { edge: 0, dark: 0, bright: 0, variance: 0 };
  for (let edge = 1, below = 0, sumBelow = 0; edge < 256; edge++) {
    const count = counts[edge - 1] ?? 0;
    below += count;
    sumBelow += count * (edge - 1);
    const above = values.length - below;
    if (below === 0 || above === 0) continue;
    const [dark, bright] = [sumBelow / below, (sum - sumBelow) / above];
    const variance = below * above * (bright - dark) ** 2;
    if (variance > best.variance) best = { edge, dark, bright, variance };
  }
  return best;
}

/** Marks the largest connected area of tiles that are at least so bright. */
function largestArea({ width, height, data }: GrayPicture, edge: number): GrayPicture {
  const left = data.map((value) => (value >= edge ? 1 : 0));
  let best: number[] = [];
  for (let start = 0; start < data.length; start++) {
    const area = takeArea({ width, height, data: left }, start);
    if (area.length > best.length) best = area;
  }
  const marked = new Uint8Array(data.length);
  for (const at of best) marked[at] = 1;
  return { width, height, data: marked };
}

/** Takes the marks that are connected with this one out of the picture. */
function takeArea({ width, data }: GrayPicture, start: number): number[] {
  const area: number[] = [];
  const take = (at: number): void => {
    if (data[at] !== 1) return;
    data[at] = 0;
    area.push(at);
  };
  take(start);
  for (let next = 0; next < area.length; next++) {
    const at = area[next] ?? 0;
    if (at % width > 0) take(at - 1);
    if (at % width < width - 1) take(at + 1);
    take(at - width);
    take(at + width);
  }
  return area;
}

/** Adds the paper in the shade, which may be as dark as the ground: shade falls gradually, an edge suddenly. */
function withShade({ width, height, data }: GrayPicture, medians: GrayPicture): GrayPicture {
  const marked = Uint8Array.from(data);
  const area = [...marked.keys()].filter((at) => marked[at]);
  for (let next = 0; next < area.length; next++) {
    const at = area[next] ?? 0;
    const beside = [at % width > 0 ? at - 1 : at, at % width < width - 1 ? at + 1 : at, at - width, at + width];
    for (const neighbor of beside) {
      if (marked[neighbor] !== 0 || (medians.data[neighbor] ?? 0) < SOFT * (medians.data[at] ?? 0)) continue;
      marked[neighbor] = 1;
      area.push(neighbor);
    }
  }
  return { width, height, data: marked };
}

const sizeOf = ({ data }: GrayPicture): number => data.reduce((sum, value) => sum + value, 0);

/** Fills what is inside, such as a dark logo: all between the outer marks of each row and of each column. */
function outlineOf({ width, height, data }: GrayPicture): GrayPicture {
  const filled = new Uint8Array(data.length);
  const fill = (lines: number, length: number, place: (line: number, at: number) => number) => {
    for (let line = 0; line < lines; line++) {
      let [first, last] = [length, -1];
      for (let at = 0; at < length; at++) if (data[place(line, at)]) [first, last] = [Math.min(first, at), at];
      for (let at = first; at <= last; at++) filled[place(line, at)] = (filled[place(line, at)] ?? 0) + 1;
    }
  };
  fill(height, width, (row, column) => row * width + column);
  fill(width, height, (column, row) => row * width + column);
  return { width, height, data: filled.map((times) => (times === 2 ? 1 : 0)) };
}

/** Whether the ground shows along both the left and the right side, or at the top and the bottom. */
function isFreeAround({ width, height, data }: GrayPicture): boolean {
  const free = (length: number, place: (at: number) => number): boolean => {
    let count = 0;
    for (let at = 0; at < length; at++) if (!data[place(at)]) count++;
    return count >= FREE_SIDE * length;
  };
  const isBeside = free(height, (row) => row * width) && free(height, (row) => (row + 1) * width - 1);
  const last = (height - 1) * width;
  return isBeside || (free(width, (column) => column) && free(width, (column) => last + column));
}

/** How much of the ground, apart from the edge of the paper, has something as bright as paper. */
function shareAround({ width, height, data }: GrayPicture, signs: GrayPicture, bright: number): number {
  let [ground, count] = [0, 0];
  for (let at = 0; at < data.length; at++) {
    const [column, row] = [at % width, Math.floor(at / width)];
    let isNear = false;
    for (let y = Math.max(0, row - 2); y <= Math.min(height - 1, row + 2); y++)
      for (let x = Math.max(0, column - 2); x <= Math.min(width - 1, column + 2); x++)
        isNear ||= data[y * width + x] === 1;
    if (isNear) continue;
    ground++;
    if ((signs.data[at] ?? 0) >= bright) count++;
  }
  return ground === 0 ? 0 : count / ground;
}

/** Paper with bent edges stays as it lies, with its own brightness around it. */
function cutOut(photo: GrayPicture, outline: GrayPicture, tile: number, sheetBrightness: number): FoundSheet {
  const inner = withoutEdge(outline);
  const { left, top, right, bottom } = boxOf(outline);
  const from = { x: left * tile, y: top * tile };
  const width = Math.min(photo.width, (right + 1) * tile) - from.x;
  const height = Math.min(photo.height, (bottom + 1) * tile) - from.y;
  const data = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0; x < width; x++, to++) {
      const [column, row] = [(from.x + x + 0.5) / tile - 0.5, (from.y + y + 0.5) / tile - 0.5];
      const isOnSheet = shareAt(inner, column, row) >= 0.5;
      data[to] = isOnSheet ? (photo.data[(from.y + y) * photo.width + from.x + x] ?? 255) : sheetBrightness;
    }
  return { picture: { width, height, data }, before: (x, y) => [from.x + x, from.y + y] };
}

/** The outer tiles are half ground; what lies outside the photo belongs to the paper. */
function withoutEdge({ width, height, data }: GrayPicture): GrayPicture {
  const isOut = (column: number, row: number): boolean =>
    column >= 0 && column < width && row >= 0 && row < height && !data[row * width + column];
  const inner = data.map((value, at) => {
    const [column, row] = [at % width, Math.floor(at / width)];
    const isEdge = isOut(column - 1, row) || isOut(column + 1, row) || isOut(column, row - 1) || isOut(column, row + 1);
    return isEdge ? 0 : value;
  });
  return { width, height, data: inner };
}

/** Between the middles of four tiles. */
function shareAt({ width, height, data }: GrayPicture, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number) =>
    data[Math.min(Math.max(row, 0), height - 1) * width + Math.min(Math.max(column, 0), width - 1)] ?? 0;
  const [right, low] = [x - left, y - top];
  const above = at(left, top) * (1 - right) + at(left + 1, top) * right;
  return above * (1 - low) + (at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right) * low;
}

function boxOf({ width, data }: GrayPicture): { left: number; top: number; right: number; bottom: number } {
  const box = { left: width, top: Number.POSITIVE_INFINITY, right: 0, bottom: 0 };
  data.forEach((value, at) => {
    if (!value) return;
    const [column, row] = [at % width, Math.floor(at / width)];
    box.left = Math.min(box.left, column);
    box.right = Math.max(box.right, column);
    box.top = Math.min(box.top, row);
    box.bottom = Math.max(box.bottom, row);
  });
  return box;
}
