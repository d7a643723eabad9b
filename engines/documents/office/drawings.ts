/** What the drawings of DOCX, PPTX and XLSX say: charts, diagrams and alternative texts. */
import { oneLine } from '../../../shared/core/one-line.ts';
import type { MarkdownBlocks } from '../markdown.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { type Relation, relationsOf, type Zip } from '../zip.ts';

/** A package part that has drawings, with its relations to charts and diagrams. */
export type DrawingSource = { zip: Zip; relations: readonly Relation[] };

export const drawingSource = (zip: Zip, part: string): DrawingSource => ({ zip, relations: relationsOf(zip, part) });

/** Whether a drawing fills a rectangle that stands upright. */
export function isUprightRectangle(drawing: XmlElement): boolean {
  const properties = childOf(drawing, 'spPr');
  const isTurned = attribute(childOf(properties, 'xfrm'), 'rot') !== undefined;
  return !isTurned && attribute(childOf(properties, 'prstGeom'), 'prst') === 'rect';
}

/** Whether a picture hides what is behind it. Other pictures than JPEG may let see through. */
export function isOpaquePhoto(picture: XmlElement, { relations }: DrawingSource): boolean {
  const blip = picture.name === 'pic' ? firstOf(childOf(picture, 'blipFill'), 'blip') : undefined;
  const id = Object.entries(blip?.attributes ?? {}).find(([name]) => name.endsWith(':embed'))?.[1];
  const isPhoto = relations.some((relation) => relation.id === id && /\.jpe?g$/i.test(relation.target));
  return (
    isPhoto && isUprightRectangle(picture) && elementsOf(blip ?? picture).every(({ name }) => name !== 'alphaModFix')
  );
}

/** The text of a paragraph of DrawingML. */
export function drawingLine(paragraph: XmlElement): string {
  return elementsOf(paragraph)
    .map((run) => (run.name === 'br' ? '\n' : run.name === 'tab' ? '\t' : allOf(run, 't').map(textOf).join('')))
    .join('');
}

/** Reads the chart or diagram of a frame, and its alternative text. */
export function readGraphic(blocks: MarkdownBlocks, frame: XmlElement, { zip, relations }: DrawingSource): void {
  readAltText(blocks, frame);
  const fileOf = (id: string | undefined) => {
    const target = relations.find((relation) => relation.id === id)?.target;
    const file = target === undefined ? undefined : zip.entry(target);
    return file && parseXml(file);
  };
  for (const graphic of allOf(frame, 'graphicData')) {
    for (const chart of allOf(graphic, 'chart')) {
      const root = fileOf(attribute(chart, 'id'));
      if (root) readChart(blocks, root);
    }
    const diagram = fileOf(attribute(firstOf(graphic, 'relIds'), 'dm'));
    for (const paragraph of diagram ? allOf(diagram, 'p') : []) blocks.item(drawingLine(paragraph), 0);
  }
}

/** The alternative text that an author gave to a picture or a shape. */
export function readAltText(blocks: MarkdownBlocks, shape: XmlElement): void {
  const properties = firstOf(shape, 'docPr') ?? firstOf(shape, 'cNvPr');
  const text = oneLine(attribute(properties, 'descr') ?? '');
  if (text !== '') blocks.paragraph(`[Picture: ${text}]`);
}

/** A hostile chart may name any number of series and points. */
const MAX_SERIES = 100;
const MAX_POINTS = 2_000;

/** Writes the title, the names of the axes, and the values that the chart was last drawn with. */
function readChart(blocks: MarkdownBlocks, root: XmlElement): void {
  const chart = firstOf(root, 'chart');
  blocks.paragraph(`[Chart: ${titleOf(chart) || 'without a title'}]`);
  const plot = childOf(chart, 'plotArea');
  const axes = plot ? elementsOf(plot).flatMap((axis) => (/Ax$/.test(axis.name) ? titleOf(axis) || [] : [])) : [];
  if (axes.length > 0) blocks.paragraph(`[Axes: ${axes.join('; ')}]`);
  const series = allOf(plot, 'ser').slice(0, MAX_SERIES);
  const names = series.map((dataSeries) => oneLine(allOf(childOf(dataSeries, 'tx'), 'v').map(textOf).join(' ')));
  const values = series.map((dataSeries) => pointsOf(childOf(dataSeries, 'val') ?? childOf(dataSeries, 'yVal')));
  const categories = pointsOf(
    series.map((dataSeries) => childOf(dataSeries, 'cat') ?? childOf(dataSeries, 'xVal')).find(Boolean),
  );
  const positions = [...new Set([categories, ...values].flatMap((points) => [...points.keys()]))].slice(0, MAX_POINTS);
  if (positions.length === 0) {
    const texts = [...allOf(root, 't'), ...allOf(root, 'pt')].map((element) => oneLine(textOf(element)));
    blocks.paragraph(texts.slice(0, MAX_POINTS).join(' '));
    return;
  }
  blocks.table([
    ['', ...names],
    ...positions.map((at) => [categories.get(at) ?? '', ...values.map((points) => points.get(at) ?? '')]),
  ]);
}

const titleOf = (element: XmlElement | undefined): string => {
  const title = element && childOf(element, 'title');
  return title ? oneLine([...allOf(title, 't'), ...allOf(title, 'v')].map(textOf).join('')) : '';
};

/** The points by their position. Categories of several levels are joined, the outermost first. */
function pointsOf(source: XmlElement | undefined): Map<string, string> {
  const points = new Map<string, string>();
  for (const point of allOf(source, 'pt').slice(0, MAX_POINTS * 3)) {
    const at = attribute(point, 'idx') ?? '';
    const text = oneLine(allOf(point, 'v').map(textOf).join(''));
    const inner = points.get(at);
    points.set(at, inner === undefined ? text : `${text} / ${inner}`);
  }
  return points;
}
