/** What goes into a reading thread and comes back. */
import type { DocumentSource, OcrAssets } from '../document.ts';
import type { EntryShape } from '../entries/entry.ts';
import type { DocumentFailureReason } from '../failure.ts';
import type { DocumentLimits } from '../limits.ts';

export type ReaderSettings = { limits: DocumentLimits; assets: OcrAssets };
/** With a shape it is read as a list of entries, without one as a document. */
export type ReadRequest = DocumentSource & { shape?: EntryShape };
/** The thread's own CPU time when a recognition begins and ends, sent while a document is being read. */
export type OcrProgress = { ocr: 'begins' | 'ends'; cpuMs: number };
/** `detail` is for the log. */
export type ReadReply = { ok: true; found: unknown } | { ok: false; reason: DocumentFailureReason; detail: string };
