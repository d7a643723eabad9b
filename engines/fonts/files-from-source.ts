/** Where fonts and painter lie when the product runs from its sources. A bundle has them beside it instead. */
import { fileURLToPath } from 'node:url';
import { type ChartFiles, FONTS, PAINTER } from './font-files.ts';

const checkoutFile = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

export const fontFilesFromCheckout = (): ChartFiles => ({
  regular: checkoutFile(FONTS.regular),
  semiBold: checkoutFile(FONTS.semiBold),
  painter: fileURLToPath(import.meta.resolve(PAINTER)),
});
