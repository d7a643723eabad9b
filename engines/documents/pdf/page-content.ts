/** Words, ruling lines and pictures of a PDF page with their positions, from the operators that pdf.js would draw. */

import { type Area, geometry, rotatePoint, type Turn, type Word } from './lines.ts';

/** Names and numbers of the operators, as pdf.js exports them. */
type Ops = typeof import('unpdf/pdfjs').OPS;
/** The operators of a page. */
type OperatorList = { fnArray: readonly number[]; argsArray: readonly unknown[] };
/** The part of a font of pdf.js that is used here. */
type PdfjsFont = { fontMatrix?: number[]; vertical?: boolean; isType3Font?: boolean; bbox?: number[] };
type Glyph = { unicode: string; width: number; isSpace: boolean; vmetric?: number[] };
type FindFont = (name: string) => PdfjsFont | undefined;

/** `rules` are lines or thin rectangles. `pictures`: by the operator that draws each, the matrix that places it. */
type PageContent = { words: Word[]; rules: Area[]; pictures: ReadonlyMap<number, Matrix>; mayBeCovered: boolean };

export type Matrix = ReturnType<typeof geometry.multiply>;
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The graphics state. It is replaced, not changed, so that saving it costs nothing. */
type State = {
  matrix: Matrix;
  font: PdfjsFont | undefined;
  size: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
  mode: number;
  /** Undefined for patterns. */
  fill: Color | undefined;
  stroke: Color | undefined;
  alpha: number;
  blends: boolean;
  /** Drawn within a form that is transparent as a whole. */
  isOverlay: boolean;
  /** The rectangle around the clipping path. Undefined: the whole page. */
  clip: Area | undefined;
  isClipPlain: boolean;
};
/** The lines of letters are drawn, not their inside. */
const OUTLINES = 1;
type Color = readonly [number, number, number];
const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];

const INITIAL: State = {
  matrix: IDENTITY,
  font: undefined,
  size: 0,
  charSpacing: 0,
  wordSpacing: 0,
  scale: 1,
  leading: 0,
  rise: 0,
  mode: 0,
  fill: BLACK,
  stroke: BLACK,
  alpha: 1,
  blends: false,
  isOverlay: false,
  clip: undefined,
  isClipPlain: true,
};

/** A gap of this share of the font size between two glyphs is a space. */
const SPACE = 0.15;
/** A glyph that begins this far before the end of the last one begins another word. */
const BACKWARDS = 0.5;
/** Text in a smaller size cannot be read by a person. */
const MIN_SIZE = 3;
/** Colors that differ by less in all channels cannot be distinguished. */
const SAME_COLOR = 14;
const MAX_RULE_WIDTH = 2.5;
const MIN_RULE_LENGTH = 4;
const MIN_BACKGROUND = 4;
/** The last shapes of a page that can be the background of a word. */
const MAX_SHAPES = 5_000;
const MAX_RULES = 20_000;
/** A picture over this share of the words of a page is a scan, and its text is what OCR found on it. */
const SCAN_SHARE = 0.9;
const INVISIBLE_MODES = new Set([3, 7]);

/**
 * `order` is the index of the operator. A shape without a color is a picture, a pattern, a shading or transparent. A shape
 * that is not a plain rectangle may leave uncovered what is within its bounds.
 */
type Shape = Area & { order: number; color: Color | undefined; isPlain: boolean };
type DrawnWord = Word & { order: number; color: Color | undefined; isInvisible: boolean; isTiny: boolean };

/** What the operators so far have set and drawn. */
type DrawingState = PageSettings & {
  words: DrawnWord[];
  rules: Area[];
  shapes: Shape[];
  pictures: (Shape & { matrix: Matrix })[];
  saved: State[];
  state: State;
  /** The matrix of the text, the position of its line, and that of its next glyph. */
  text: Matrix;
  line: Point;
  at: Point;
  isSpaced: boolean;
  /** The word that the next glyph may continue, and where that glyph is expected. */
  open: { word: DrawnWord; next: Point } | undefined;
  /** Whether a matrix was set, and nothing was drawn since. */
  isBare: boolean;
  /** Whether the next path clips what follows. */
  isClipping: boolean;
};
type Point = readonly [x: number, y: number];
type PageSettings = { ops: Ops; findFont: FindFont; view: Area; isComplete: boolean };

/**
 * Reads the operators of a page. `isComplete` is false if pdf.js left out the pictures to save the time of decoding
 * them: then a matrix that nothing was drawn with is taken for the position of a picture, and `mayBeCovered` tells if
 * words are behind one, so that only such pages have to be read with their pictures.
 */
export function readOperators({ fnArray, argsArray }: OperatorList, settings: PageSettings): PageContent {
  const drawing: DrawingState = {
    ...settings,
    words: [],
    rules: [],
    shapes: [],
    pictures: [],
    saved: [],
    state: INITIAL,
    text: IDENTITY,
    line: [0, 0],
    at: [0, 0],
    isSpaced: true,
    open: undefined,
    isBare: false,
    isClipping: false,
  };
  const { ops } = settings;
  const handlers = handlersOf(drawing);
  const harmless = new Set([ops.dependency, ops.setGState, ops.clip, ops.eoClip]);
  fnArray.forEach((operator, order) => {
    handlers[operator]?.(argsArray[order], order);
    drawing.isBare = operator === ops.transform || (drawing.isBare && harmless.has(operator));
  });
  const { words, rules, pictures } = drawing;
  markHidden(drawing);
  const isBehind = (word: DrawnWord) =>
    pictures.some((picture) => word.order < picture.order && isWithin(word, picture));
  const places = new Map(pictures.map(({ order, matrix }) => [order, matrix]));
  return { words, rules, pictures: places, mayBeCovered: words.some(isBehind) };
}

// biome-ignore lint/suspicious/noExplicitAny: each operator has arguments of its own, which pdf.js has checked.
type Handler = (args: any, order: number) => void;

/** What each operator does. Operators that are not here change nothing that is read. */
function handlersOf(drawing: DrawingState): Handler[] {
  const handlers: Handler[] = [];
  for (const [operator, handler] of [...textHandlers(drawing), ...paintHandlers(drawing)]) handlers[operator] = handler;
  return handlers;
}

const change = (drawing: DrawingState, state: Partial<State>): void => {
  drawing.state = { ...drawing.state, ...state };
};

function textHandlers(drawing: DrawingState): [number, Handler][] {
  const { ops } = drawing;
  const setState = (state: Partial<State>) => change(drawing, state);
  const moveLine = (right: number, up: number) => {
    drawing.line = [drawing.line[0] + right, drawing.line[1] + up];
    drawing.at = drawing.line;
  };
  const beginText = (matrix: Matrix) => Object.assign(drawing, { text: matrix, line: [0, 0], at: [0, 0] });
  return [
    [ops.showText, ([glyphs], order) => showText(drawing, glyphs ?? [], order)],
    [ops.beginText, () => beginText(IDENTITY)],
    [ops.setTextMatrix, ([matrix]) => beginText([...matrix] as unknown as Matrix)],
    [ops.moveText, (args) => moveLine(args[0], args[1])],
    [ops.setLeading, ([leading]) => setState({ leading })],
    [ops.nextLine, () => moveLine(0, -drawing.state.leading)],
    [
      ops.setLeadingMoveText,
      ([right, up]) => {
        setState({ leading: -up });
        moveLine(right, up);
      },
    ],
    [ops.setFont, ([name, size]) => setState({ font: drawing.findFont(name), size })],
    [ops.setCharSpacing, ([charSpacing]) => setState({ charSpacing })],
    [ops.setWordSpacing, ([wordSpacing]) => setState({ wordSpacing })],
    [ops.setHScale, ([percent]) => setState({ scale: percent / 100 })],
    [ops.setTextRise, ([rise]) => setState({ rise })],
    [ops.setTextRenderingMode, ([mode]) => setState({ mode })],
  ];
}

function paintHandlers(drawing: DrawingState): [number, Handler][] {
  const { ops } = drawing;
  const setState = (state: Partial<State>) => change(drawing, state);
  const transform = (matrix: Matrix) => setState({ matrix: geometry.multiply(drawing.state.matrix, matrix) });
  const beginForm = (matrix: Matrix | null, box: ArrayLike<number> | null) => {
    const { alpha, blends, isOverlay } = drawing.state;
    drawing.saved.push(drawing.state);
    if (matrix) transform(matrix);
    setState({ isOverlay: isOverlay || blends || alpha < 1 });
    if (box) setState({ clip: geometry.intersection(areaAround(drawing.state.matrix, box), drawing.state.clip) });
  };
  const clip = () => {
    drawing.isClipping = true;
  };
  const restore = () => {
    drawing.state = drawing.saved.pop() ?? drawing.state;
  };
  const restoreAfter = (order: number) => {
    if (drawing.isBare && !drawing.isComplete) addPicture(drawing, order);
    restore();
  };
  return [
    [ops.save, () => drawing.saved.push(drawing.state)],
    [ops.restore, (_, order) => restoreAfter(order)],
    [ops.transform, transform],
    [ops.paintFormXObjectBegin, ([matrix, box]) => beginForm(matrix, box)],
    [ops.clip, clip],
    [ops.eoClip, clip],
    [ops.paintFormXObjectEnd, restore],
    [ops.setGState, ([changes]) => setGraphics(drawing, changes ?? [])],
    [ops.setFillRGBColor, ([color]) => setState({ fill: colorOf(color) })],
    [ops.setStrokeRGBColor, ([color]) => setState({ stroke: colorOf(color) })],
    [ops.setFillColorN, () => setState({ fill: undefined })],
    [ops.setFillTransparent, () => setState({ fill: undefined })],
    [ops.setStrokeColorN, () => setState({ stroke: undefined })],
    [ops.setStrokeTransparent, () => setState({ stroke: undefined })],
    [ops.shadingFill, (_, order) => addShape(drawing, { ...drawing.view, order, color: undefined, isPlain: true })],
    [ops.constructPath, (args, order) => drawPath(drawing, args, order)],
    ...picturesOf(ops).map((operator): [number, Handler] => [operator, (_, order) => addPicture(drawing, order)]),
  ];
}

function setGraphics(drawing: DrawingState, changes: readonly [string, unknown][]): void {
  for (const [name, value] of changes) {
    if (name === 'ca') change(drawing, { alpha: Number(value) });
    else if (name === 'BM') change(drawing, { blends: value !== 'source-over' });
    else if (name === 'SMask') change(drawing, { isOverlay: Boolean(value) });
    else if (name === 'Font') {
      const [font, size] = value as [string, number];
      change(drawing, { font: drawing.findFont(font), size });
    }
  }
}

const picturesOf = (ops: Ops): number[] => [
  ops.paintImageXObject,
  ops.paintInlineImageXObject,
  ops.paintImageXObjectRepeat,
  ops.paintImageMaskXObject,
  ops.paintSolidColorImageMask,
];

function addShape({ shapes, state }: DrawingState, whole: Shape): void {
  const shape = { ...whole, ...geometry.intersection(whole, state.clip), isPlain: whole.isPlain && state.isClipPlain };
  if (shape.right - shape.left < MIN_BACKGROUND || shape.top - shape.bottom < MIN_BACKGROUND) return;
  shapes.push(shape);
  if (shapes.length > 2 * MAX_SHAPES) shapes.splice(0, MAX_SHAPES);
}

function addPicture(drawing: DrawingState, order: number): void {
  const area = geometry.areaOf(drawing.state.matrix, 0, 0, 1, 1);
  const shape = { ...area, ...geometry.intersection(area, drawing.state.clip), order, color: undefined, isPlain: true };
  if (drawing.pictures.length < MAX_SHAPES) drawing.pictures.push({ ...shape, matrix: drawing.state.matrix });
  addShape(drawing, shape);
}

/** A run of glyphs. Positions are distances along its direction, in points of the page. */
type Run = { turn: Turn; start: Point; height: number; unit: number; advance: number; isVertical: boolean };

function runOf({ state, text, at: [x, y] }: DrawingState): Run | undefined {
  const { font, rise } = state;
  const size = Math.abs(state.size);
  const m = geometry.multiply(state.matrix, text);
  const along = Math.sqrt(m[0] * m[0] + m[1] * m[1]);
  const across = Math.sqrt(m[2] * m[2] + m[3] * m[3]);
  if (!(size > 0) || !(along > 0) || !(across > 0) || !Number.isFinite(along * across)) return undefined;
  const isVertical = font?.vertical === true;
  const sign = directionOf(state);
  const turn = geometry.turnOf(isVertical ? [-m[2], -m[3]] : [m[0] * sign, m[1] * sign]);
  return {
    turn,
    start: rotatePoint(geometry.apply(m, x, y + rise), turn),
    height: size * heightOf(font) * (isVertical ? along : across),
    unit: isVertical ? across : along * state.scale,
    advance: size * (font?.fontMatrix?.[0] ?? 0.001),
    isVertical,
  };
}

const directionOf = ({ size }: State): number => (size < 0 ? -1 : 1);

function showText(drawing: DrawingState, glyphs: readonly (Glyph | number)[], order: number): void {
  const run = runOf(drawing);
  if (!run) return;
  const { state } = drawing;
  const sign = directionOf(state);
  const thousandth = (Math.abs(state.size) / 1000) * run.unit * (run.isVertical ? -1 : 1);
  let at = 0;
  drawing.open = continuedWord(drawing, run);
  for (const glyph of glyphs) {
    if (typeof glyph === 'number') at -= glyph * thousandth;
    else {
      const width = widthOf(glyph, run);
      const spacing = (state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0)) * run.unit * sign;
      addGlyph(drawing, run, { text: glyph.unicode, at: run.start[0] + at, width, spacing, order });
      at += width + spacing;
    }
  }
  const moved = (at / run.unit) * sign;
  const [x, y] = drawing.at;
  drawing.at = run.isVertical ? [x, y - moved] : [x + moved * state.scale, y];
}

type PlacedGlyph = { text: string; at: number; width: number; spacing: number; order: number };

/** Adds a glyph to the word before it, or begins a word. */
function addGlyph(drawing: DrawingState, run: Run, { text, at, width, spacing, order }: PlacedGlyph): void {
  if (isBlank(text)) {
    drawing.open = undefined;
    drawing.isSpaced ||= text !== '';
    return;
  }
  const gap = at - (drawing.open?.next[0] ?? at);
  const isNext = gap <= SPACE * run.height && gap >= -BACKWARDS * run.height;
  const word = (isNext && drawing.open?.word) || newWord(drawing, run, at, order);
  word.text += text.length > 1 ? visual(text) : text;
  word.right = Math.max(word.right, at + width);
  // Letters that are spaced out by the character spacing still make one word.
  drawing.open = { word, next: [at + Math.max(width, width + spacing), run.start[1]] };
}

const widthOf = ({ width, vmetric }: Glyph, { advance, unit, isVertical }: Run): number =>
  (isVertical && vmetric ? Math.abs(vmetric[0] ?? 0) : width) * advance * unit;

const isBlank = (unicode: string): boolean =>
  unicode.length === 1 ? unicode <= ' ' || unicode === '\u00a0' || unicode === '\u3000' : unicode.trim() === '';

/** Letters that a font draws as one are written from left to right, like all others, until the line is read. */
const visual = (unicode: string): string => (RTL.test(unicode) ? [...unicode].reverse().join('') : unicode);

function newWord(drawing: DrawingState, { turn, start, height }: Run, left: number, order: number): DrawnWord {
  const { state, isSpaced } = drawing;
  const word = {
    text: '',
    left,
    right: left,
    base: start[1],
    size: height,
    turn,
    spaced: isSpaced,
    hidden: false,
    order,
    color: textColor(state),
    isInvisible: INVISIBLE_MODES.has(state.mode) || (state.alpha === 0 && state.mode !== OUTLINES),
    isTiny: height < MIN_SIZE && state.font?.isType3Font !== true,
  };
  drawing.isSpaced = false;
  drawing.words.push(word);
  return word;
}

const textColor = ({ mode, fill, stroke }: State): Color | undefined => (mode === OUTLINES ? stroke : fill);

/** Returns the last word if a run goes on where it ended, in the same size and color. */
function continuedWord({ open, isSpaced, state }: DrawingState, { turn, start, height }: Run): DrawingState['open'] {
  if (!open || isSpaced || open.word.turn !== turn) return undefined;
  const { word, next } = open;
  const gap = start[0] - next[0];
  const isNear = Math.abs(start[1] - next[1]) < 0.1 * height && gap < SPACE * height && gap > -0.1 * height;
  const isLike = Math.abs(word.size - height) < 0.1 * height && sameColor(word.color, textColor(state));
  return isNear && isLike ? open : undefined;
}

type Path = [paint: number, [path: ArrayLike<number> | null], box: ArrayLike<number> | null];

function drawPath(drawing: DrawingState, [paint, path, box]: Path, order: number): void {
  const { ops, state } = drawing;
  if (drawing.isClipping) clipTo(drawing, path, box);
  if (!box || paint === ops.endPath) return;
  if (paint !== ops.stroke && paint !== ops.closeStroke && state.alpha > 0)
    fillArea(drawing, [paint, path, box], order);
  if (paint === ops.fill || paint === ops.eoFill) return;
  for (const line of straightLines(path?.[0] ?? [])) addRule(drawing, geometry.areaOf(state.matrix, ...line));
}

/** A filled path counts as the rectangle around it. */
function fillArea(drawing: DrawingState, [, path, box]: Path, order: number): void {
  const { matrix, alpha, blends, isOverlay, fill } = drawing.state;
  const area = areaAround(matrix, box);
  const color = alpha === 1 && !blends && !isOverlay ? fill : undefined;
  if (isRule(area)) addRule(drawing, area);
  else addShape(drawing, { ...area, order, color, isPlain: isRectangle(path) });
}

function areaAround(matrix: Matrix, box: ArrayLike<number> | null): Area {
  return geometry.areaOf(matrix, box?.[0] ?? 0, box?.[1] ?? 0, box?.[2] ?? 0, box?.[3] ?? 0);
}

/** The path after a clipping operator bounds all that is drawn until the state is restored. */
function clipTo(drawing: DrawingState, path: Path[1], box: Path[2]): void {
  const { matrix, clip, isClipPlain } = drawing.state;
  drawing.isClipping = false;
  change(drawing, {
    clip: geometry.intersection(areaAround(matrix, box), clip),
    isClipPlain: isClipPlain && isRectangle(path),
  });
}

/** A move, three lines and the end of the path. */
const RECTANGLE_LENGTH = 13;
const isRectangle = (path: Path[1]): boolean => path?.[0]?.length === RECTANGLE_LENGTH;

function addRule({ rules }: DrawingState, area: Area): void {
  if (rules.length < MAX_RULES && isRule(area)) rules.push(area);
}

function markHidden({ words, shapes, pictures, view, isComplete }: DrawingState): void {
  const isOnScan = words.length > 0 && pictures.some((picture) => shareWithin(words, picture) >= SCAN_SHARE);
  const covers = new Set(isComplete ? pictures.map(({ order }) => order) : []);
  for (const word of words) {
    const { x, y } = middleOf(word);
    const isOutside = x < view.left || x > view.right || y < view.bottom || y > view.top;
    const isUnseen = word.isInvisible && !pictures.some((picture) => isWithin(word, picture));
    const isLost = !word.isInvisible && !isOnScan && isHiddenBy(shapes, word, covers);
    word.hidden = word.isTiny || isOutside || isUnseen || isLost;
  }
}

/** Returns true if the word has the color of what is drawn below it, or a shape or picture was drawn over it. */
function isHiddenBy(shapes: readonly Shape[], word: DrawnWord, covers: ReadonlySet<number>): boolean {
  const middle = middleOf(word);
  const isCover = ({ color, order, isPlain }: Shape) => isPlain && (color !== undefined || covers.has(order));
  const over = shapes.findLast(
    (shape) =>
      geometry.contains(shape, middle) && (shape.order < word.order || (shape.order > word.order && isCover(shape))),
  );
  if (over && over.order > word.order) return true;
  const background = over ? over.isPlain && over.color : WHITE;
  return word.color !== undefined && background ? sameColor(word.color, background) : false;
}

const shareWithin = (words: readonly Word[], area: Area): number =>
  words.filter((word) => isWithin(word, area)).length / words.length;

const isWithin = (word: Word, area: Area): boolean => geometry.contains(area, middleOf(word));

/** Returns the middle of a word in the frame of the page. */
function middleOf({ left, right, base, size, turn }: Word): { x: number; y: number } {
  const [x, y] = rotatePoint([(left + right) / 2, base + size * 0.3], ((4 - turn) % 4) as Turn);
  return { x, y };
}

/** Glyphs of a type 3 font are drawn in units of the font's own. */
function heightOf(font: PdfjsFont | undefined): number {
  const [, , , height = 0.001] = font?.fontMatrix ?? [];
  if (!font?.isType3Font) return 1;
  const [, bottom = 0, , top = 0] = font.bbox ?? [];
  return Math.abs((top > bottom ? top - bottom : 1000) * height);
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

const sameColor = (a: Color | undefined, b: Color | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.every((value, at) => Math.abs(value - (b[at] ?? 0)) < SAME_COLOR));

function colorOf(hex: unknown): Color | undefined {
  if (typeof hex !== 'string' || !/^#[\da-f]{6}$/i.test(hex)) return undefined;
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const [MOVE, LINE, CLOSE] = [0, 1, 4];
/** Numbers of a move, a line, a cubic and a quadratic curve, and the end of a path. */
const PATH_SIZES = [3, 3, 7, 5, 1];

/** The lines of a path that pdf.js encoded as numbers: an operation, then its coordinates. Curves are left out. */
function* straightLines(path: ArrayLike<number>): Generator<[number, number, number, number]> {
  let begin: Point = [0, 0];
  let from: Point = [0, 0];
  for (let at = 0; at < path.length; ) {
    const operation = path[at] ?? -1;
    const size = PATH_SIZES[operation];
    if (size === undefined) return;
    const to: Point = operation === CLOSE ? begin : [path[at + size - 2] ?? 0, path[at + size - 1] ?? 0];
    if (operation === MOVE) begin = to;
    else if (operation === LINE || operation === CLOSE) yield [...from, ...to];
    from = to;
    at += size;
  }
}

const isRule = ({ left, right, bottom, top }: Area): boolean =>
  Math.min(right - left, top - bottom) <= MAX_RULE_WIDTH && Math.max(right - left, top - bottom) >= MIN_RULE_LENGTH;
