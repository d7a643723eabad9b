import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { findProgram } from './programs.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const program = {
  what: 'Lens',
  namedBy: 'LENS_PATH',
  names: ['lens', 'looking-glass'],
  places: [],
  packages: [],
  remedy: 'grind one',
};
const glass = join(folder.path, 'looking-glass');
writeFileSync(glass, '');

it('finds a program by any of its names where programs are looked for, if it may be run', () => {
  chmodSync(glass, 0o644);
  expect(findProgram(program, { PATH: `/nowhere:${folder.path}` })).toBeUndefined();
  chmodSync(glass, 0o755);
  expect(findProgram(program, { PATH: `/nowhere:${folder.path}` })).toBe(glass);
  expect(findProgram(program, { PATH: '' })).toBeUndefined();
});

it('takes the one that is named before any other, and says what to do about one that is none', () => {
  expect(findProgram(program, { PATH: '/nowhere', LENS_PATH: glass })).toBe(glass);
  expect(() => findProgram(program, { PATH: folder.path, LENS_PATH: '/no/lens' })).toThrow(
    'LENS_PATH names /no/lens, which cannot be run: grind one.',
  );
});
