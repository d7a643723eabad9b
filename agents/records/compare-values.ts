/** Compares values of fields as people write them. */

import type { SchemaLeaf } from '../../shared/tasks/output-schema.ts';
import { LEGAL_FORMS } from './legal-forms.ts';

export type Scalar = string | number | boolean;

/** Strings without a format or values are taken as they stand. */
export const isFreeText = ({ kind, format, values }: SchemaLeaf): boolean => kind === 'string' && !format && !values;

/** Letters and figures in lower case, with one space between words. */
export const normalizedText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** `DESIGNATION` is `désignation`. */
export const withoutDiacritics = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

/** What a name is compared by: without its legal form, whatever its case and signs. */
export const nameKey = (name: string): string => normalizedText(withoutSuffix(name));

/** Whether two values of a leaf mean the same, such as a name with and without its legal form. */
export const isSameValue = (leaf: SchemaLeaf, a: Scalar, b: Scalar): boolean =>
  isFreeText(leaf) ? nameKey(String(a)) === nameKey(String(b)) || isSameCode(String(a), String(b)) : a === b;

const SUFFIX = new RegExp(`(?:,? (?:${LEGAL_FORMS}|Inc|Ltd|Co|Corp|LLC|GmbH|S A|B V|N V)\\.?)+$`, 'iu');
const withoutSuffix = (name: string): string => name.replace(SUFFIX, '');

const LONG_CODE = 8;

/** `DE89 3704 0044` and `DE8937040044`: of a short one, such as `1 23`, spaces may be what tells it from another. */
function isSameCode(a: string, b: string): boolean {
  if (!/\s/.test(a) && !/\s/.test(b)) return false;
  const [compactA = '', compactB = ''] = [a, b].map((text) =>
    text.normalize('NFKC').replaceAll(/\s+/g, '').toLowerCase(),
  );
  return compactA === compactB && compactA.length >= LONG_CODE && /\d/.test(compactA);
}
