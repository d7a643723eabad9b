/**
 * The writers of the files that agents deliver, as the threads load them with `text-rules.ts`: plain data in, bytes out. A
 * large file takes seconds to write, so outside of the threads nothing calls them; agents name them to `fileWriter` in
 * write-files.ts. Each loads its program with its first file.
 */

import type { FontFiles } from '../engines/fonts/font.ts';
import type { OutputSheet } from '../engines/outputs/workbook.ts';
import type { RenderedReport, ReportDocument, ReportFormat } from '../engines/reports/report-document.ts';
import type { OutputFormat } from '../shared/agents/processing-input.ts';
import type { ProcessingResults } from '../shared/agents/results/processing.ts';
import type { WrittenFile } from './checkpoints.ts';
import type { RecordRows } from './processing/record-tables.ts';

type ReportInput = { report: ReportDocument; format: ReportFormat; fonts: FontFiles };
type ResultsInput = { results: ProcessingResults; format: OutputFormat };

const workbook = () => import('../engines/outputs/workbook.ts');
const output = () => import('./processing/write-results.ts');

export const FILE_WRITERS = {
  recordFiles: async (rows: RecordRows): Promise<WrittenFile[]> => (await output()).recordFiles(rows),
  renderReport: async ({ report, format, fonts }: ReportInput): Promise<RenderedReport> =>
    (await import('../engines/reports/render-report.ts')).renderReport(fonts)(report, format),
  writeResults: async ({ results, format }: ResultsInput): Promise<WrittenFile> =>
    (await output()).writeFile(results, format),
  writeWorkbook: async (sheets: readonly OutputSheet[]): Promise<Uint8Array> => (await workbook()).writeXlsx(sheets),
  zipFiles: async (files: readonly { name: string; bytes: Uint8Array }[]): Promise<Uint8Array> =>
    (await workbook()).zipFiles(files),
} as const;

export type FileWriters = typeof FILE_WRITERS;
