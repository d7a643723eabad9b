import { expect, it } from 'vitest';
import { parseModule } from '../scripts/structure/module.ts';
import { fewestFiles } from '../scripts/structure.ts';

it('counts a call that is spread among the names of a declaration, and no member', () => {
  const { declarations } = parseModule('a.ts', 'export const whole = { ...part(), size: other.length };\n');
  expect([...(declarations.get('whole') ?? [])]).toEqual(expect.arrayContaining(['part', 'other']));
  expect(declarations.get('whole')).not.toContain('length');
});

it('says how few files could hold the same lines, folder by folder', () => {
  const moduleOf = (file: string, lines: number) => [file, parseModule(file, '\n'.repeat(lines))] as const;
  const modules = new Map([moduleOf('a/one.ts', 300), moduleOf('a/two.ts', 150), moduleOf('b/three.ts', 501)]);
  expect(fewestFiles(modules, [...modules.keys()])).toBe(3);
});
