/** Which file a request asks the offline model to save its answer in. */
import { expect, test } from 'vitest';
import { isProse, requestedFileName } from '../../engines/models/offline.ts';
import { expectWithin } from '../expect-time.ts';

const NONE = new Set<string>();

test.each([
  ['Write what a tenant has to know in five sentences. Save it as summary.md.', 'summary.md'],
  ['Save the rent to the file rent.md', 'rent.md'],
  ['Write to the landlord in English. Then export to out.txt', 'out.txt'],
  ['Save it as résumé.md', 'résumé.md'],
  ['Save it as 概要.md', '概要.md'],
  ['Create a file called rent.txt with the rent', 'rent.txt'],
  ['Write a file report.md with all dates', 'report.md'],
  ['Create summary.md with five sentences', 'summary.md'],
  ["Save as 'my notes.md'", 'my notes.md'],
  ['Save it as “my notes.md”.', 'my notes.md'],
  ['Save it as my notes.md', 'my notes.md'],
  ['Write the letter as a list to the Markdown file a-b_c.1.md, please', 'a-b_c.1.md'],
  ['The result should be saved\nand then written into RENT.TXT', 'RENT.TXT'],
  ['Export the dates to dates.csv', 'dates.csv'],
])('%s', (request, name) => {
  expect(requestedFileName(request, NONE)).toBe(name);
});

test.each([
  'Write to the landlord about rent.md.more',
  'Write what is due. The dates stand in lease.txt',
  'What does the landlord save? See notes.md',
  'Save it as summary',
  'Save it as program.exe',
  'Save it as report.txt.exe',
])('saves no file: %s', (request) => {
  expect(requestedFileName(request, NONE)).toBeUndefined();
});

test('does not overwrite an attached file that a request reads, unless it says so', () => {
  const attached = new Set(['lease.txt']);
  expect(requestedFileName('Write what is due in lease.txt', attached)).toBeUndefined();
  expect(requestedFileName('Write what is due in lease.txt and save it as due.md', attached)).toBe('due.md');
  expect(requestedFileName('Save the corrected text as lease.txt', attached)).toBe('lease.txt');
});

test('treats only text and Markdown as prose', () => {
  expect(['a.md', 'a.txt', 'A.MD'].every(isProse)).toBe(true);
  expect(['a.csv', 'a.json', 'a.html', 'a.pdf', 'a.docx'].some(isProse)).toBe(false);
});

test.each([
  'save as ',
  'save file the file ',
  'as a a a a a ',
  `save as "${'x '.repeat(30)}`,
  `as ${'x.'.repeat(40)}`,
  'aaaa ',
  '.md',
  '.',
  '. ',
  ' ',
])('reads a hostile request of "%s" quickly', (piece) => {
  const request = `save ${piece.repeat(100_000 / piece.length)}`;
  const before = process.cpuUsage();
  requestedFileName(request, NONE);
  const { user, system } = process.cpuUsage(before);
  expectWithin((user + system) / 1_000, 500);
});
