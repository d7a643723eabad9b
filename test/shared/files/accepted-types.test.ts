/** Accepted files, by name and content. */

import { closeSync, openSync, readSync } from 'node:fs';
import { execPath } from 'node:process';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { checkBytes, checkFileName, checkHead } from '../../../shared/files/accepted-files.ts';
import { HEAD_BYTES } from '../../../shared/files/detect-type.ts';
import { zipOf } from '../../engines/documents/file-builders.ts';
import { locked, sample } from '../../engines/documents/samples.ts';
import { openFiles } from './setup.ts';

const binary = (text: string) => Buffer.from(text, 'latin1');
const zip = (...names: string[]) => zipOf(names.map((name) => ({ name, body: 'x' })));
/** A stored file, of which the check has read the head. */
const check = (bytes: Buffer, name: string) => {
  const read = async (_: string, { from, to }: { from: number; to?: number } = { from: 0 }) =>
    (async function* () {
      yield bytes.subarray(from, to === undefined ? undefined : to + 1);
    })();
  return checkBytes({ read }, { at: 'a', size: bytes.length, head: bytes.subarray(0, HEAD_BYTES) }, name);
};
const at = (offset: number, text: string) =>
  Buffer.concat([Buffer.alloc(offset, 'a'), binary(text), Buffer.alloc(100, 'a')]);

/** The head of a real program: the one that runs this test. */
function program(): Buffer {
  const head = Buffer.alloc(65_536);
  const file = openSync(execPath, 'r');
  readSync(file, head);
  closeSync(file);
  return head;
}

const PDF = binary('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00\x01');
const CFB = binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00');

it.each([
  'exe',
  'EXE',
  'dll',
  'so',
  'dmg',
  'iso',
  'img',
  'zip',
  'tar',
  'gz',
  '7z',
  'rar',
  'jar',
  'mp3',
  'wav',
  'mp4',
  'mov',
  'mkv',
  'apk',
])('refuses a name that ends in .%s', (extension) => {
  expect(() => checkFileName(`a.b.${extension}`)).toThrow(`Unsupported file type: .${extension.toLowerCase()}`);
});

it.each([
  'a.pdf',
  'a.DOCX',
  'a.py',
  'a.ts',
  'README',
  'a.unknown',
  'exe',
  'zip',
  'a.exe.txt',
  'a.sql',
  'a.yaml',
  'a.sh',
])('accepts the name %s', (name) => {
  expect(() => checkFileName(name)).not.toThrow();
});

it.each([
  ['a.pdf', PDF],
  ['a', PDF],
  ['a.png', binary('\x89PNG\r\n\x1a\n\x00\x00')],
  ['a.jpg', binary('\xff\xd8\xff\xe0\x00\x10JFIF')],
  ['a.jpeg', binary('\xff\xd8\xff\xdb')],
  ['a.gif', binary('GIF89a\x01\x00')],
  ['a.webp', binary('RIFF\x00\x00\x00\x00WEBPVP8 ')],
  ['a.docx', zip('[Content_Types].xml', 'word/document.xml')],
  ['a.xlsx', zip('xl/workbook.xml', '[Content_Types].xml')],
  ['a.pptx', zip('_rels/.rels', 'ppt/presentation.xml')],
  ['a.odt', zip('mimetype', 'content.xml')],
  ['a.doc', CFB],
  ['a.xls', CFB],
  ['a.ppt', CFB],
  ['a.rtf', binary('{\\rtf1\\ansi')],
  ['a.doc', binary('{\\rtf1\\ansi')],
  ['a.doc', binary('<html><body>a letter</body></html>')],
  ['a.xls', binary('<html><table><tr><td>1</td></tr></table></html>')],
  ['a.xls', binary('a\tb\r\n1\t2\r\n')],
  ['a.csv', binary('a;b\r\n1;2\r\n')],
  ['a.json', Buffer.from('{"a":"é💥"}')],
  ['a.txt', Buffer.from('Привет, мир')],
  ['a.txt', binary('\xcf\xf0\xe8\xe2\xe5\xf2')], // the same in an 8-bit code page
  ['a.txt', Buffer.concat([binary('\xff\xfe'), Buffer.from('wide text', 'utf16le')])],
  ['a.txt', Buffer.from('漢字'.repeat(20_000)).subarray(0, 65_536)], // cut in the middle of a character
  ['a.unknown', Buffer.from('key = value\n')],
  ['a.sh', Buffer.from('#!/bin/sh\necho hello\n')],
  ['a.log', Buffer.from('\u001b[31mred\u001b[0m\n')],
  ['Makefile', Buffer.from('all:\n\tcc a.c\n\f')],
])('accepts %s', async (name, bytes) => {
  expect(() => checkHead(bytes.subarray(0, HEAD_BYTES), name)).not.toThrow();
  expect(await check(bytes, name)).toBeDefined();
});

it.each([
  ['a.txt', program()],
  ['a', program()],
  ['a.pdf', program()],
  ['a.txt', binary('MZ\x90\x00\x03\x00')],
  ['a.txt', binary('\xca\xfe\xba\xbe\x00\x00\x00\x34')],
  ['a.txt', binary('\x00asm\x01\x00\x00\x00')],
  ['a.txt', gzipSync('some text that was packed')],
  ['a.txt', binary('BZh91AY&SY\x00\x01')],
  ['a.txt', binary('7z\xbc\xaf\x27\x1c\x00\x04')],
  ['a.txt', binary('Rar!\x1a\x07\x01\x00')],
  ['a.txt', zip('payload.bin')],
  ['a.docx', zip('payload.bin')],
  ['a.docx', zip('[Content_Types].xml')],
  ['a.docx', zip('[Content_Types].xml', 'word/document.xml').subarray(0, -30)],
  ['a.txt', zip('[Content_Types].xml', 'word/document.xml')],
  ['a.txt', at(257, 'ustar')],
  ['a.txt', binary('!<arch>\ndebian-binary')],
  ['a.txt', at(32_769, 'CD001')],
  ['a.txt', binary('ID3\x03\x00\x00')],
  ['a.txt', binary('OggS\x00\x02')],
  ['a.txt', binary('RIFF\x00\x00\x00\x00WAVEfmt ')],
  ['a.txt', binary('\x00\x00\x00\x18ftypmp42')],
  ['a.txt', binary('\x1a\x45\xdf\xa3\x01\x00')],
  ['a.txt', PDF],
  ['a.png', PDF],
  ['a.pdf', Buffer.from('only text')],
  ['a.docx', CFB],
  ['a.docx', sample('employment-contract.libreoffice.doc').bytes().subarray(0, HEAD_BYTES)],
  ['a.odt', Buffer.concat([CFB, Buffer.from('EncryptedPackage', 'utf16le')])],
  ['a.ppt', binary('only text')],
  ['a.unknown', binary('\x00\x01\x02')],
])('refuses %s when its bytes are something else', async (name, bytes) => {
  await expect(check(bytes, name)).rejects.toThrow('Unsupported file type');
});

it.each(locked)('accepts the password-protected file $file', async ({ file, bytes }) => {
  expect(await check(bytes(), file)).toBeDefined();
});

it('accepts an encrypted file whose directory is far from its start, and no other compound file with its name', async () => {
  const at = openFiles();
  let head: Uint8Array = Buffer.alloc(0);
  const putEntry = async (key: string, entry: string) => {
    const bytes = Buffer.alloc(300_000);
    CFB.copy(bytes);
    bytes.writeUInt16LE(9, 30);
    bytes.writeUInt32LE(400, 48);
    bytes.write(entry, 401 * 512, 'utf16le');
    head = bytes.subarray(0, HEAD_BYTES);
    const whole = (async function* () {
      yield bytes;
    })();
    await at.blobs.put(key, whole, { maxBytes: bytes.length });
  };
  await putEntry('a/locked', 'EncryptedPackage');
  await putEntry('a/other', 'WordDocument');
  const checkAt = (place: string) => checkBytes(at.blobs, { at: place, size: 300_000, head }, 'a.docx');
  expect(await checkAt('a/locked')).toBe('compound file');
  await expect(checkAt('a/other')).rejects.toThrow('Unsupported file type');
  expect(await checkAt('a/gone')).toBe('gone');
  at.close();
});
