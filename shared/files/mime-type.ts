/** MIME types: their syntax, and the type of each detected kind of file. */

import type { FileKind } from './detect-type.ts';

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** RFC 9110: a type and a subtype, with parameters such as `; charset=utf-8`. */
const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[^"\\\\\\p{Cc}]*"))*$`, 'u');

export const isMimeType = (text: string): boolean => MIME_TYPE.test(text);

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const OPEN = 'application/vnd.oasis.opendocument.';

const TYPES: Partial<Record<FileKind, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  text: 'text/plain',
  rtf: 'application/rtf',
  docx: `${OFFICE}wordprocessingml.document`,
  xlsx: `${OFFICE}spreadsheetml.sheet`,
  pptx: `${OFFICE}presentationml.presentation`,
};

/** Where several types share one kind, the extension decides. */
const TYPES_BY_EXTENSION: Partial<Record<FileKind, Record<string, string>>> = {
  text: {
    csv: 'text/csv',
    htm: 'text/html',
    html: 'text/html',
    json: 'application/json',
    md: 'text/markdown',
    xml: 'application/xml',
  },
  'open document': { odt: `${OPEN}text`, ods: `${OPEN}spreadsheet`, odp: `${OPEN}presentation` },
  'compound file': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
  },
  docx: { docm: 'application/vnd.ms-word.document.macroEnabled.12' },
  xlsx: { xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.12' },
  pptx: { pptm: 'application/vnd.ms-powerpoint.presentation.macroEnabled.12' },
};

/** `undefined`: bytes and name do not determine the type. */
export function mimeTypeOf(kind: FileKind, fileName: string): string | undefined {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return TYPES_BY_EXTENSION[kind]?.[extension] ?? TYPES[kind];
}
