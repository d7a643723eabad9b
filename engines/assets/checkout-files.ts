/** Paths of the thread program, OCR data, fonts and samples when the product runs from its checkout; a bundle has them in its own folder. */
import { fileURLToPath } from 'node:url';
import { ASSET_FILES, type ReaderFiles } from '../documents/reader-files.ts';
import { type ChartFiles, FONTS, PAINTER } from '../fonts/font.ts';

/** What the reading threads need when the product runs from its sources. A bundle has these files beside it instead. */
const packageFile = (file: string): string => fileURLToPath(import.meta.resolve(file));

export function readerFilesFromCheckout(): ReaderFiles {
  return {
    workerFile: fileURLToPath(new URL('../documents/worker.ts', import.meta.url)),
    rulesFile: fileURLToPath(new URL('../../agents/text-rules.ts', import.meta.url)),
    assets: {
      ocrProgram: packageFile(ASSET_FILES.ocrProgram),
      ocrLanguage: packageFile(ASSET_FILES.ocrLanguage),
      sqlite: packageFile(ASSET_FILES.sqlite),
    },
  };
}

/** Where fonts and painter lie when the product runs from its sources. A bundle has them beside it instead. */
const checkoutFile = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

export const fontFilesFromCheckout = (): ChartFiles => ({
  regular: checkoutFile(FONTS.regular),
  semiBold: checkoutFile(FONTS.semiBold),
  painter: fileURLToPath(import.meta.resolve(PAINTER)),
});

/** Where the sample corpora lie when the product runs from its sources. */
export const samplesFromCheckout = (): string => fileURLToPath(new URL('../../assets/samples', import.meta.url));
