/** What goes into a reading thread and comes back. */
import type { Assets, Document } from '../document.ts';
import type { Reason } from '../failure.ts';
import type { Limits } from '../limits.ts';

export type Setting = { limits: Limits; assets: Assets };
export type Asked = { bytes: Uint8Array; name: string };
/** `detail` is for the log. */
export type Answered = { ok: true; document: Document } | { ok: false; reason: Reason; detail: string };
