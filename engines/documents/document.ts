/** What reading a document gives, what it may cost, and how it fails. */
import { CPU_SECONDS } from '../../shared/core/stage.ts';
import type { EntryShape } from './entries/entry.ts';

/** What reading a document gives: its text as Markdown in ordered parts, each saying where in the document it stands. */
export type DocumentPart = {
  /** `page 3`, `sheet Costs`, `slide 2`, `section Payment`, `lines 10-40`: for a citation. */
  label: string;
  text: string;
  /** Where the part begins in a plain text, so that a citation may count lines from there. */
  firstLine?: number;
};

export type DocumentKind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'doc'
  | 'xls'
  | 'ppt'
  | 'rtf'
  | 'html'
  | 'csv'
  | 'text'
  | 'image';

export type Document = { kind: DocumentKind; parts: DocumentPart[] };

export type DocumentSource = { bytes: Uint8Array; name: string };

/** Files that the readers of pictures load; none is ever fetched from elsewhere. */
export type OcrAssets = {
  ocrProgram: string;
  ocrLanguage: string;
};

/** What reading one document may cost, unless the caller says otherwise. Lengths of text are in UTF-16 units. */
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

/** How reading a document ends badly: a closed set of reasons, each with words that follow a file's name. */
const REASON_TEXTS = {
  encrypted: 'is protected by a password',
  corrupt: 'is damaged or is not what its name says',
  empty: 'holds no text',
  tooLarge: 'is too large to be read',
  tooSlow: 'took too long to be read',
  tooManyOperators: `has a page with more than ${DOCUMENT_LIMITS.operators.toLocaleString('en')} drawing operators`,
  unsupported: 'is of a type that cannot be read',
  pictures: 'holds its text in pictures of a kind that cannot be read',
} as const;

export type DocumentFailureReason = keyof typeof REASON_TEXTS;
export type DocumentFailure = Error & { name: 'DocumentFailure'; reason: DocumentFailureReason };

export const unreadable = (reason: DocumentFailureReason, cause?: unknown): DocumentFailure =>
  Object.assign(new Error(REASON_TEXTS[reason], { cause }), { name: 'DocumentFailure' as const, reason });

export const isDocumentFailure = (error: unknown): error is DocumentFailure =>
  error instanceof Error && error.name === 'DocumentFailure';

/** Counts what a document has cost so far, and ends the reading at the first limit that is passed. */
export type ReadingBudget = {
  /** Counts a text and hands it back. */
  countText(text: string): string;
  countCells(amount: number): void;
  countUnpacked(bytes: number): void;
  /** What may still be unpacked. */
  unpackedLeft(): number;
};

export function startBudget({ textLength, cells, unpackedBytes }: DocumentLimits): ReadingBudget {
  let textLeft = textLength;
  let cellsLeft = cells;
  let bytesLeft = unpackedBytes;
  const within = (left: number) => {
    if (left < 0) throw unreadable('tooLarge');
  };
  return {
    countText(piece) {
      textLeft -= piece.length;
      within(textLeft);
      return piece;
    },
    countCells(amount) {
      cellsLeft -= amount;
      within(cellsLeft);
    },
    countUnpacked(bytes) {
      bytesLeft -= bytes;
      within(bytesLeft);
    },
    unpackedLeft: () => bytesLeft,
  };
}

/** What goes into a reading thread and comes back. */
export type ReaderSettings = { limits: DocumentLimits; assets: OcrAssets };
/** With a shape it is read as a list of entries, without one as a document. */
export type ReadRequest = DocumentSource & { shape?: EntryShape };
/** The thread's own CPU time when a recognition begins and ends, sent while a document is being read. */
export type OcrProgress = { ocr: 'begins' | 'ends'; cpuMs: number };
/** `detail` is for the log. */
export type ReadReply = { ok: true; found: unknown } | { ok: false; reason: DocumentFailureReason; detail: string };

/** `watchOcr` hears when the recognition of a page or picture begins and ends, as OCR has CPU time of its own. */
export type WatchedSettings = ReaderSettings & { watchOcr?: (step: OcrProgress['ocr']) => void };
export type ReaderInput = WatchedSettings & { bytes: Buffer; budget: ReadingBudget };
