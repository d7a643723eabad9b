/** Bundles the threads that read documents: their programs and the files they load, to lie beside the handler that uses them. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import type { OcrAssets } from '../../engines/documents/document.ts';
import { ASSET_FILES, bundledReaderFiles } from '../../engines/documents/reader-files.ts';
import { lambdaOptions } from './options.ts';
import { trim } from './trim.ts';

const root = join(import.meta.dirname, '..', '..');

/** Answers the files that are in the bundle, and those that lie beside it. */
export async function bundleDocumentsWorker(folder: string): Promise<string[]> {
  const { workerFile, assets } = bundledReaderFiles(folder);
  const { outputFiles, metafile } = await build({
    ...lambdaOptions,
    plugins: [trim],
    // pdf.js imports it only for drawing, which the reader never does.
    define: { 'import.meta.url': '"file:///"' },
    entryPoints: [join('engines', 'documents', 'worker.ts')],
    absWorkingDir: root,
    metafile: true,
    write: false,
  });
  const [program] = outputFiles;
  if (!program) throw new Error('esbuild made no program for the threads that read documents.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(workerFile, program.contents);
  const { resolve } = createRequire(import.meta.url);
  const beside = (Object.keys(assets) as (keyof OcrAssets)[]).map((name) => {
    const file = resolve(ASSET_FILES[name]);
    copyFileSync(file, assets[name]);
    return relative(root, file);
  });
  return [...Object.keys(metafile.inputs), ...beside];
}

/** The rules are a program of their own: the threads load it with the first text that is searched. */
export async function bundleTextRules(folder: string): Promise<string[]> {
  const { rulesFile } = bundledReaderFiles(folder);
  const { outputFiles, metafile } = await build({
    ...lambdaOptions,
    entryPoints: [join('agents', 'text-rules.ts')],
    absWorkingDir: root,
    metafile: true,
    write: false,
  });
  const [program] = outputFiles;
  if (!program) throw new Error('esbuild made no program of the text rules.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(rulesFile, program.contents);
  return Object.keys(metafile.inputs);
}
