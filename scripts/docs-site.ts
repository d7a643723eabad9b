/** Builds the documentation as a static site into a folder: `npm run docs [-- FOLDER]`, `dist/docs` if none is named. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { buildDocsSite, putDocsSite } from './docs-site/build.ts';

const {
  positionals: [into = join(import.meta.dirname, '../dist/docs')],
} = readArguments({ command: 'npm run docs', positionals: { usage: '[FOLDER]', count: [0, 1] } });
const folder = resolve(into);
const site = buildDocsSite();
rmSync(folder, { recursive: true, force: true });
putDocsSite(site, folder);
