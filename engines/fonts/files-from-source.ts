/** Where fonts and painter lie when the product runs from its sources. A bundle has them beside it instead. */
import { fileURLToPath } from 'node:url';
import { type ChartFiles, FONTS, PAINTER } from './font-files.ts';

const placeOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

export const filesFromSource = (): ChartFiles => ({
  regular: placeOf(FONTS.regular),
  semiBold: placeOf(FONTS.semiBold),
  painter: fileURLToPath(import.meta.resolve(PAINTER)),
});
