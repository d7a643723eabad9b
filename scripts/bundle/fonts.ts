/** Puts the fonts and the painter of charts beside the handler that draws. */
import { copyFileSync } from 'node:fs';
import { filesFromSource } from '../../engines/fonts/files-from-source.ts';
import { type ChartFiles, filesBeside } from '../../engines/fonts/font-files.ts';

export function bundleFonts(into: string): void {
  const from = filesFromSource();
  const to = filesBeside(into);
  for (const name of Object.keys(to) as (keyof ChartFiles)[]) copyFileSync(from[name], to[name]);
}
