/** Builds the documentation as a static site into a folder: `npm run docs [-- FOLDER]`, `dist/docs` if none is named. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildDocsSite, putDocsSite } from './docs-site/build.ts';

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist/docs'));
const site = buildDocsSite();
rmSync(folder, { recursive: true, force: true });
putDocsSite(site, folder);
