/** What the reading threads need when they are bundled: all in one folder, beside the handler that uses them. */
import { basename, join } from 'node:path';
import { ASSET_FILES } from './asset-files.ts';
import type { DocumentsOptions } from './documents.ts';

const WORKER_BUNDLE = 'documents-worker.js';

export const bundledReaderFiles = (folder: string): Pick<DocumentsOptions, 'workerFile' | 'assets'> => ({
  workerFile: join(folder, WORKER_BUNDLE),
  assets: {
    ocrProgram: join(folder, basename(ASSET_FILES.ocrProgram)),
    ocrLanguage: join(folder, basename(ASSET_FILES.ocrLanguage)),
  },
});
