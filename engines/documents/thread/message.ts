/** What goes into a reading thread and comes back. */
import type { Assets, Source } from '../document.ts';
import type { Shape } from '../entries/entry.ts';
import type { Reason } from '../failure.ts';
import type { Limits } from '../limits.ts';

export type Setting = { limits: Limits; assets: Assets };
/** With a shape it is read as a list of entries, without one as a document. */
export type Asked = Source & { shape?: Shape };
/** The thread's own CPU time when a recognition begins and ends, sent while a document is being read. */
export type OcrProgress = { ocr: 'begins' | 'ends'; cpuMs: number };
/** `detail` is for the log. */
export type Answered = { ok: true; found: unknown } | { ok: false; reason: Reason; detail: string };
