/** Decides whether one reading has used more CPU time than it may: OCR is counted apart, as pages come in different sizes. */
import type { DocumentLimits } from '../limits.ts';
import type { OcrProgress } from './message.ts';

export type CpuBudget = {
  record(progress: OcrProgress): void;
  /** Both are CPU times of the thread: now, and when the reading began. */
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
      // What OCR does not need of its share cannot be spent on anything else; the other way round it can.
      return used - usedByOcr > mostMs || used > mostMs + recognized * ocrPageCpuMs;
    },
  };
}
