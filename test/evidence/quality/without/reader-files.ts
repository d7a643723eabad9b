/** The files of reading threads without one part of the reader: an option switches geometry off, another program the rest. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module
import { fileURLToPath } from 'node:url';
import * as real from '../../../../engines/assets/checkout-files.ts';
import { partLeftOut } from './parts.ts';

export * from '../../../../engines/assets/checkout-files.ts';

export const readerFilesFromCheckout: typeof real.readerFilesFromCheckout = () => {
  if (partLeftOut() === 'geometry') return { ...real.readerFilesFromCheckout(), geometry: false };
  const program = partLeftOut() === 'labels' ? 'labels-thread.ts' : 'thread.ts';
  return { ...real.readerFilesFromCheckout(), workerFile: fileURLToPath(new URL(program, import.meta.url)) };
};
