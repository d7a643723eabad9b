/** The types of document reading: its result, its limits and its failures. */

import { CPU_SECONDS } from '../../shared/core/stage-limits.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { NotRead, ReadingIndex, ReadingPart, TextTable } from '../../shared/files/reading-format.ts';
import type { SourceItem } from '../../shared/sources/source-item.ts';
import type { Connector } from '../../shared/sources/source-schema.ts';
import type { Sheet } from './sheets/sheet.ts';

/** `page`: the number of the page, slide or sheet from 1, if the label does not say it. */
export type DocumentPart = ReadingPart & {
  page?: number;
  /** Words that OCR read with little confidence, by their positions in the text. */
  unsure?: UnsureWord[];
};
export type UnsureWord = { start: number; end: number; confidence: number };

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

/** Kinds whose cells have types, which their text does not show. */
export const HAS_SHEETS: ReadonlySet<string> = new Set<DocumentKind>(['csv', 'xlsx', 'xls', 'ods']);

/** `sheets` is present for workbooks and CSV files if the request asks for it. */
export type Document = {
  kind: DocumentKind;
  parts: DocumentPart[];
  sheets?: Sheet[];
  /** Tables whole, over page breaks; without them they are taken from the text of the parts. */
  tables?: TextTable[];
  notRead?: NotRead[];
  /** The pages whose picture says more than their text. */
  pictured?: number[];
};

/** The picture of a page for a model that sees, as PNG. */
export type PagePicture = { page: number; png: Uint8Array };

/** Less text than this on a page with a large picture, or a lower confidence of OCR, may leave out what is on the page. */
export const LITTLE_TEXT = { characters: 200, confidence: 0.8 } as const;

/** A document with the main content of a web page and what the page says about itself. */
export type WholeDocument = Document & {
  main?: { parts: DocumentPart[]; head: NonNullable<ReadingIndex['head']>; language?: string };
};

export type DocumentSource = { bytes: Uint8Array; name: string };

/** What a reader returns: the parts, or the parts with the sheets that they were written from, or with other tables. */
export type ReaderResult = DocumentPart[] | Omit<Document, 'kind'>;

/** Files that OCR loads. Nothing is fetched from the network. */
export type OcrAssets = {
  ocrProgram: string;
  ocrLanguage: string;
  /** SQLite as WebAssembly, for queries over tables. */
  sqlite: string;
};

/** The limits for reading one document; callers may override each. Text lengths are in UTF-16 code units. */
export type DocumentLimits = {
  fileBytes: number;
  /**
   * CPU time of the thread for everything except OCR. It is not wall-clock time, so an ordinary file does not fail on a
   * busy machine.
   */
  cpuMs: number;
  /** Additional CPU time for each page or image that OCR reads. */
  ocrPageCpuMs: number;
  /** Wall-clock time that a thread may wait without using CPU. */
  waitMs: number;
  /** The thread's V8 heap. */
  heapMb: number;
  /**
   * Heap, buffers and WebAssembly of the thread together. It is polled while the thread works, as V8 limits only its
   * heap.
   */
  memoryMb: number;
  /** The total that may be unpacked from one file. */
  unpackedBytes: number;
  textLength: number;
  cells: number;
  pages: number;
  /** The limit for one content stream of a PDF. Dense maps and CAD drawings stay under a million. */
  operators: number;
  pixels: number;
  /** Pages of a PDF that are images and need OCR, which takes about two seconds each. */
  scannedPages: number;
};

export const DOCUMENT_LIMITS: DocumentLimits = {
  fileBytes: 100_000_000,
  cpuMs: 1_000 * CPU_SECONDS.document,
  ocrPageCpuMs: 1_000 * CPU_SECONDS.ocrPage,
  waitMs: MINUTE_MS,
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

/** Lowers the limits for a host with less memory. Within the other limits, only large images need all of it. */
export const withinMemory = (memoryMb: number): Pick<DocumentLimits, 'memoryMb' | 'heapMb'> => ({
  memoryMb,
  heapMb: Math.min(DOCUMENT_LIMITS.heapMb, Math.floor((memoryMb * 2) / 3)),
});

/** The closed set of reasons why a document cannot be read. Each text follows the file's name in a message. */
const REASON_TEXTS = {
  encrypted: 'is protected by a password',
  corrupt: 'is damaged or is not what its name says',
  empty: 'holds no text',
  tooLarge: 'is too large to be read',
  tooSlow: 'took too long to be read',
  tooManyOperators: `has a page with more than ${DOCUMENT_LIMITS.operators.toLocaleString('en')} drawing operators`,
  unsupported: 'is of a type that cannot be read',
  pictures: 'holds its text in pictures of a kind that cannot be read',
  // Of stored readings, whose own messages say when the file can be read again.
  processEnded: 'ended the process that read it',
  faulted: 'could not be read because of a fault of the service',
} as const;

export type DocumentFailureReason = keyof typeof REASON_TEXTS;
export type DocumentFailure = Error & { name: 'DocumentFailure'; reason: DocumentFailureReason };

export const unreadable = (reason: DocumentFailureReason, cause?: unknown): DocumentFailure =>
  Object.assign(new Error(REASON_TEXTS[reason], { cause }), { name: 'DocumentFailure' as const, reason });

export const isDocumentFailure = (error: unknown): error is DocumentFailure =>
  error instanceof Error && error.name === 'DocumentFailure';

/** An entry of a published list, such as a feed: a text with a date and figures, of bounded length. */
export type SourceEntry = Omit<SourceItem, 'source'>;

/** How to interpret the bytes, their URL, and which entries to choose if there are many. */
export type EntryShape = {
  of: Exclude<Connector, { kind: 'documents' }>;
  base: string;
  /** The queries that the entries should match. */
  about: readonly string[];
  max: number;
};

/** `unfit` says why the bytes do not have the expected format. It follows a URL in a message. */
export type Entries = { entries: SourceEntry[]; unfit?: string };

export const ENTRY_LIMITS = {
  title: 300,
  /** The limit for an entry of a list. A page is a single entry with a limit of its own. */
  text: 20_000,
  pageText: 200_000,
  /** Further records are not read. */
  records: 20_000,
  feedEntries: 2_000,
  jsonDepth: 200,
} as const;

/** Counts what reading a document has cost, and throws at the first limit that is exceeded. */
export type ReadingBudget = {
  /** Counts a text and returns it. */
  countText(text: string): string;
  countCells(amount: number): void;
  /** Returns how many cells may still be read. */
  cellsLeft(): number;
  countUnpacked(bytes: number): void;
  /** Returns how many bytes may still be unpacked. */
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
    cellsLeft: () => cellsLeft,
    countUnpacked(bytes) {
      bytesLeft -= bytes;
      within(bytesLeft);
    },
    unpackedLeft: () => bytesLeft,
  };
}

/**
 * The settings of a reading thread. Without `geometry`, which is on by default, the text of a PDF is read in the order in
 * which it was drawn, without tables: that shows what reading by positions is worth.
 */
export type ReaderSettings = {
  limits: DocumentLimits;
  assets: OcrAssets;
  /** The program of the rules that a thread applies to texts: its module exports `TEXT_RULES`. */
  rulesFile?: string;
  /** Where Node keeps what it makes of sources, if the process keeps it: loading the rules then takes a fraction of the time. */
  compileCache?: string;
  geometry?: boolean;
};
/** A rule by its name, with all that it reads. Input and result are copied between the threads. */
export type RuleCall = { name: string; input: unknown };
/** A caller's regular expression and a text to test it on. */
export type PatternTest = { pattern: string; text: string };
/**
 * A request to a reading thread. With a `shape`, the bytes are read as a list of entries; with `toStore`, as a document in
 * the form in which readings are stored; with `pictures`, for the pictures of these pages; otherwise as a document. `tests` and
 * `rule` have no bytes: a pattern of a caller, or a rule on a hostile text, may run until the thread is killed.
 */
export type ReadRequest = DocumentSource & {
  shape?: EntryShape;
  sheets?: boolean;
  toStore?: boolean;
  pictures?: readonly number[];
  query?: TableQuery;
  tests?: readonly PatternTest[];
  rule?: RuleCall;
};
/** With the bytes of workbooks and CSV files, and the parts of other documents. Without `sql`, the tables are described. */
export type TableQuery = {
  files: (DocumentSource | (Pick<Document, 'parts'> & { name: string }))[];
  sql?: string | undefined;
};
/** Sent when a statement begins, as it has a time limit of its own. */
export type StatementStart = { statement: 'begins' };
/** The thread's CPU time when OCR of a page or image begins and ends, sent while a document is being read. */
export type OcrProgress = { ocr: 'begins' | 'ends'; cpuMs: number };
/** `detail` is for the log only. */
export type ReadReply = { ok: true; result: unknown } | { ok: false; reason: DocumentFailureReason; detail: string };

/** `watchOcr` is called when OCR of a page or image begins and ends, as OCR has a CPU limit of its own. */
export type WatchedSettings = ReaderSettings & { watchOcr?: (step: OcrProgress['ocr']) => void };
export type ReaderInput = WatchedSettings & { bytes: Buffer; budget: ReadingBudget };
