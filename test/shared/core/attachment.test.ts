import { expect, it } from 'vitest';
import { attachmentHeader, attachmentType } from '../../../shared/core/attachment.ts';

it.each([
  ['report.pdf', 'attachment; filename="report.pdf"'],
  ['two words; a=b.txt', 'attachment; filename="two words; a=b.txt"'],
  ['a"b\\c.txt', 'attachment; filename="a\\"b\\\\c.txt"'],
  ['50%41.txt', `attachment; filename="50%41.txt"; filename*=UTF-8''50%2541.txt`],
  ['naïve.txt', `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`],
  ["é'(1)*.txt", `attachment; filename="_'(1)*.txt"; filename*=UTF-8''%C3%A9%27%281%29%2A.txt`],
  ['🎉.txt', `attachment; filename="_.txt"; filename*=UTF-8''%F0%9F%8E%89.txt`],
])('names %s', (fileName, header) => {
  expect(attachmentHeader(fileName)).toBe(header);
});

it.each(['a\r\nset-cookie: x=1', 'a\u0000b', 'a\u0085b', 'a\ud800b', '"; filename*=UTF-8\'\'evil.exe; x="'])(
  'does not let a name break out of its header: %j',
  (fileName) => {
    const header = attachmentHeader(fileName);
    expect(header).toMatch(
      /^attachment; filename="(?:[^"\\\r\n]|\\["\\])*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?$/,
    );
    expect(header).not.toMatch(/%(?:[01]|7F|C2%[89])/i);
    expect(() => new Headers({ 'content-disposition': header })).not.toThrow();
  },
);

it.each(['text/plain', 'text/plain; charset=utf-8', 'image/svg+xml;a="b c"', 'application/vnd.ms-excel'])(
  'keeps the type %s',
  (type) => {
    expect(attachmentType(type)).toBe(type);
  },
);

it.each([
  '',
  'text',
  'text/',
  '/plain',
  'text/plain\r\nx: y',
  'text/pl\u00e4in',
  'text/plain;\nx',
  'text/plain, text/html',
])('treats %j as plain bytes', (type) => {
  expect(attachmentType(type)).toBe('application/octet-stream');
});
