/** A chart as PNG, for emails: rendered by resvg in WebAssembly with the bundled fonts. */
import { readFile } from 'node:fs/promises';
import { type ChartFiles, openFont, toShowable } from '../fonts/font.ts';
import type { Chart } from './chart.ts';
import { chartSvg } from './chart-svg.ts';
import type { DrawOptions } from './draw-chart.ts';

export type ChartPng = (chart: Chart, options: DrawOptions & { scale: number }) => Promise<Uint8Array>;

const MAX_SCALE = 3;

type Painter = { paint: (svg: string, scale: number) => Uint8Array; toShowable: (text: string) => string };

/** The painter is shared by the process and loaded with the first chart. */
export const chartPng = (files: ChartFiles): ChartPng => {
  return async (chart, { scale, ...options }) => {
    sharedPainter ??= loadPainter(files).catch(forget);
    const { paint, toShowable: plain } = await sharedPainter;
    return paint(chartSvg(withTexts(chart, plain), options), Math.min(Math.max(scale, 1), MAX_SCALE));
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
    toShowable: (text) => toShowable(text, font),
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
