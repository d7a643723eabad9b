/** Where the fonts and the painter of pictures lie, to be loaded when they are first needed. */
import { basename, join } from 'node:path';

export type FontFiles = { regular: string; semiBold: string };
export type ChartFiles = FontFiles & { painter: string };

/** Those of the repository, and that of a package. */
export const FONTS: FontFiles = {
  regular: 'assets/fonts/inter-regular.ttf',
  semiBold: 'assets/fonts/inter-semibold.ttf',
};
export const PAINTER = '@resvg/resvg-wasm/index_bg.wasm';

/** A bundle has them in its folder. */
export const bundledFontFiles = (folder: string): ChartFiles => ({
  regular: join(folder, basename(FONTS.regular)),
  semiBold: join(folder, basename(FONTS.semiBold)),
  painter: join(folder, 'chart-painter.wasm'),
});
