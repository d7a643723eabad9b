/** Leaves out of a bundle what esbuild cannot know to be unused on Lambda. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

/** Only the version is read, by our own health route. */
function manifest(text: string): string {
  const { version } = JSON.parse(text) as { version: string };
  return JSON.stringify({ version });
}

/** The models' library checks with it, and what it finds wrong is read by nobody but us. */
const languages = () => `export { default as en } from './en.js';`;

const changes: [file: RegExp, changed: (text: string) => string, loader: Loader][] = [
  [/[\\/]package\.json$/, manifest, 'json'],
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, languages, 'js'],
];

export const trim: Plugin = {
  name: 'trim',
  setup({ onLoad }) {
    for (const [filter, changed, loader] of changes) {
      onLoad({ filter }, ({ path }) => ({
        contents: changed(readFileSync(path, 'utf8')),
        loader,
        resolveDir: dirname(path),
      }));
    }
  },
};
