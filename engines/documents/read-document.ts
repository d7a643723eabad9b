/** Reads one document in the thread it is called in; each reader is loaded when the first file needs it. */
import type { Document, DocumentKind, DocumentPart, DocumentSource } from './document.ts';
import { unreadable } from './failure.ts';
import { kindOfDocument } from './kind-of-document.ts';
import { type ReadingBudget, startBudget } from './markdown/budget.ts';
import type { OcrProgress, ReaderSettings } from './thread/message.ts';

/** `watchOcr` hears when the recognition of a page or picture begins and ends, as OCR has CPU time of its own. */
type WatchedSettings = ReaderSettings & { watchOcr?: (step: OcrProgress['ocr']) => void };
export type ReaderInput = WatchedSettings & { bytes: Buffer; budget: ReadingBudget };

type FormatReader = (reading: ReaderInput) => DocumentPart[] | Promise<DocumentPart[]>;

const READERS: Record<DocumentKind, () => Promise<FormatReader>> = {
  text: async () => {
    const { readText } = await import('./text/read-text.ts');
    return ({ bytes, limits }) => readText(bytes, limits);
  },
  csv: async () => {
    const { readCsv } = await import('./text/read-csv.ts');
    return ({ bytes, budget }) => readCsv(bytes, budget);
  },
  html: async () => (await import('./markup/read-html.ts')).readHtml,
  rtf: async () => (await import('./rtf/read-rtf.ts')).readRtf,
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  docx: async () => (await import('./word/read-docx.ts')).readDocx,
  xlsx: async () => (await import('./sheets/read-xlsx.ts')).readXlsx,
  pptx: async () => (await import('./slides/read-pptx.ts')).readPptx,
  odt: async () => (await import('./opendocument/read-open-document.ts')).readOpenDocument,
  ods: async () => (await import('./opendocument/read-open-document.ts')).readOpenDocument,
  odp: async () => (await import('./opendocument/read-open-document.ts')).readOpenDocument,
  doc: async () => (await import('./compound/read-doc.ts')).readDoc,
  xls: async () => (await import('./compound/read-xls.ts')).readXls,
  ppt: async () => (await import('./compound/read-ppt.ts')).readPpt,
  image: async () => (await import('./image/read-image.ts')).readImage,
};

export async function readDocument(
  { bytes: source, name }: DocumentSource,
  settings: WatchedSettings,
): Promise<Document> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const kind = await kindOfDocument(bytes, name);
  const read = await READERS[kind]();
  const parts = await read({ ...settings, bytes, budget: startBudget(settings.limits) });
  const filled = parts.filter(({ label, text }) => text.trim() !== '' && !isPageNumber(label, text));
  // A picture without words is still a picture; a document without words is none.
  if (filled.length === 0 && kind !== 'image') throw unreadable('empty');
  return { kind, parts: filled };
}

/** A margin without a letter in it only counts the pages. */
const isPageNumber = (label: string, text: string): boolean => /^(header|footer)/.test(label) && !/\p{L}/u.test(text);
