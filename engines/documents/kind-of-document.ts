/** What a file is, by its bytes; its name only tells CSV from text, and damage from a type nobody reads. */
import { kindOf } from '../../shared/files/kind-of-bytes.ts';
import type { DocumentKind } from './document.ts';
import { unreadable } from './failure.ts';
import { formOfText } from './text/form-of-text.ts';

const HEAD_BYTES = 65_536;
const PDF_WITHIN = 1_024;
const BINARY_NAME = /\.(pdf|docx?|docm|xlsx?|xlsm|pptx?|pptm|od[tsp]|png|jpe?g|gif|webp)$/i;

export async function kindOfDocument(bytes: Buffer, name: string): Promise<DocumentKind> {
  const kind = kindOf(bytes.subarray(0, HEAD_BYTES));
  switch (kind) {
    case 'text':
      return formOfText(bytes, name);
    case 'pdf':
      return 'pdf';
    case 'png':
    case 'jpeg':
    case 'gif':
    case 'webp':
      return 'image';
    case 'compound file':
      return (await import('./compound/kind-of-compound.ts')).kindOfCompound(bytes);
    default:
      return kindOfOther(bytes, name);
  }
}

async function kindOfOther(bytes: Buffer, name: string): Promise<DocumentKind> {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    const found = (await import('./zip/kind-of-zip.ts')).kindOfZip(bytes);
    if (found) return found;
  } else if (bytes.subarray(0, PDF_WITHIN).includes('%PDF-')) return 'pdf';
  throw unreadable(BINARY_NAME.test(name) ? 'corrupt' : 'unsupported');
}
