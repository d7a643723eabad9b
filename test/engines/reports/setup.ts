/** Reports made from the sources, as text or bytes. */
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { type OutputSheet, writeXlsx } from '../../../engines/outputs/workbook.ts';
import { renderReport } from '../../../engines/reports/render-report.ts';
import type { ReportDocument } from '../../../engines/reports/report-document.ts';

export const render = renderReport(fontFilesFromCheckout());
/** What a workspace writes files with, on the thread of the test. */
export const writers = { render, writeWorkbook: async (sheets: readonly OutputSheet[]) => writeXlsx(sheets) };

export async function textOf(report: ReportDocument, format: 'markdown' | 'html'): Promise<string> {
  const { bytes } = await render(report, format);
  return new TextDecoder().decode(bytes);
}
