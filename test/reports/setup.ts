/** Reports made from the sources, as text or bytes. */
import { fontFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { renderReport } from '../../engines/reports/render-report.ts';
import type { ReportDocument } from '../../engines/reports/report-document.ts';

export const render = renderReport(fontFilesFromCheckout());

export async function textOf(report: ReportDocument, format: 'markdown' | 'html'): Promise<string> {
  const { bytes } = await render(report, format);
  return new TextDecoder().decode(bytes);
}
