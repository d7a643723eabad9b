/** Builds the console: one page, one style, one script, and a script for each page that is loaded later. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { oneFirstChunk } from './one-first-chunk.ts';

const CONSOLE = join(import.meta.dirname, '../../console');
const OUT = join(CONSOLE, 'dist');

/** By the path below the console's URL. Names under `assets/` contain a hash of the content, so they can be cached forever. */
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
    plugins: [oneFirstChunk],
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
  const outputOf = (entry: string): string => {
    const output = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
    if (!output) throw new Error(`esbuild made nothing of ${entry}`);
    return output;
  };
  const script = outputOf('main.tsx');
  // Preloads what the script imports, so that the browser does not request it only after the script.
  const ahead = (outputs[script]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  return readFileSync(join(CONSOLE, 'index.html'), 'utf8')
    .replace('{{icon}}', addressOf(outputOf('styles/icon.svg')))
    .replace('{{style}}', addressOf(outputOf('styles/console.css')))
    .replace('{{ahead}}', ahead.map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}">`).join('\n'))
    .replace('{{script}}', addressOf(script));
}

const addressOf = (path: string): string => path.replace(/^.*?assets\//, 'assets/');
