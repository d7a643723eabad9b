/** Puts the fonts, with their licence, and the painter of charts beside the handler that draws. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesFromSource } from '../../engines/fonts/files-from-source.ts';
import { type ChartFiles, filesBeside } from '../../engines/fonts/font-files.ts';

export const FONT_LICENCE = 'fonts-license.txt';

export function bundleFonts(into: string): void {
  const from = filesFromSource();
  const to = filesBeside(into);
  for (const name of Object.keys(to) as (keyof ChartFiles)[]) copyFileSync(from[name], to[name]);
  copyFileSync(join(import.meta.dirname, '../../assets/fonts/LICENSE.txt'), join(into, FONT_LICENCE));
}
