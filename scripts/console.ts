/** Builds the console into a folder: `npm run console [-- FOLDER]`, `console/dist` if none is named. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { buildConsole, putConsole } from './console/build.ts';

const {
  positionals: [into = join(import.meta.dirname, '../console/dist')],
} = readArguments({ command: 'npm run console', positionals: { usage: '[FOLDER]', count: [0, 1] } });
const folder = resolve(into);
const files = await buildConsole();
rmSync(folder, { recursive: true, force: true });
putConsole(files, folder);
