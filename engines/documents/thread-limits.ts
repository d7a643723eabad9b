/** Limits of a document thread: CPU time, with OCR counted separately, and WebAssembly memory. */
import type { DocumentLimits, OcrProgress } from './document.ts';

/** Decides whether one reading has used more CPU time than it may: OCR is counted apart, as pages come in different sizes. */
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

/** Keeps a thread's WebAssembly under a limit: V8 has none for it, and memory that has grown never shrinks. */
type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
export type WebAssemblyMemoryClass = { prototype: WebAssemblyMemory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): WebAssemblyMemoryClass =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: WebAssemblyMemoryClass }).Memory;

/** Answers whether a program was refused more. */
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
