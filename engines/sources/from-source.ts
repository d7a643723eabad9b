/** Where the sample corpora lie when the product runs from its sources. */
import { fileURLToPath } from 'node:url';

export const samplesFromCheckout = (): string => fileURLToPath(new URL('../../assets/samples', import.meta.url));
