/** Draws a chart on a PDF page as vector graphics. */
import { type Chart, describeChart, plainLine } from '../../charts/chart.ts';
import { drawChart } from '../../charts/draw-chart.ts';
import { colourOf, type Drawing, type DrawingShape, LIGHT } from '../../charts/drawing.ts';
import { breakLines, putLines, type StyledText } from './lines.ts';
import {
  A4,
  ensureSpace,
  fill,
  INK,
  MARGIN,
  type PageFlow,
  type PdfFonts,
  type ReportPage,
  short,
  stroke,
  WIDTH,
} from './pages.ts';

/** Points per pixel: charts are laid out in pixels, which would be too large on paper. */
const SCALE = 0.74;
const CAPTION = { size: 9.5, leading: 14 };
const SOURCE = { size: 8, leading: 11 };
const MAX_TITLE_LENGTH = 300;

export function putChart(flow: PageFlow, chart: Chart, citations: StyledText[], language: string): void {
  const drawing = drawChart(chart, { widthPixels: WIDTH / SCALE, language, withTitle: false });
  const title = {
    text: plainLine(chart.title, MAX_TITLE_LENGTH),
    look: { font: flow.fonts.semiBold, size: CAPTION.size, colour: INK.strong },
  };
  const caption = breakLines([title, ...citations], WIDTH);
  const source = plainLine(chart.source ?? '', MAX_TITLE_LENGTH);
  const height = drawing.height * SCALE;
  ensureSpace(flow, caption.length * CAPTION.leading + height + (source ? SOURCE.leading : 0));
  const { tags } = flow;
  const figure = tags.open(tags.root, 'Sect');
  putLines(flow, caption, { x: MARGIN.side, leading: CAPTION.leading, tag: tags.open(figure, 'P') });
  const tag = tags.open(figure, 'Figure', { alt: describeChart(chart, language), attributes: boxOf(flow, height) });
  flow.page.within(tag, () => drawOn(flow.page, drawing, flow.fonts, flow.y));
  flow.y += height;
  if (!source) return;
  const look = { font: flow.fonts.regular, size: SOURCE.size, colour: INK.soft };
  putLines(flow, breakLines([{ text: `Source: ${source}`, look }], WIDTH), {
    x: MARGIN.side,
    leading: SOURCE.leading,
    tag: tags.open(figure, 'P'),
  });
}

const boxOf = ({ y }: PageFlow, height: number): string => {
  const box = [MARGIN.side, A4.height - y - height, MARGIN.side + WIDTH, A4.height - y].map(short).join(' ');
  return `<< /O /Layout /Placement /Block /BBox [${box}] >>`;
};

function drawOn(page: ReportPage, { shapes }: Drawing, fonts: PdfFonts, top: number): void {
  const x = (value: number) => MARGIN.side + value * SCALE;
  const y = (value: number) => top + value * SCALE;
  page.raw('q 1 J 1 j');
  for (const shape of shapes) {
    if (shape.kind === 'text') putText(page, shape, fonts, x(shape.x), y(shape.y));
    else
      page.raw(
        pathOf(
          shape,
          (value) => short(x(value)),
          (value) => short(A4.height - y(value)),
        ),
      );
  }
  page.raw('Q');
}

function putText(
  page: ReportPage,
  shape: Extract<DrawingShape, { kind: 'text' }>,
  fonts: PdfFonts,
  x: number,
  y: number,
): void {
  const font = shape.strong ? fonts.semiBold : fonts.regular;
  const size = shape.size * SCALE;
  const text = font.plain(shape.text);
  const width = font.widthOf(text, size);
  const shift = { start: 0, middle: width / 2, end: width }[shape.anchor];
  page.text({ text, x: x - shift, y, size, font, colour: colourOf(shape.paint, LIGHT) });
}

type To = (value: number) => string;

function pathOf(shape: Exclude<DrawingShape, { kind: 'text' }>, x: To, y: To): string {
  const colour = colourOf(shape.paint, LIGHT);
  if (shape.kind === 'line') {
    const [first, ...rest] = shape.points.map(([left, down]) => `${x(left)} ${y(down)}`);
    const dash = shape.dashed ? `[${short(6 * SCALE)} ${short(4 * SCALE)}] 0 d` : '[] 0 d';
    return `${stroke(colour)} ${short(shape.thickness * SCALE)} w ${dash} ${first} m ${rest.map((point) => `${point} l`).join(' ')} S`;
  }
  const paint = shape.hollow ? `${stroke(colour)} ${short(1.5 * SCALE)} w [] 0 d` : fill(colour);
  const how = shape.hollow ? 'S' : 'f';
  if (shape.kind === 'dot') return `${paint} ${circle(shape.x, shape.y, shape.radius, x, y)} ${how}`;
  const [width, height] = [shape.width, shape.height].map((side) => short(side * SCALE));
  return `${paint} ${x(shape.x)} ${y(shape.y + shape.height)} ${width} ${height} re ${how}`;
}

/** The control point distance at which four Bézier curves approximate a circle. */
const ROUNDNESS = 0.5523;

function circle(cx: number, cy: number, radius: number, x: To, y: To): string {
  const k = radius * ROUNDNESS;
  const curve = (...points: [number, number][]) =>
    `${points.map(([dx, dy]) => `${x(cx + dx)} ${y(cy + dy)}`).join(' ')} c`;
  return [
    `${x(cx + radius)} ${y(cy)} m`,
    curve([radius, k], [k, radius], [0, radius]),
    curve([-k, radius], [-radius, k], [-radius, 0]),
    curve([-radius, -k], [-k, -radius], [0, -radius]),
    curve([k, -radius], [radius, -k], [radius, 0]),
  ].join(' ');
}
