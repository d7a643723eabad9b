/** Makes a report's Markdown, HTML or PDF. */
import type { RenderReport } from './report-document.ts';

/** Fonts that a PDF carries; none is ever fetched from elsewhere. */
export type ReportFiles = { regular: string; semiBold: string };

export function renderReport(_files: ReportFiles): RenderReport {
  throw new Error('not written yet');
}
