import { expect, it } from 'vitest';
import { importCircles, repeatedTypes } from '../scripts/structure.ts';

it('finds a circle through a third file, by static, type-only and dynamic imports', () => {
  const circle = [
    { file: 'a/first.ts', text: "import { second } from '../b/second.ts';\n" },
    { file: 'b/second.ts', text: "import type {\n  Third,\n} from './third.ts';\n" },
    { file: 'b/third.ts', text: "const load = () => import('../a/first.ts');\n" },
  ];
  const outside = { file: 'a/outside.ts', text: "import './first.ts';\n" };
  expect(importCircles([...circle, outside])).toEqual([['b/second.ts', 'b/third.ts', 'a/first.ts']]);
  expect(importCircles([...circle.slice(0, 2), outside])).toEqual([]);
});

it('finds a type name that two files export, and no name that a file keeps to itself', () => {
  const files = [
    { file: 'a.ts', text: 'export type Size = number;\ntype Local = string;\n' },
    { file: 'b.ts', text: 'export interface Size {}\ntype Local = string;\n' },
  ];
  expect(repeatedTypes(files)).toEqual([['Size', ['a.ts', 'b.ts']]]);
});
