/** Which of the old office formats a compound file is. A new format inside one is a new format behind a password. */
import type { DocumentKind } from '../document.ts';
import { unreadable } from '../failure.ts';
import { openCompoundFile } from './open-compound.ts';

const MAIN_STREAMS: readonly [string, DocumentKind][] = [
  ['worddocument', 'doc'],
  ['workbook', 'xls'],
  ['book', 'xls'],
  ['powerpoint document', 'ppt'],
];

export function kindOfCompound(bytes: Buffer): DocumentKind {
  const { names } = openCompoundFile(bytes);
  if (names.includes('encryptedpackage')) throw unreadable('encrypted');
  const found = MAIN_STREAMS.find(([name]) => names.includes(name));
  if (!found) throw unreadable(names.length > 0 ? 'unsupported' : 'corrupt');
  return found[1];
}
