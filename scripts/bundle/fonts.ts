/** Puts the fonts, with their licence, and the painter of charts beside the handler that draws. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fontFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { bundledFontFiles, type ChartFiles } from '../../engines/fonts/font.ts';

export const FONT_LICENCE = 'fonts-license.txt';

export function bundleFonts(into: string): void {
  const from = fontFilesFromCheckout();
  const to = bundledFontFiles(into);
  for (const name of Object.keys(to) as (keyof ChartFiles)[]) copyFileSync(from[name], to[name]);
  copyFileSync(join(import.meta.dirname, '../../assets/fonts/LICENSE.txt'), join(into, FONT_LICENCE));
}
