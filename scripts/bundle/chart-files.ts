/** Lays what charts and reports load beside the handler that makes them: fonts with their licence, and the painter. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesFromSource } from '../../engines/fonts/files-from-source.ts';
import { type ChartFiles, filesBeside } from '../../engines/fonts/font-files.ts';

const LICENCE = 'fonts-license.txt';

export function bundleChartFiles(folder: string): void {
  const [from, to] = [filesFromSource(), filesBeside(folder)];
  for (const name of Object.keys(to) as (keyof ChartFiles)[]) copyFileSync(from[name], to[name]);
  copyFileSync(join(import.meta.dirname, '../../assets/fonts/LICENSE.txt'), join(folder, LICENCE));
}
