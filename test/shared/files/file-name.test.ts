/** Hostile file names: no key leaves its prefix, and none collide. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanFileName } from '../../../shared/files/file-name.ts';
import { requestUpload } from '../../../shared/files/upload.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { processorMs } from '../../support/machine-speed.ts';
import { openFiles } from './setup.ts';

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '..',
        '/',
        '\\',
        '.',
        ' ',
        '\0',
        '\u202e',
        '%2e',
        '%2f',
        'a',
        'é',
        'e\u0301',
        '💥',
        ':',
        '\n',
        '-',
      ),
      { maxLength: 120 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    '',
    '.',
    '..',
    '...',
    '/',
    '\\',
    'CON',
    'a'.repeat(5_000),
    `${'💥'.repeat(300)}.pdf`,
    `a.${'b'.repeat(300)}`,
  ),
);

it('makes 10,000 hostile names harmless', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      const clean = cleanFileName(name);
      expect(Buffer.byteLength(clean)).toBeGreaterThan(0);
      expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(200);
      expect(clean).not.toMatch(/[/\\\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff]/u);
      expect(clean).not.toMatch(/^\.|^\s|\s$/);
      expect(clean.normalize('NFC')).toBe(clean);
      expect(cleanFileName(clean)).toBe(clean);
    }),
    { numRuns: 10_000 },
  );
});

it.each([
  ['Jahresbericht 2026.pdf', 'Jahresbericht 2026.pdf'],
  ['Résumé – été.docx', 'Résumé – été.docx'],
  ['報告書.xlsx', '報告書.xlsx'],
  ['e\u0301.txt', 'é.txt'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['.htaccess', 'htaccess'],
  ['a\u0000b.txt', 'a_b.txt'],
  ['\u202Etxt.exe', '_txt.exe'],
  ['می\u200cخواهم.txt', 'می\u200cخواهم.txt'],
  [`a${'\u0301'.repeat(300)}.pdf`, 'file.pdf'],
  ['', 'file'],
  ['..', 'file'],
])('turns %j into %j', (name, clean) => {
  expect(cleanFileName(name)).toBe(clean);
});

it('cuts a long name between characters and keeps its extension', () => {
  const clean = cleanFileName(`${'👩‍👩‍👧'.repeat(50)}é.pdf`);
  expect(clean).toMatch(/\.pdf$/);
  expect(clean).not.toContain('\ufffd');
});

it('gives hostile names unique keys inside the folder of the organization', async () => {
  const names = fc.sample(hostile, 1_000).filter((name) => name !== '');
  const paths: string[] = [];
  for (const fileName of names) {
    const offer = await requestUpload(at, { organization: 'org', fileId: at.ids.uuid(), fileName }).catch((error) => {
      expect(error.message).toMatch(/^Unsupported file type: \.\w+$/);
    });
    if (offer) paths.push(offer.storagePath);
  }
  expect(paths.length).toBeGreaterThan(500);
  expect(new Set(paths).size).toBe(paths.length);
  for (const path of paths) expect(path).toMatch(/^[^/]+\/org\/\d{13}-[^/]+$/);
});

it('reads only the necessary part of a huge name', () => {
  const name = `a${' '.repeat(900_000)}b.pdf`;
  expectWithin(
    processorMs(() => expect(cleanFileName(name)).toMatch(/^a.*\.pdf$/)),
    500,
  );
});
