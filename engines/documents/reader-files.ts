/** The files that the reading threads load: their programs, and those of OCR and SQLite. */
import { basename, join } from 'node:path';
import type { OcrAssets } from './document.ts';
import type { DocumentsOptions } from './documents.ts';

/** The paths of the OCR files in their npm packages. */
export const ASSET_FILES: OcrAssets = {
  ocrProgram: 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  ocrLanguage: '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  sqlite: 'sql.js/dist/sql-wasm.wasm',
};

const WORKER_BUNDLE = 'documents-worker.js';
const RULES_BUNDLE = 'text-rules.js';

/** The files that the threads load. */
export type ReaderFiles = Pick<DocumentsOptions, 'workerFile' | 'rulesFile' | 'assets'>;

/** The files of bundled reading threads, all in the folder of the handler that uses them. */
export const bundledReaderFiles = (folder: string): ReaderFiles => ({
  workerFile: join(folder, WORKER_BUNDLE),
  rulesFile: join(folder, RULES_BUNDLE),
  assets: {
    ocrProgram: join(folder, basename(ASSET_FILES.ocrProgram)),
    ocrLanguage: join(folder, basename(ASSET_FILES.ocrLanguage)),
    sqlite: join(folder, basename(ASSET_FILES.sqlite)),
  },
});
