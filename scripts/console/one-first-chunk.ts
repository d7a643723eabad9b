/**
 * What the first page needs comes in one piece. Splitting makes a piece for each set of pages that share a module; here every
 * page leans on the whole frame, which is there before it anyway, so all of the frame has one and the same set.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

export const oneFirstChunk: Plugin = {
  name: 'one first chunk',
  setup(building) {
    building.onLoad({ filter: /[\\/]console[\\/]pages[\\/][\w-]+\.tsx$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nexport { App as frame } from '../app.tsx';`,
      loader: 'tsx',
    }));
  },
};
