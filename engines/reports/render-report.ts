/** Renders a report as Markdown, HTML or PDF: equal bytes for equal reports. */
import type { FontFiles } from '../fonts/font.ts';
import { writeHtml } from './html.ts';
import { writeMarkdown } from './markdown.ts';
import { type RenderReport, type ReportFormat, tidyReport } from './report-document.ts';

const TYPES: Record<ReportFormat, { contentType: string; extension: string }> = {
  markdown: { contentType: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { contentType: 'text/html; charset=utf-8', extension: 'html' },
  pdf: { contentType: 'application/pdf', extension: 'pdf' },
};

export const renderReport =
  (files: FontFiles): RenderReport =>
  async (report, format) => {
    const tidy = tidyReport(report);
    if (format === 'pdf') {
      const { writePdf } = await import('./pdf/write-pdf.ts');
      return { ...TYPES.pdf, ...(await writePdf(tidy, files)) };
    }
    const text = format === 'html' ? writeHtml(tidy) : writeMarkdown(tidy);
    return { ...TYPES[format], bytes: new TextEncoder().encode(text), missingScripts: [] };
  };
