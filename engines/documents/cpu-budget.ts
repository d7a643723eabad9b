/** The CPU time that one reading may use. */
import type { DocumentLimits, OcrProgress } from './document.ts';

/**
 * Decides if one reading has exceeded its CPU time. OCR is counted separately, as its time depends on the number of
 * pages.
 */
export type CpuBudget = {
  record(progress: OcrProgress): void;
  /** Both arguments are CPU times of the thread: now, and when the reading began. */
  isExceeded(cpuMs: number, startedAtCpuMs: number): boolean;
};

export function cpuBudget({ cpuMs: mostMs, ocrPageCpuMs }: Pick<DocumentLimits, 'cpuMs' | 'ocrPageCpuMs'>): CpuBudget {
  let recognized = 0;
  let ocrMs = 0;
  let ocrStartedAt: number | undefined;
  return {
    record({ ocr, cpuMs }) {
      if (ocr === 'begins') {
        recognized++;
        ocrStartedAt = cpuMs;
      } else if (ocrStartedAt !== undefined) {
        ocrMs += cpuMs - ocrStartedAt;
        ocrStartedAt = undefined;
      }
    },
    isExceeded(cpuMs, startedAtCpuMs) {
      const used = cpuMs - startedAtCpuMs;
      const usedByOcr = ocrMs + (ocrStartedAt === undefined ? 0 : cpuMs - ocrStartedAt);
      // Time reserved for OCR cannot be used for anything else, but OCR may use the remaining general time.
      return used - usedByOcr > mostMs || used > mostMs + recognized * ocrPageCpuMs;
    },
  };
}
