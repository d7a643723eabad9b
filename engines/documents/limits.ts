/** What reading one document may cost, unless the caller says otherwise. Lengths of text are in UTF-16 units. */
import { CPU_SECONDS } from '../../shared/core/stage.ts';

export type DocumentLimits = {
  fileBytes: number;
  /** CPU time of the thread for everything but OCR, so that a busy machine does not make an ordinary file fail. */
  cpuMs: number;
  /** CPU time that each recognized page or picture adds. */
  ocrPageCpuMs: number;
  /** Wall-clock time that a thread may spend waiting, without using CPU. */
  waitMs: number;
  /** V8's own heap of the thread. */
  heapMb: number;
  /** Heap, buffers and WebAssembly of the thread together; looked at while it works, since V8 bounds only its heap. */
  memoryMb: number;
  /** Everything that is unpacked from one file. */
  unpackedBytes: number;
  textLength: number;
  cells: number;
  pages: number;
  /** In one content stream of a PDF. Dense maps and CAD drawings stay under a million. */
  operators: number;
  pixels: number;
  /** Pages of a PDF that are pictures and must be read by OCR, about two seconds each. */
  scannedPages: number;
};

export const DOCUMENT_LIMITS: DocumentLimits = {
  fileBytes: 100_000_000,
  cpuMs: 1_000 * CPU_SECONDS.document,
  ocrPageCpuMs: 1_000 * CPU_SECONDS.ocrPage,
  waitMs: 60_000,
  heapMb: 512,
  memoryMb: 768,
  unpackedBytes: 256_000_000,
  textLength: 10_000_000,
  cells: 2_000_000,
  pages: 5_000,
  operators: 2_000_000,
  pixels: 40_000_000,
  scannedPages: 20,
};

/** Where no more memory is to be had than that. Nothing that fits the other limits wants it all, but large pictures. */
export const withinMemory = (memoryMb: number): Pick<DocumentLimits, 'memoryMb' | 'heapMb'> => ({
  memoryMb,
  heapMb: Math.min(DOCUMENT_LIMITS.heapMb, Math.floor((memoryMb * 2) / 3)),
});
