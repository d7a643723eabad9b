/** A chart as SVG for light backgrounds, and as PNG for emails, rendered by resvg in WebAssembly with the bundled fonts. */
import { readFile } from 'node:fs/promises';
import { type ChartFiles, type Font, openFont, toShowable } from '../fonts/font.ts';
import { toHtmlText } from '../outputs/neutralize.ts';
import { type Chart, describeChart } from './chart.ts';
import { type DrawOptions, drawChart } from './draw-chart.ts';
import { className, colourOf, type Drawing, type DrawingShape, LIGHT, type Paint } from './drawing.ts';

const FONTS = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export const chartSvg = (chart: Chart, options: DrawOptions): string =>
  svgOf(drawChart(chart, options), describeChart(chart, options.language));

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

/** `missingScripts` are those that are shown only by their names, as the fonts lack them. */
type Picture = { bytes: Uint8Array; missingScripts: string[] };
export type ChartPng = (chart: Chart, options: DrawOptions & { scale: number }) => Promise<Picture>;

const MAX_SCALE = 3;

type Painter = { paint: (svg: string, scale: number) => Uint8Array; font: Font };

/** The painter is shared by the process and loaded with the first chart. */
export const chartPng = (files: ChartFiles): ChartPng => {
  return async (chart, { scale, ...options }) => {
    sharedPainter ??= loadPainter(files).catch(forget);
    const { paint, font } = await sharedPainter;
    const missing = new Set<string>();
    const plain = (text: string) => toShowable(text, font, missing);
    const drawing = drawChart(withTexts(chart, plain), options);
    // Some languages write numbers in digits and words of their own.
    const shapes = drawing.shapes.map((shape) =>
      shape.kind === 'text' ? { ...shape, text: plain(shape.text) } : shape,
    );
    const bytes = paint(svgOf({ ...drawing, shapes }, ''), Math.min(Math.max(scale, 1), MAX_SCALE));
    return { bytes, missingScripts: [...missing] };
  };
};

let sharedPainter: Promise<Painter> | undefined;

/** Resets the cache after an error, so that the next chart loads the painter again. */
function forget(error: unknown): never {
  sharedPainter = undefined;
  throw error;
}

async function loadPainter(files: ChartFiles): Promise<Painter> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const [program, ...fonts] = await Promise.all(
    [files.painter, files.regular, files.semiBold].map((file) => readFile(file)),
  );
  // `initWasm` may be called only once, so it comes after all files were read.
  await initWasm(program ?? new Uint8Array());
  const [regular] = fonts;
  const font = openFont(regular ?? new Uint8Array());
  const settings = { fontBuffers: fonts, defaultFontFamily: 'Inter', sansSerifFamily: 'Inter', loadSystemFonts: false };
  return {
    font,
    paint: (svg, scale) => {
      const picture = new Resvg(svg, { font: settings, fitTo: { mode: 'zoom', value: scale } });
      try {
        const image = picture.render();
        try {
          return image.asPng();
        } finally {
          image.free();
        }
      } finally {
        picture.free();
      }
    },
  };
}

const withTexts = (chart: Chart, plain: (text: string) => string): Chart => ({
  ...chart,
  title: plain(chart.title),
  ...(chart.unit ? { unit: plain(chart.unit) } : {}),
  ...(chart.source ? { source: plain(chart.source) } : {}),
  x: { labels: chart.x.labels.map(plain) },
  series: chart.series.map(({ name, values }) => ({ name: plain(name), values })),
});
