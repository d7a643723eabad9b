/** What a file is, by its bytes; its name only tells CSV from text, and damage from a type nobody reads. */
import { detectType } from '../../shared/files/detect-type.ts';
import type { DocumentKind } from './document.ts';
import { unreadable } from './failure.ts';
import { kindOfText } from './text/form-of-text.ts';

const BINARY_NAME = /\.(pdf|docx?|docm|xlsx?|xlsm|pptx?|pptm|od[tsp]|png|jpe?g|gif|webp)$/i;

export async function kindOfDocument(bytes: Buffer, name: string): Promise<DocumentKind> {
  const read = async (from: number, to: number) => bytes.subarray(from, to + 1);
  const kind = await detectType({ size: bytes.length, head: bytes, read });
  switch (kind) {
    case 'text':
      return kindOfText(bytes, name);
    case 'png':
    case 'jpeg':
    case 'gif':
    case 'webp':
      return 'image';
    case 'compound file':
      return (await import('./compound/kind-of-compound.ts')).kindOfCompound(bytes);
    case 'open document':
      return (await import('./opendocument/kind-of-open-document.ts')).kindOfOpenDocument(bytes);
    case 'other':
    case undefined:
      throw unreadable(BINARY_NAME.test(name) ? 'corrupt' : 'unsupported');
    default:
      return kind;
  }
}
