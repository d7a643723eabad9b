import { expect, it } from 'vitest';
import { isMimeType, mimeTypeOf } from '../../../shared/files/mime-type.ts';

it.each([
  'application/pdf',
  'text/plain; charset=utf-8',
  'text/html;charset="utf-8"',
  'image/svg+xml',
  'application/x-7z',
])('accepts %j as a MIME type', (text) => expect(isMimeType(text)).toBe(true));

it.each([
  'not a mime\r\nx: y',
  'text',
  'text/',
  '/plain',
  'text/plain\n',
  'text/plain; x',
  'text/plain, text/html',
  'tëxt/plain',
  'text/html;a="b\r\n"',
])('does not accept %j as a MIME type', (text) => expect(isMimeType(text)).toBe(false));

it('detects the type of office files and pictures, and that of text by its extension', () => {
  expect(mimeTypeOf('png', 'a')).toBe('image/png');
  expect(mimeTypeOf('docx', 'a.docx')).toMatch(/wordprocessingml\.document$/);
  expect(mimeTypeOf('xlsx', 'a.XLSM')).toBe('application/vnd.ms-excel.sheet.macroEnabled.12');
  expect(mimeTypeOf('open document', 'a.ods')).toBe('application/vnd.oasis.opendocument.spreadsheet');
  expect(mimeTypeOf('compound file', 'a.xls')).toBe('application/vnd.ms-excel');
  expect(mimeTypeOf('compound file', 'a')).toBeUndefined();
  expect(mimeTypeOf('text', 'a.csv')).toBe('text/csv');
  expect(mimeTypeOf('text', 'a.txt')).toBe('text/plain');
  expect(mimeTypeOf('text', 'notes')).toBe('text/plain');
});
