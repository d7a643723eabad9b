/** What the reading threads need when the product runs from its sources. A bundle has these files beside it instead. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ASSET_FILES } from './asset-files.ts';
import type { DocumentsOptions } from './documents.ts';

export function fromSource(): Pick<DocumentsOptions, 'workerFile' | 'assets'> {
  const { resolve } = createRequire(import.meta.url);
  return {
    workerFile: fileURLToPath(new URL('worker.ts', import.meta.url)),
    assets: { ocrProgram: resolve(ASSET_FILES.ocrProgram), ocrLanguage: resolve(ASSET_FILES.ocrLanguage) },
  };
}
