/** The reports that a model saves: their sections, formats and limits. */

import { markdownTable } from '../../engines/documents/markdown.ts';
import {
  type RenderedReport,
  type ReportBlock,
  type ReportFormat,
  type ReportSection,
  renderReadable,
} from '../../engines/reports/report-document.ts';
import { cleanFileName } from '../../shared/files/file-name.ts';
import { extensionOf, nameFault } from './saveable-files.ts';
import { MAX_FILES, type SaveOutcome, type SaveRefusal, saveWithCompanions } from './saved-files.ts';
import type { SavedFile, Workspace } from './workspace.ts';

const REPORT_FORMATS: Record<string, ReportFormat> = {
  pdf: 'pdf',
  html: 'html',
  htm: 'html',
  md: 'markdown',
  markdown: 'markdown',
};

/** Larger reports would mostly exceed `MAX_BYTES`, but only after the work. */
const MAX_REPORT = { cells: 10_000, characters: 300_000 };

export async function saveReport(
  workspace: Workspace,
  { name: fileName, title, sections }: { name: string; title: string; sections: SectionInput[] },
): Promise<SaveOutcome | SaveRefusal> {
  const name = cleanFileName(fileName);
  const format = REPORT_FORMATS[extensionOf(name)];
  if (!format) return { error: 'A report is saved as .pdf, .html or .md.' };
  if (sum(sections.map(cellsIn)) > MAX_REPORT.cells || sum(sections.map(charactersIn)) > MAX_REPORT.characters) {
    return {
      error: `A report has at most ${MAX_REPORT.cells} cells and ${MAX_REPORT.characters} characters; save long tables with save_table.`,
    };
  }
  const document = {
    title,
    madeAt: new Date(workspace.now()).toISOString(),
    notes: [],
    sections: sections.map(sectionOf),
    sources: [],
  };
  const { report, page, warnings } = await renderReadable(workspace.render, document, format);
  const text = Buffer.from((await workspace.render(document, 'markdown')).bytes).toString();
  const toSavedFile = (savedName: string, { bytes }: RenderedReport): SavedFile => ({
    name: savedName,
    text,
    ...(format === 'markdown' ? {} : { base64: Buffer.from(bytes).toString('base64') }),
  });
  const file = toSavedFile(name, report);
  workspace.written.set(name, sections.map(markdownSection).join('\n\n'));
  if (!page) return saveWithCompanions(workspace, file);
  const [warning = ''] = warnings;
  const companion = { ...toSavedFile(freeName(workspace, name), page), beside: name, warning };
  const saved = saveWithCompanions(workspace, file, companion);
  return 'error' in saved ? saved : { ...saved, also: companion.name, warning };
}

/** A section as the model passes it. */
type SectionInput = {
  heading: string;
  paragraphs?: string[] | undefined;
  items?: string[] | undefined;
  table?: { columns: string[]; rows: string[][] } | undefined;
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const cellsIn = ({ table }: SectionInput): number =>
  table ? (table.rows.length + 1) * Math.max(1, table.columns.length) : 0;

const charactersIn = ({ heading, paragraphs = [], items = [], table }: SectionInput): number =>
  sum(
    [heading, ...paragraphs, ...items, ...(table ? [table.columns, ...table.rows].flat() : [])].map(
      (text) => text.length,
    ),
  );

/** The PDF's file name with the page's extension. Another file with this name is kept. */
function freeName({ saved }: Workspace, pdf: string): string {
  const base = pdf.replace(/\.pdf$/i, '');
  const names = Array.from({ length: MAX_FILES + 1 }, (_, at) => `${base}${at === 0 ? '' : `-${at + 1}`}.html`);
  const otherNames = [...saved.values()].filter(({ beside }) => beside !== pdf).map(({ name }) => name);
  const isFree = (name: string) => !otherNames.includes(name) && nameFault(name, otherNames) === undefined;
  return names.find(isFree) ?? `${base}.html`;
}

/** As the model wrote it, without the marks that keep a text from being read as Markdown. */
const markdownSection = ({ heading, paragraphs = [], items = [], table }: SectionInput): string =>
  [
    `# ${heading}`,
    ...paragraphs,
    items.map((item) => `- ${item}`).join('\n'),
    table ? markdownTable([table.columns, ...table.rows]) : '',
  ]
    .filter((block) => block !== '')
    .join('\n\n');

const sectionOf = ({ heading, paragraphs = [], items = [], table }: SectionInput): ReportSection => ({
  heading,
  blocks: [
    ...paragraphs.map((text): ReportBlock => ({ kind: 'paragraph', runs: [{ text }] })),
    ...(items.length > 0 ? [{ kind: 'list' as const, items: items.map((text) => [{ text }]) }] : []),
    ...(table
      ? [
          {
            kind: 'table' as const,
            columns: table.columns.map((column) => ({ heading: column })),
            rows: table.rows.map((row) => table.columns.map((_, at) => ({ text: row[at] ?? '' }))),
          },
        ]
      : []),
  ],
});
