/** A chart as SVG: for light backgrounds, without scripts, styles or fonts of its own. */
import { toHtmlText } from '../outputs/neutralize.ts';
import { type Chart, describeChart } from './chart.ts';
import { type DrawOptions, drawChart } from './draw-chart.ts';
import { className, colourOf, type Drawing, type DrawingShape, LIGHT, type Paint } from './drawing.ts';

const FONTS = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export function chartSvg(chart: Chart, options: DrawOptions): string {
  return svgOf(drawChart(chart, options), describeChart(chart, options.language));
}

function svgOf({ width, height, shapes }: Drawing, words: string): string {
  const paper = `<rect ${fillOf('paper')} width="${width}" height="${height}"/>`;
  const box = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" aria-label="${toHtmlText(words)}" font-family="${FONTS}">`;
  return `${head}${paper}${shapes.map(elementOf).join('')}</svg>`;
}

function elementOf(shape: DrawingShape): string {
  const { kind, paint } = shape;
  if (kind === 'text') {
    const { x, y, size, anchor, strong, text } = shape;
    const weight = strong ? ' font-weight="600"' : '';
    return `<text ${fillOf(paint)} x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}"${weight}>${toHtmlText(text)}</text>`;
  }
  if (kind === 'line') {
    const { points, thickness, dashed } = shape;
    const dashes = dashed ? ' stroke-dasharray="6 4"' : '';
    const places = points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
    return `<polyline ${strokeOf(paint)} points="${places}" stroke-width="${thickness}" stroke-linejoin="round"${dashes}/>`;
  }
  const look = shape.hollow ? `${strokeOf(paint)} stroke-width="1.5"` : fillOf(paint);
  if (kind === 'dot') return `<circle ${look} cx="${short(shape.x)}" cy="${short(shape.y)}" r="${shape.radius}"/>`;
  const inset = shape.hollow ? 0.75 : 0;
  const [width, height] = [shape.width - 2 * inset, shape.height - 2 * inset].map((side) => short(Math.max(side, 0.1)));
  return `<rect ${look} x="${short(shape.x + inset)}" y="${short(shape.y + inset)}" width="${width}" height="${height}"/>`;
}

const fillOf = (paint: Paint): string => `class="${className(paint)}" fill="${colourOf(paint, LIGHT)}"`;
/** A hollow shape has only an outline, without a fill. */
const strokeOf = (paint: Paint): string =>
  `class="${className(paint)} c-stroke" fill="none" stroke="${colourOf(paint, LIGHT)}"`;

const short = (value: number): string => String(Math.round(value * 10) / 10);
