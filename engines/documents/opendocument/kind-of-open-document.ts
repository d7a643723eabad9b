/** Whether an OpenDocument file is a text, a sheet or a show: its `mimetype` says so, and without one its manifest. */
import type { DocumentKind } from '../document.ts';
import { unreadable } from '../failure.ts';
import { DOCUMENT_LIMITS } from '../limits.ts';
import { startBudget } from '../markdown/budget.ts';
import { openZip } from '../zip/open-zip.ts';

const TYPE = /vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/;
const KINDS: Record<string, DocumentKind> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };

export function kindOfOpenDocument(bytes: Buffer): DocumentKind {
  const zip = openZip(bytes, startBudget(DOCUMENT_LIMITS));
  const named = zip.entry('mimetype') ?? zip.entry('META-INF/manifest.xml');
  const kind = KINDS[TYPE.exec(named?.toString('latin1') ?? '')?.[1] ?? ''];
  if (!kind) throw unreadable('unsupported');
  return kind;
}
