import { expect, it } from 'vitest';
import { parseModule } from '../scripts/structure/module.ts';

it('counts a call that is spread among the names of a declaration, and no member', () => {
  const { declarations } = parseModule('a.ts', 'export const whole = { ...part(), size: other.length };\n');
  expect([...(declarations.get('whole') ?? [])]).toEqual(expect.arrayContaining(['part', 'other']));
  expect(declarations.get('whole')).not.toContain('length');
});
