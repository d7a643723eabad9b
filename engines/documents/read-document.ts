/** Reads one document, or a list of entries, in the calling thread: detects its kind and loads the reader of that format on first use. */
import { definedFields } from '../../shared/core/optional-fields.ts';
import { detectType } from '../../shared/files/detect-type.ts';
import { chooseItems } from '../../shared/sources/choose-items.ts';
import type { Entries, EntryShape, SourceEntry } from './document.ts';
import {
  type Document,
  type DocumentKind,
  type DocumentPart,
  type DocumentSource,
  type PagePicture,
  type ReaderInput,
  type ReaderResult,
  type ReaderSettings,
  startBudget,
  unreadable,
  type WatchedSettings,
  type WholeDocument,
} from './document.ts';
import { kindOfText } from './text.ts';

const BINARY_NAME = /\.(pdf|docx?|docm|xlsx?|xlsm|pptx?|pptm|od[tsp]|png|jpe?g|gif|webp)$/i;

/** Detects the kind from the bytes. The name only tells CSV from text, and damaged files from unsupported ones. */
async function kindOfDocument(bytes: Buffer, name: string): Promise<DocumentKind> {
  const read = async (from: number, to: number) => bytes.subarray(from, to + 1);
  const kind = await detectType({ size: bytes.length, head: bytes, read });
  switch (kind) {
    case 'text':
      return kindOfText(bytes, name);
    case 'png':
    case 'jpeg':
    case 'gif':
    case 'webp':
      return 'image';
    case 'compound file':
      return (await import('./compound-file.ts')).kindOfCompound(bytes);
    case 'open document':
      return (await import('./zip.ts')).kindOfOpenDocument(bytes);
    case 'other':
    case 'gone':
      throw unreadable(BINARY_NAME.test(name) ? 'corrupt' : 'unsupported');
    default:
      return kind;
  }
}

type FormatReader = (reading: ReaderInput) => ReaderResult | Promise<ReaderResult>;

const READERS: Record<DocumentKind, () => Promise<FormatReader>> = {
  text: async () => {
    const { readText } = await import('./text.ts');
    return ({ bytes, limits }) => readText(bytes, limits);
  },
  csv: async () => {
    const { readCsv } = await import('./formats/csv.ts');
    return ({ bytes, budget }) => readCsv(bytes, budget);
  },
  html: async () => (await import('./formats/html.ts')).readHtml,
  rtf: async () => (await import('./formats/rtf.ts')).readRtf,
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  docx: async () => (await import('./formats/docx.ts')).readDocx,
  xlsx: async () => (await import('./formats/xlsx.ts')).readXlsx,
  pptx: async () => (await import('./formats/pptx.ts')).readPptx,
  odt: async () => (await import('./formats/opendocument.ts')).readOpenDocument,
  ods: async () => (await import('./formats/opendocument.ts')).readOpenDocument,
  odp: async () => (await import('./formats/opendocument.ts')).readOpenDocument,
  doc: async () => (await import('./formats/doc.ts')).readDoc,
  xls: async () => (await import('./formats/xls.ts')).readXls,
  ppt: async () => (await import('./formats/ppt.ts')).readPpt,
  image: async () => (await import('./formats/image.ts')).readImage,
};

export async function readDocument(
  { bytes: source, name }: DocumentSource,
  settings: WatchedSettings,
): Promise<Document> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const kind = await kindOfDocument(bytes, name);
  const read = await READERS[kind]();
  const result = await read({ ...settings, bytes, budget: startBudget(settings.limits) });
  const { parts, ...details } = Array.isArray(result) ? { parts: result } : result;
  const filled = filledParts(parts);
  // An image without text is valid; any other document without text is rejected.
  if (filled.length === 0 && kind !== 'image') throw unreadable('empty');
  return { kind, parts: filled, ...details };
}

/** Reads everything that is stored of a document. */
export async function readWholeDocument(source: DocumentSource, settings: WatchedSettings): Promise<WholeDocument> {
  const document = await readDocument(source, settings);
  if (document.kind !== 'html') return document;
  const { readMainContent } = await import('./formats/main-content.ts');
  const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength);
  const content = readMainContent({ ...settings, bytes, budget: startBudget(settings.limits) });
  const { parts, language, ...head } = content;
  return { ...document, main: { parts: filledParts(parts), head, ...definedFields({ language }) } };
}

/** The pictures of pages of a PDF, or an image file itself. */
export async function readPictures(
  { bytes: source, name, pictures }: DocumentSource & { pictures: readonly number[] },
  settings: ReaderSettings,
): Promise<PagePicture[]> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const reading = { ...settings, bytes, budget: startBudget(settings.limits) };
  const kind = await kindOfDocument(bytes, name);
  if (kind === 'image') return [{ page: 1, png: await (await import('./formats/image.ts')).imagePicture(reading) }];
  return kind === 'pdf' ? (await import('./pdf/read-pdf.ts')).readPagePictures(reading, pictures) : [];
}

const filledParts = (parts: readonly DocumentPart[]): DocumentPart[] =>
  parts.filter(({ label, text }) => text.trim() !== '' && !isPageNumber(label, text));

/** A header or footer without letters contains only page numbers. */
const isPageNumber = (label: string, text: string): boolean => /^(header|footer)/.test(label) && !/\p{L}/u.test(text);

/** Returns a message if the bytes do not have the declared format. */
type EntryReader = (reading: ReaderInput, shape: EntryShape) => FoundEntries | Promise<FoundEntries>;
type FoundEntries = SourceEntry[] | string;

const ENTRY_READERS: Record<EntryShape['of']['kind'], () => Promise<EntryReader>> = {
  feed: async () => (await import('./entries/feeds-and-pages.ts')).readFeed,
  json: async () => (await import('./entries/records.ts')).readJsonEntries,
  csv: async () => (await import('./entries/records.ts')).readColumns,
  page: async () => (await import('./entries/feeds-and-pages.ts')).readPageEntries,
};

/** Reads bytes as a list of entries in the format that the connector declares. */
export async function readEntries(
  { bytes: data, shape }: DocumentSource & { shape: EntryShape },
  settings: ReaderSettings,
): Promise<Entries> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const read = await ENTRY_READERS[shape.of.kind]();
  const result = await read({ ...settings, bytes, budget: startBudget(settings.limits) }, shape);
  if (typeof result === 'string') return { entries: [], unfit: result };
  return { entries: chooseItems(result, shape) };
}
