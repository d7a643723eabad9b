/** Where the packages keep the files that readers of pictures load. */
import type { OcrAssets } from './document.ts';

export const ASSET_FILES: OcrAssets = {
  ocrProgram: 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  ocrLanguage: '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
};
