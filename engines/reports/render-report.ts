/** Makes a report's Markdown, HTML or PDF: equal bytes for equal reports. */
import type { FontFiles } from '../fonts/font-files.ts';
import { writeHtml } from './html/write-html.ts';
import { writeMarkdown } from './markdown/write-markdown.ts';
import type { RenderReport, ReportFormat } from './report-document.ts';
import { tidyReport } from './tidy-report.ts';

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
      return { ...TYPES.pdf, bytes: await writePdf(tidy, files) };
    }
    const text = format === 'html' ? writeHtml(tidy) : writeMarkdown(tidy);
    return { ...TYPES[format], bytes: new TextEncoder().encode(text) };
  };
