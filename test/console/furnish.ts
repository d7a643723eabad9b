/** A product with content on every page of the console. */
import { readdirSync } from 'node:fs';
import type { Running } from '../functions/over-http/local-product.ts';
import { clientsOf, rootOf } from './open-console.ts';

export type Furnished = { research: string; recurring: string; prompt: string; mail: string };

export async function furnish(product: Running): Promise<Furnished> {
  const { people, files, tasks } = clientsOf(product);
  const webhook_url = `${rootOf(product)}catch/`;
  const metadata = { project: 'northern ports', team: 'research' };
  const research = await people.submit({
    task_type: 'research_agent',
    input: {
      query: 'How did port fees and container freight rates change?',
      output_format: 'html',
      deliverables: ['charts', 'key_findings', 'bibliography'],
    },
    webhook_url,
    metadata,
  });
  const content = {
    recipients: ['ann@readers.org'],
    data_sources: ['news_feeds', 'market_data'],
    include_charts: true,
  };
  const once = await people.submit({
    task_type: 'notification_agent',
    input: { notification_type: 'weekly_report', content },
    metadata: { team: 'desk' },
  });
  const recurring = await people.submit({
    task_type: 'notification_agent',
    priority: 8,
    input: {
      notification_type: 'digest',
      content,
      schedule: { frequency: 'weekly', day_of_week: 'monday', time: '07:00:00', timezone: 'Europe/Berlin' },
    },
    metadata: { team: 'desk' },
  });
  const text = 'The lease begins on 14 January 2026 and ends on 13 January 2031. The rent is 1,200 euros a month.';
  const { fileId } = await files.upload(new Blob([text]), { fileName: 'lease-contract.txt', mimeType: 'text/plain' });
  await files.upload(new Blob(['port,fee\nGdansk,120\nRiga,98\n']), {
    fileName: 'port-fees-2026.csv',
    mimeType: 'text/csv',
  });
  const { taskId } = await tasks.create({
    namespace: 'homes',
    delivery: { type: 'webhook', config: { endpoint: webhook_url } },
    input: { type: 'chat', prompt: 'What is the rent, and when does the lease end?', fileIds: [fileId] },
  });
  await Promise.all([people.wait(research.task_id), people.wait(once.task_id), tasks.wait(taskId)]);
  await waitForDelivery(async () => (await tasks.deliveries(taskId))[0]?.state);
  await waitForDelivery(async () => (await people.deliveries(research.task_id))[0]?.state);
  const [mail = ''] = readdirSync(product.local.mail).filter((name) => name.endsWith('.eml'));
  return { research: research.task_id, recurring: recurring.task_id, prompt: taskId, mail };
}

async function waitForDelivery(stateNow: () => Promise<string | undefined>): Promise<void> {
  while ((await stateNow()) !== 'delivered') await new Promise((again) => setTimeout(again, 200));
}
