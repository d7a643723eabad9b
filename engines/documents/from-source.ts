/** What the reading threads need when the product runs from its sources. A bundle has these files beside it instead. */
import { fileURLToPath } from 'node:url';
import { ASSET_FILES } from './asset-files.ts';
import type { DocumentsOptions } from './documents.ts';

const packageFile = (file: string): string => fileURLToPath(import.meta.resolve(file));

export function readerFilesFromCheckout(): Pick<DocumentsOptions, 'workerFile' | 'assets'> {
  return {
    workerFile: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    assets: { ocrProgram: packageFile(ASSET_FILES.ocrProgram), ocrLanguage: packageFile(ASSET_FILES.ocrLanguage) },
  };
}
