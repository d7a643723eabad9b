import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sectionsIn, writeSection } from './evidence/bench/benchmarks-document.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

it('writes a section in its place, or behind the others, which stay as they are', () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/benchmarks.md`;
  writeFileSync(file, '# Benchmarks\n\nMade here.\n\n## Files\n\nfast\n\n## Tasks\n\n| a |\n');
  writeSection('Load', 'flat', file);
  writeSection('Files', 'faster', file);
  const text = readFileSync(file, 'utf8');
  folder.remove();
  expect(text).toBe('# Benchmarks\n\nMade here.\n\n## Files\n\nfaster\n\n## Tasks\n\n| a |\n\n## Load\n\nflat\n');
  expect([...sectionsIn(text)]).toEqual([
    ['Files', 'faster'],
    ['Tasks', '| a |'],
    ['Load', 'flat'],
  ]);
});
