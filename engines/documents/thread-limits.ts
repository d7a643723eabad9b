/** Limits of a document thread: CPU time, with OCR counted separately, and WebAssembly memory. */
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

/** The part of WebAssembly.Memory that is used here. */
type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
export type WebAssemblyMemoryClass = { prototype: WebAssemblyMemory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): WebAssemblyMemoryClass =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: WebAssemblyMemoryClass }).Memory;

/**
 * Limits a thread's WebAssembly memory, for which V8 has no limit; grown memory never shrinks. Returns a function that
 * reports if a program was refused more memory.
 */
export function limitWebAssembly({ prototype }: WebAssemblyMemoryClass, maxBytes: number): () => boolean {
  const { grow } = prototype;
  let isRefused = false;
  prototype.grow = function growWithin(this: WebAssemblyMemory, pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) {
      isRefused = true;
      throw new RangeError('WebAssembly may not grow any more.');
    }
    return grow.call(this, pages);
  };
  return () => isRefused;
}
