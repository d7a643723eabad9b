/** PPTX: one part per slide in the order of the show, with its tables, charts, comments and speaker notes. */

import { oneLine } from '../../../shared/core/one-line.ts';
import { type DocumentPart, type ReaderInput, type ReadingBudget, unreadable } from '../document.ts';
import { type MarkdownBlocks, markdownBlocks, slideParts } from '../markdown.ts';
import {
  type DrawingSource,
  drawingLine,
  drawingSource,
  isOpaquePhoto,
  isUprightRectangle,
  readAltText,
  readGraphic,
} from '../office/drawings.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { mainPart, openZip, type Relation, relationsOf, type Zip } from '../zip.ts';

export function readPptx({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'ppt/presentation.xml');
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const show = parseXml(file);
  const targets = new Map(relationsOf(zip, main).map(({ id, target }) => [id, target]));
  const slides = allOf(show, 'sldId').flatMap(({ attributes }) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
    return targets.get(id ?? '') ?? [];
  });
  const authors = authorsOf(zip, main);
  const frameOf = slideFrames(zip);
  const size = firstOf(show, 'sldSz');
  return slides.flatMap((path, at) => {
    const blocks = markdownBlocks(budget);
    const file = zip.entry(path);
    const slide = file && parseXml(file);
    const source = drawingSource(zip, path);
    if (slide)
      readShapes(blocks, firstOf(slide, 'spTree'), {
        source,
        budget,
        size,
        isAnimated: childOf(childOf(slide, 'sld'), 'timing') !== undefined,
        ...frameOf(slide, source),
      });
    for (const { type, target } of source.relations) {
      if (type === 'notesSlide') readNotes(blocks, zip, target);
      if (type === 'comments') readComments(blocks, zip.entry(target), authors);
    }
    // The show leaves out a slide that is hidden.
    const isShown = !/^(?:0|false)$/.test(attribute(childOf(slide, 'sld'), 'show') ?? '');
    return slideParts(`slide ${at + 1}`, blocks, isShown);
  });
}

/** A rectangle on a slide, in EMU. It is undefined where a layout or a group places the shape. */
type SlideBox = { left: number; top: number; right: number; bottom: number } | undefined;

/** What decides whether a person sees a text of a slide. */
type Scene = {
  source: DrawingSource;
  budget: ReadingBudget;
  /** The size of the slides, as the presentation gives it. */
  size: XmlElement | undefined;
  /** The plain colors of the theme by their names. */
  theme: Map<string, string>;
  /** The color of the slide, if it is plain. */
  background: string | undefined;
  /** Shapes so far that have a color or a picture of their own, those of the layout included. */
  painted: SlideBox[];
  isInGroup?: boolean;
  isAnimated: boolean;
};

function readShapes(blocks: MarkdownBlocks, tree: XmlElement | undefined, scene: Scene): void {
  const shapes = tree ? elementsOf(tree) : [];
  const covers = coversOf(shapes, scene);
  for (const [at, shape] of shapes.entries()) {
    const read = SHAPES[shape.name];
    if (!read) continue;
    if (isSwitchedOff(shape) || isOutside(shape, scene) || isCovered(shape, at, covers, scene)) {
      const unseen = markdownBlocks(scene.budget);
      read(unseen, shape, scene);
      blocks.hide(unseen.all.flatMap(({ text, hidden = '' }) => [text, hidden]).join('\n'));
      continue;
    }
    read(blocks, shape, scene);
    if (isPainted(shape)) scene.painted.push(boxOf(shape, scene));
  }
}

const SHAPES: Record<string, (blocks: MarkdownBlocks, shape: XmlElement, scene: Scene) => void> = {
  grpSp: (blocks, shape, scene) => readShapes(blocks, shape, { ...scene, isInGroup: true }),
  AlternateContent: (blocks, shape, scene) => readShapes(blocks, childOf(shape, 'Choice'), scene),
  graphicFrame(blocks, shape, scene) {
    readTables(blocks, shape, scene);
    readGraphic(blocks, shape, scene.source);
  },
  pic: readAltText,
  sp: readShape,
  cxnSp: readShape,
};

type Cover = { at: number; box: NonNullable<SlideBox> };

/** The opaque rectangles of a slide: photos and plain shapes. What moves in by an animation covers nothing at first. */
function coversOf(shapes: readonly XmlElement[], scene: Scene): Cover[] {
  if (scene.isAnimated) return [];
  return shapes.flatMap((shape, at) => {
    const box = isOpaque(shape, scene) && !isSwitchedOff(shape) ? boxOf(shape, scene) : undefined;
    return box ? [{ at, box }] : [];
  });
}

/** Other shapes than rectangles leave corners. */
function isOpaque(shape: XmlElement, { source, theme }: Scene): boolean {
  if (shape.name !== 'sp') return isOpaquePhoto(shape, source);
  return isUprightRectangle(shape) && plainColor(childOf(childOf(shape, 'spPr'), 'solidFill'), theme) !== undefined;
}

/** Whether a shape with text stands wholly behind one that comes later. Pictures have no text. */
function isCovered(shape: XmlElement, at: number, covers: readonly Cover[], scene: Scene): boolean {
  const box = shape.name === 'pic' || covers.length === 0 ? undefined : boxOf(shape, scene);
  return (
    box !== undefined &&
    covers
      .slice(0, MAX_PAINTED)
      .some(
        (cover) =>
          cover.at > at &&
          cover.box.left <= box.left &&
          cover.box.top <= box.top &&
          cover.box.right >= box.right &&
          cover.box.bottom >= box.bottom,
      )
  );
}

/** A shape that its author switched off in the selection pane. */
const isSwitchedOff = (shape: XmlElement): boolean => {
  const [properties] = elementsOf(shape);
  return /^(?:1|true)$/.test(attribute(properties && childOf(properties, 'cNvPr'), 'hidden') ?? '');
};

function boxOf(shape: XmlElement, { isInGroup = false }: Pick<Scene, 'isInGroup'>): SlideBox {
  const properties = childOf(shape, 'spPr') ?? childOf(shape, 'grpSpPr') ?? shape;
  const place = childOf(properties, 'xfrm');
  const numbers = (name: string, of: string[]) => of.map((key) => Number(attribute(childOf(place, name), key) ?? NaN));
  const [x = NaN, y = NaN] = numbers('off', ['x', 'y']);
  const [width = NaN, height = NaN] = numbers('ext', ['cx', 'cy']);
  // Text runs over the edges of a box without a size.
  if (isInGroup || !(Number.isFinite(x + y) && width > 0 && height > 0)) return undefined;
  // A shape turns about its center, so it stays within a circle.
  const around = attribute(place, 'rot') === undefined ? 0 : Math.hypot(width, height) / 2;
  const [dx, dy] = around === 0 ? [width / 2, height / 2] : [around, around];
  const [middle, center] = [x + width / 2, y + height / 2];
  return { left: middle - dx, top: center - dy, right: middle + dx, bottom: center + dy };
}

function isOutside(shape: XmlElement, scene: Scene): boolean {
  const box = boxOf(shape, scene);
  const width = Number(attribute(scene.size, 'cx') ?? NaN);
  const height = Number(attribute(scene.size, 'cy') ?? NaN);
  return box !== undefined && (box.right <= 0 || box.bottom <= 0 || box.left >= width || box.top >= height);
}

const FILLS = new Set(['noFill', 'solidFill', 'gradFill', 'blipFill', 'pattFill', 'grpFill']);
const fillOf = (properties: XmlElement | undefined): XmlElement | undefined =>
  properties && elementsOf(properties).find(({ name }) => FILLS.has(name));

/** Whether something of the shape may stand behind a text that is written over it. */
function isPainted(shape: XmlElement): boolean {
  if (shape.name === 'grpSp') return elementsOf(shape).some(isPainted);
  if (shape.name !== 'sp') return shape.name in SHAPES && shape.name !== 'cxnSp';
  const fill = fillOf(childOf(shape, 'spPr'));
  if (fill) return fill.name !== 'noFill';
  return Number(attribute(firstOf(childOf(shape, 'style'), 'fillRef'), 'idx') ?? 0) !== 0;
}

/** Behind more shapes than this no text is looked for. */
const MAX_PAINTED = 1_000;

/** Returns the color behind the text of a shape, if it is plain: that of the shape, or that of the slide. */
function colorBehind(shape: XmlElement, scene: Scene): string | undefined {
  if (isPainted(shape)) return plainColor(childOf(childOf(shape, 'spPr'), 'solidFill'), scene.theme);
  // A placeholder may have the color of its layout, wherever it stands.
  const box = placeholderOf(shape) === undefined ? boxOf(shape, scene) : undefined;
  const { painted, background } = scene;
  return painted.length > MAX_PAINTED || painted.some((paintedBox) => overlap(box, paintedBox))
    ? undefined
    : background;
}

const overlap = (a: SlideBox, b: SlideBox): boolean =>
  !a || !b || (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);

/** Returns a color as RGB, if it is given without transparency and tints. */
function plainColor(fill: XmlElement | undefined, theme: Map<string, string>): string | undefined {
  const [color] = fill ? elementsOf(fill) : [];
  if (!color || elementsOf(color).length > 0) return undefined;
  const value = attribute(color, 'val') ?? '';
  if (color.name === 'srgbClr') return value;
  if (color.name === 'sysClr') return attribute(color, 'lastClr');
  if (color.name === 'schemeClr') return theme.get(value);
  return color.name === 'prstClr' ? { white: 'ffffff', black: '000000' }[value] : undefined;
}

/** Colors that differ less than this in each channel look the same. */
const SAME_COLOR = 16;
const channels = (color: string): number[] => [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function looksAlike(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const channelsOfB = channels(b);
  return channels(a).every((channel, at) => Math.abs(channel - (channelsOfB[at] ?? NaN)) < SAME_COLOR);
}

/** Finds the colors and the painted shapes of the layout and the master of a slide. Slides share them. */
function slideFrames(
  zip: Zip,
): (slide: XmlElement, source: DrawingSource) => Pick<Scene, 'theme' | 'background' | 'painted'> {
  const files = new Map<string, XmlElement | undefined>();
  const follow = (relations: readonly Relation[], type: string) => {
    const path = relations.find((relation) => relation.type === type)?.target ?? '';
    const file = files.has(path) ? undefined : zip.entry(path);
    if (!files.has(path)) files.set(path, file && parseXml(file));
    return { root: files.get(path), relations: path === '' ? [] : relationsOf(zip, path) };
  };
  return (slide, { relations }) => {
    const layout = follow(relations, 'slideLayout');
    const master = follow(layout.relations, 'slideMaster');
    const { root } = follow(master.relations, 'theme');
    const theme = new Map<string, string>();
    for (const color of elementsOf(firstOf(root, 'clrScheme') ?? slide))
      theme.set(color.name, plainColor(color, theme) ?? '');
    // Slides name colors by their purpose, such as `bg1`; the master maps these names, and a slide may map them again.
    const isMappedAgain = [slide, layout.root].some((element) => firstOf(element, 'overrideClrMapping'));
    const map = isMappedAgain ? {} : (firstOf(master.root, 'clrMap')?.attributes ?? {});
    for (const [name, target] of Object.entries(map)) theme.set(name, theme.get(target) ?? '');
    const trees = [master.root, layout.root].map((element) => firstOf(element, 'spTree'));
    return {
      theme,
      background: backgroundOf([slide, layout.root, master.root], root, theme),
      painted: trees.flatMap((tree) =>
        tree ? elementsOf(tree).flatMap((shape) => (isPainted(shape) ? [boxOf(shape, {})] : [])) : [],
      ),
    };
  };
}

/** A slide without a background of its own has that of its layout, else that of its master, else it is white. */
function backgroundOf(
  roots: (XmlElement | undefined)[],
  themeRoot: XmlElement | undefined,
  theme: Map<string, string>,
): string | undefined {
  const [background] = roots.flatMap((root) => allOf(root, 'bg').slice(0, 1));
  if (!background) return 'ffffff';
  const properties = childOf(background, 'bgPr');
  if (properties) return plainColor(childOf(properties, 'solidFill'), theme);
  const reference = childOf(background, 'bgRef');
  const styles = firstOf(themeRoot, 'bgFillStyleLst');
  const style = styles && elementsOf(styles)[Number(attribute(reference, 'idx') ?? 0) - FIRST_BACKGROUND];
  const takesColor = style?.name === 'solidFill' && attribute(firstOf(style, 'schemeClr'), 'val') === 'phClr';
  return takesColor && allOf(style, 'schemeClr').every((schemeColor) => elementsOf(schemeColor).length === 0)
    ? plainColor(reference, theme)
    : undefined;
}

/** The number of the first background of a theme (ECMA-376 20.1.10.71). */
const FIRST_BACKGROUND = 1_001;

/** Returns the type, such as `title` or `body`. A placeholder without a type is body text. */
function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = firstOf(elementsOf(shape)[0], 'ph');
  return placeholder && (attribute(placeholder, 'type') ?? 'body');
}

const FRAME_PLACEHOLDERS = /^(sldNum|dt|sldImg)$/;

function readShape(blocks: MarkdownBlocks, shape: XmlElement, scene: Scene): void {
  const placeholder = placeholderOf(shape);
  if (placeholder !== undefined && FRAME_PLACEHOLDERS.test(placeholder)) return;
  readAltText(blocks, shape);
  const { visible, unseen } = linesOf(childOf(shape, 'txBody'), colorBehind(shape, scene), scene);
  blocks.hide(unseen.join('\n'));
  if (placeholder === 'title' || placeholder === 'ctrTitle') {
    blocks.heading(visible.map(({ line }) => line).join(' '), 1);
    return;
  }
  for (const { line, depth } of visible) {
    if (placeholder === 'body') blocks.item(line, depth);
    else blocks.paragraph(line);
  }
}

function readTables(blocks: MarkdownBlocks, frame: XmlElement, scene: Scene): void {
  for (const table of allOf(frame, 'tbl')) {
    const unseen: string[] = [];
    const cellOf = (cell: XmlElement) => {
      const behind = plainColor(childOf(childOf(cell, 'tcPr'), 'solidFill'), scene.theme);
      const lines = linesOf(childOf(cell, 'txBody'), behind, scene);
      unseen.push(...lines.unseen);
      return lines.visible.map(({ line }) => line).join(' ');
    };
    blocks.table(allOf(table, 'tr').map((row) => allOf(row, 'tc').map(cellOf)));
    blocks.hide(unseen.join('\n'));
  }
}

type TextLines = { visible: { line: string; depth: number }[]; unseen: string[] };

/** Divides the text of a shape or cell into what a person sees on a background of that color and what not. */
function linesOf(body: XmlElement | undefined, behind: string | undefined, { theme }: Scene): TextLines {
  const lines: TextLines = { visible: [], unseen: [] };
  const list = childOf(body, 'lstStyle');
  for (const paragraph of allOf(body, 'p')) {
    const depth = Number(attribute(childOf(paragraph, 'pPr'), 'lvl') ?? 0);
    const inherited = childOf(childOf(list, `lvl${depth + 1}pPr`), 'defRPr');
    const runs = Object.groupBy(elementsOf(paragraph), (run) =>
      isUnseen([childOf(run, 'rPr'), inherited], behind, theme) ? 'unseen' : 'seen',
    );
    lines.visible.push({ line: drawingLine({ ...paragraph, children: runs.seen ?? [] }), depth });
    const line = drawingLine({ ...paragraph, children: runs.unseen ?? [] });
    if (line.trim() !== '') lines.unseen.push(line);
  }
  return lines;
}

/** Text under 3 pt cannot be read. Sizes are in hundredths of a point. */
const TINY = 300;

/** The properties are those of a run, then those that its shape gives to the runs of its level. */
function isUnseen(
  properties: (XmlElement | undefined)[],
  behind: string | undefined,
  theme: Map<string, string>,
): boolean {
  const size = properties.map((element) => attribute(element, 'sz')).find((one) => one !== undefined);
  if (Number(size ?? TINY) < TINY) return true;
  const fill = properties.map(fillOf).find(Boolean);
  const marker = properties.map((element) => childOf(element, 'highlight')).find(Boolean);
  // The outline of letters has a color of its own.
  if (!fill || properties.some((element) => childOf(element, 'ln'))) return false;
  if (fill.name === 'noFill') return true;
  return looksAlike(
    plainColor(fill.name === 'solidFill' ? fill : undefined, theme),
    marker ? plainColor(marker, theme) : behind,
  );
}

function readNotes(blocks: MarkdownBlocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  const shapes = file ? allOf(parseXml(file), 'sp').filter((shape) => placeholderOf(shape) === 'body') : [];
  const lines = shapes.flatMap((shape) => allOf(shape, 'p').map(drawingLine)).filter((line) => line.trim() !== '');
  if (lines.length > 0) blocks.paragraph(`Notes: ${lines.join('\n')}`);
}

/** The names of those who wrote comments, by their ids. */
function authorsOf(zip: Zip, main: string): Map<string, string> {
  const files = relationsOf(zip, main).flatMap(({ type, target }) =>
    type === 'commentAuthors' || type === 'authors' ? (zip.entry(target) ?? []) : [],
  );
  const authors = files.flatMap((file) => {
    const root = parseXml(file);
    return [...allOf(root, 'cmAuthor'), ...allOf(root, 'author')];
  });
  return new Map(authors.map((author) => [attribute(author, 'id') ?? '', attribute(author, 'name') ?? '']));
}

/** Newer programs write comments as threads, whose replies are inside of them. */
function readComments(blocks: MarkdownBlocks, file: Buffer | undefined, authors: Map<string, string>): void {
  for (const comment of file ? allOf(parseXml(file), 'cm') : []) {
    for (const commentOrReply of [comment, ...allOf(comment, 'reply')]) {
      const body = childOf(commentOrReply, 'txBody');
      const text = oneLine(
        body ? allOf(body, 'p').map(drawingLine).join(' ') : allOf(commentOrReply, 'text').map(textOf).join(' '),
      );
      const author = authors.get(attribute(commentOrReply, 'authorId') ?? '') ?? '';
      if (text !== '') blocks.paragraph(`[Comment${author && ` by ${author}`}: ${text}]`);
    }
  }
}
