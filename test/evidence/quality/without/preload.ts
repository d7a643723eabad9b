/** Loaded by the local product before itself, for `npm run quality -- --without PART`. */
import { partLeftOut } from './parts.ts';
import { replaceModules } from './replace.ts';

const REPLACED = {
  geometry: { 'engines/assets/checkout-files.ts': 'reader-files.ts' },
  headers: { 'engines/assets/checkout-files.ts': 'reader-files.ts' },
  labels: { 'engines/assets/checkout-files.ts': 'reader-files.ts' },
} as const;

const part = partLeftOut();
if (part) replaceModules(REPLACED[part]);
