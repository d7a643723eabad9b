/** Which office format a ZIP is, by the entries it has. */
import type { DocumentKind } from '../document.ts';
import { entriesOf } from './open-zip.ts';

const MAIN_ENTRIES: readonly [RegExp, DocumentKind][] = [
  [/^word\/document\d*\.xml$/, 'docx'],
  [/^xl\/workbook\d*\.xml$/, 'xlsx'],
  [/^ppt\/presentation\d*\.xml$/, 'pptx'],
];

const OPEN_DOCUMENT = /^mimetypeapplication\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/;
const OPEN_KINDS: Record<string, DocumentKind> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };
const NAME_AT = 30;
const NAME_LENGTH = 80;

export function kindOfZip(bytes: Buffer): DocumentKind | undefined {
  const [, open] = OPEN_DOCUMENT.exec(bytes.toString('latin1', NAME_AT, NAME_AT + NAME_LENGTH)) ?? [];
  if (open) return OPEN_KINDS[open];
  const names = [...entriesOf(bytes).keys()];
  return MAIN_ENTRIES.find(([main]) => names.some((name) => main.test(name)))?.[1];
}
