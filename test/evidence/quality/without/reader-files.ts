/** The files of reading threads without one part of the reader: an option switches geometry off, another program the rest. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module
import { fileURLToPath } from 'node:url';
import { readerFilesFromCheckout as realFiles } from '../../../../engines/assets/checkout-files.ts';
import { partLeftOut } from './parts.ts';

export * from '../../../../engines/assets/checkout-files.ts';

export function readerFilesFromCheckout() {
  if (partLeftOut() === 'geometry') return { ...realFiles(), geometry: false };
  const program = partLeftOut() === 'labels' ? 'labels-thread.ts' : 'thread.ts';
  return { ...realFiles(), workerFile: fileURLToPath(new URL(program, import.meta.url)) };
}
