/** Builds the console into a folder: `npm run console [-- FOLDER]`, `console/dist` if none is named. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConsole, putConsole } from './console/build.ts';

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../console/dist'));
const files = await buildConsole();
rmSync(folder, { recursive: true, force: true });
putConsole(files, folder);
