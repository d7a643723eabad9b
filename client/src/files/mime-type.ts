/** The MIME type of a file by its name, for the types that the service reads. */

const OFFICE = 'application/vnd.openxmlformats-officedocument.';

const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: `${OFFICE}wordprocessingml.document`,
  xls: 'application/vnd.ms-excel',
  xlsx: `${OFFICE}spreadsheetml.sheet`,
  ppt: 'application/vnd.ms-powerpoint',
  pptx: `${OFFICE}presentationml.presentation`,
  rtf: 'application/rtf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export const mimeTypeOf = (fileName: string): string =>
  TYPES[fileName.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
