/** Which kind of document a file of text is: its bytes say HTML, only its name can say CSV, which programs also export as .xls. */
import type { DocumentKind } from '../document.ts';

const HTML = /^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;
const MARKUP = /^\s*</;
const HEAD_LENGTH = 1_024;

export function kindOfText(bytes: Uint8Array, name: string): DocumentKind {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_LENGTH)).replace(/^ï»¿/, '');
  const wide = /^(ÿþ|þÿ)/.test(head) ? head.replaceAll('\0', '').slice(2) : head;
  if (HTML.test(wide) || /\.x?html?$/i.test(name)) return 'html';
  if (/\.xls$/i.test(name) && !MARKUP.test(wide)) return 'csv';
  return /\.(csv|tsv|tab)$/i.test(name) ? 'csv' : 'text';
}
