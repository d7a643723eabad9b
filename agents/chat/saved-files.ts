/** The files that a chat task saves: texts, tables as XLSX or CSV, and reports, with common names, limits and readers. */

import { recordsOf, separatorOf } from '../../engines/documents/formats/csv.ts';
import { markdownTable } from '../../engines/documents/markdown.ts';
import { shownValue } from '../../engines/outputs/output-cells.ts';
import type { OutputSheet } from '../../engines/outputs/workbook.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { checkFileName } from '../../shared/files/accepted-files.ts';
import { cleanFileName } from '../../shared/files/file-name.ts';
import { PAGE_CHARACTERS } from './document-pages.ts';
import { extensionOf, nameFault, textFault } from './saveable-files.ts';
import { csvText, firstRows, fractionNote, shownSheets, type TableSheet, typedSheet } from './saved-tables.ts';
import type { SavedFile, Workspace } from './workspace.ts';

export type SaveOutcome = { saved: string } & Record<string, unknown>;
export type SaveRefusal = { error: string };

export const MAX_FILES = 50;

export function saveText(workspace: Workspace, fileName: string, text: string): SaveOutcome | SaveRefusal {
  const name = cleanFileName(fileName);
  const fault = textFault(name, text);
  if (fault !== undefined) return { error: fault };
  const extension = extensionOf(name);
  if (PROSE.has(extension)) workspace.written.set(name, text);
  if (extension === 'csv') workspace.written.set(name, markdownTable([...recordsOf(text, separatorOf(text))]));
  return saveWithCompanions(workspace, { name, text });
}

export async function saveTable(
  workspace: Workspace,
  fileName: string,
  sheets: readonly TableSheet[],
): Promise<SaveOutcome | SaveRefusal> {
  const name = cleanFileName(fileName);
  const extension = extensionOf(name);
  if (extension !== 'xlsx' && extension !== 'csv') return { error: 'A table is saved as .xlsx or .csv.' };
  if (extension === 'csv' && sheets.length !== 1) return { error: 'A .csv has one sheet; save an .xlsx for several.' };
  const typed: OutputSheet[] = [];
  for (const sheet of sheets) {
    const cells = typedSheet(sheet);
    if ('error' in cells) return cells;
    typed.push(cells);
  }
  const saved = saveWithCompanions(
    workspace,
    extension === 'csv'
      ? { name, text: csvText(typed) }
      : {
          name,
          text: shownSheets(typed),
          base64: Buffer.from(await workspace.writeWorkbook(typed)).toString('base64'),
        },
  );
  if ('error' in saved) return saved;
  workspace.written.set(name, typed.map(markdownSheet).join('\n\n'));
  const note = fractionNote(sheets);
  return {
    ...saved,
    rows: sheets.map(({ rows }) => rows.length),
    shown: firstRows(typed, extension),
    ...(note === undefined ? {} : { note }),
  };
}

/** Saves a file with its companion files; those of an earlier file with the same name are removed. */
export function saveWithCompanions(
  { saved }: Workspace,
  file: SavedFile,
  ...more: SavedFile[]
): SaveOutcome | SaveRefusal {
  const files = [file, ...more];
  try {
    for (const { name } of files) checkFileName(name);
  } catch (error) {
    if (isProblem(error)) return { error: error.message };
    throw error;
  }
  const names = new Set(files.map(({ name }) => name));
  const otherFiles = [...saved.values()].filter(({ name, beside }) => !names.has(name) && beside !== file.name);
  for (const { name } of files) {
    const fault = nameFault(
      name,
      [...otherFiles, ...files].map((savedFile) => savedFile.name),
    );
    if (fault !== undefined) return { error: fault };
  }
  const allFiles = [...otherFiles, ...files];
  if (allFiles.length > MAX_FILES || allFiles.reduce((size, savedFile) => size + sizeOf(savedFile), 0) > MAX_BYTES) {
    return { error: `A task saves at most ${MAX_FILES} files of ${MAX_BYTES} bytes in all.` };
  }
  const replaced = saved.has(file.name);
  for (const { name, beside } of saved.values()) if (beside === file.name) saved.delete(name);
  for (const savedFile of files) saved.set(savedFile.name, savedFile);
  return { saved: file.name, ...(replaced ? { replaced } : {}) };
}

/** Reads a file that an earlier step or call saved; a workbook as CSV with its cells as they are shown, a report as Markdown. */
export function readSaved({ saved }: Workspace, fileName: string, page: number) {
  const file = saved.get(cleanFileName(fileName));
  if (!file) return { error: 'There is no such saved file.', saved: [...saved.keys()] };
  const pages = Math.max(1, Math.ceil(file.text.length / PAGE_CHARACTERS));
  if (page > pages) return { error: `The file has ${pages} pages.` };
  return { name: file.name, page, pages, text: file.text.slice((page - 1) * PAGE_CHARACTERS, page * PAGE_CHARACTERS) };
}

/** Saved files are carried from step to step in the task's rows, so their total size is limited. */
const MAX_BYTES = 3_000_000;

const PROSE: ReadonlySet<string> = new Set(['md', 'markdown', 'txt', 'text']);

const markdownSheet = ({ name, rows }: OutputSheet): string =>
  `# ${name}\n\n${markdownTable(rows.map((row) => row.map(shownValue)))}`;

const sizeOf = ({ text, base64 = '' }: SavedFile): number => Buffer.byteLength(text) + base64.length;
