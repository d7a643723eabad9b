/** Builds the console into a folder: `npm run console [-- FOLDER]`, `console/dist` if none is named. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildConsole } from './console/build.ts';

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../console/dist'));
const files = await buildConsole();
rmSync(folder, { recursive: true, force: true });
for (const [path, bytes] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}
