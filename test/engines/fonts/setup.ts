/** Parses the fonts of the repository. */
import { readFileSync } from 'node:fs';
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openFont } from '../../../engines/fonts/font.ts';

const files = fontFilesFromCheckout();
export const bytesOf = { regular: readFileSync(files.regular), semiBold: readFileSync(files.semiBold) };
export const fonts = { regular: openFont(bytesOf.regular), semiBold: openFont(bytesOf.semiBold) };
