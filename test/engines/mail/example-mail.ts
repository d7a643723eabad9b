/** A mail of each kind from the sample corpora, as the local product sends it. */
import PostalMime from 'postal-mime';
import { toPreviewHtml } from '../../../adapters/local/mail-pages.ts';
import { fontFilesFromCheckout, samplesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { chartPng } from '../../../engines/charts/chart-image.ts';
import { sampleCorpora, sampleItems } from '../../../engines/sources/bundled-sources.ts';
import { askPage } from '../../../functions/agents/unsubscribe.ts';
import { gatheringOf, openMail } from '../../agents/notification/setup.ts';

export const examplePage = askPage({ name: 'Acme', hint: 'a…@readers.org' });

const NAMES = ['news_feeds', 'market_data', 'financial_reports'];
const AT = Date.UTC(2026, 10, 20, 7);

/** Its HTML as a mail program shows it, with inline pictures. */
export async function exampleMail(notification_type: string, content: object = {}): Promise<string> {
  const bundled = sampleCorpora(samplesFromCheckout());
  const sources: Parameters<typeof openMail>[0] = { sources: {}, chartPng: chartPng(fontFilesFromCheckout()) };
  for (const name of NAMES) {
    const found = await bundled(name);
    if (!found || !('sample' in found)) throw new Error(`There is no sample of ${name}.`);
    const items = sampleItems(found.sample, AT);
    Object.assign(sources.sources ?? {}, { [name]: gatheringOf(items, { source: name, isSample: true }) });
  }
  const at = await openMail(sources);
  const run = { number: 1, slotAt: AT };
  const asks = { recipients: ['ann@readers.org'], data_sources: ['news_feeds', 'market_data'], include_charts: true };
  await at.run({ notification_type, content: { ...asks, ...content } }, { run });
  const mail = await PostalMime.parse(at.raws()[0] ?? '', { attachmentEncoding: 'base64' });
  at.close();
  return toPreviewHtml(mail);
}
