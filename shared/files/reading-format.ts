/** The stored format of a reading: JSON texts of pages and sheets in sequence, then their index. One blob holds it. */

import type { Blobs } from '../ports.ts';

/** In points, or in pixels for an image, from the top left corner of the page. */
export type Box = { x: number; y: number; width: number; height: number };
/** OCR confidence from 0 to 1: of a text and of each of its words. */
type OcrConfidence = { confidence: number; words: { text: string; confidence: number; box: Box }[] };
export type DocumentBlock = { kind: string; text: string; box?: Box; hidden?: true; ocr?: OcrConfidence };
export type TextTable = {
  place: string;
  box?: Box;
  headerRows: number;
  header: string[];
  rows: string[][];
  rowCount: number;
};
/** A part that the reader could not read, or that is too long. */
export type NotRead = { place: string; reason: string };
/** A part of a document's text as Markdown, with its position in the document. */
export type ReadingPart = {
  /** The position for citations: `page 3`, `sheet Costs`, `slide 2`, `section Payment`, `lines 10-40`. */
  label: string;
  text: string;
  /** The number of the first line of a plain text; citations count lines from it. */
  firstLine?: number;
  /** Text that is invisible in the opened document. Models are shown it as hidden, and it proves nothing. */
  hidden?: boolean;
  /** In reading order, with their boxes; if absent, they are derived from the Markdown. */
  blocks?: DocumentBlock[];
  /** From 0 to 1, for text from OCR. */
  ocr?: { confidence: number };
};
export type ReadingPage = { number: number; parts: ReadingPart[]; tables?: TextTable[] };
/** The bytes of one page or sheet; `to` is exclusive. */
export type Span = { number: number; from: number; to: number };
export type ReadingIndex = {
  kind: string;
  language: string | null;
  /** The metadata of a web page. */
  head?: { title?: string; author?: string; publishedAt?: string; canonicalUrl?: string };
  pages: Span[];
  /** The main content of a web page. */
  main?: Span[];
  sheets?: Span[];
  notRead: NotRead[];
  /** Pages whose image shows more than their text: little text, or low OCR confidence. */
  pictured?: number[];
};

/** `indexAt`: the offset of the index. */
export type WrittenReading = { bytes: Uint8Array; indexAt: number };
/** Where a reading is stored. */
export type StoredBlob = { storedAt: string; indexAt: number; size: number };

/** `undefined`: the blob is gone. */
export async function readStored(
  blobs: Pick<Blobs, 'read'>,
  { storedAt }: Pick<StoredBlob, 'storedAt'>,
  { from, to }: { from: number; to: number },
): Promise<Buffer | undefined> {
  if (to <= from) return Buffer.alloc(0);
  const body = await blobs.read(storedAt, { from, to: to - 1 });
  if (!body) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

export async function readIndex(blobs: Pick<Blobs, 'read'>, reading: StoredBlob): Promise<ReadingIndex | undefined> {
  const bytes = await readStored(blobs, reading, { from: reading.indexAt, to: reading.size });
  return bytes && (JSON.parse(bytes.toString('utf8')) as ReadingIndex);
}
