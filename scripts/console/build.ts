/** Builds the console: one page, one style, one script, and a script for each page that is loaded later. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';

const CONSOLE = join(import.meta.dirname, '../../console');
const OUT = join(CONSOLE, 'dist');

/** By its path below the place it is served at. Names under `assets/` hold a hash of what they are, and never change. */
export type ConsoleFiles = Map<string, Uint8Array>;

export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: CONSOLE,
    entryPoints: { console: 'main.tsx', style: 'styles/console.css', icon: 'styles/icon.svg' },
    outdir: OUT,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['es2022'],
    loader: { '.svg': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    write: false,
  });
  const files: ConsoleFiles = new Map(outputFiles.map(({ path, contents }) => [relative(OUT, path), contents]));
  files.set('index.html', Buffer.from(pageWith(metafile)));
  return files;
}

export function putConsole(files: ConsoleFiles, folder: string): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

function pageWith({ outputs }: Metafile): string {
  const addresses = Object.entries(outputs);
  const made = (entry: string): string => {
    const found = addresses.find(([, { entryPoint }]) => entryPoint === entry);
    if (!found) throw new Error(`esbuild made nothing of ${entry}`);
    return found[0].replace(/^.*?assets\//, 'assets/');
  };
  return readFileSync(join(CONSOLE, 'index.html'), 'utf8')
    .replace('{{icon}}', made('styles/icon.svg'))
    .replace('{{style}}', made('styles/console.css'))
    .replace('{{script}}', made('main.tsx'));
}
