/** The part of `npm run demo:agents` about mail: one that recurs arrives at its time, its reader leaves by one click, and gets no more. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { AgentContract, Agents } from '../../client/src/index.ts';

const READER = 'ann@readers.org';
const SOON_MS = 5_000;
const PATIENCE_MS = 90_000;
const CONTENT = {
  data_sources: ['news_feeds', 'market_data'],
  recipients: [READER, 'bob@readers.org'],
  include_charts: true,
};

type Say = (label: string, text: string) => void;
type Results = AgentContract.NotificationResults | AgentContract.NoResults;
type NotifyOptions = { agentsApi: Agents; say: Say; mails: string; saved: string };

export async function notify({ agentsApi, say, mails, saved }: NotifyOptions): Promise<void> {
  const submitted = async (input: AgentContract.NotificationSubmission['input']) =>
    (await agentsApi.submit({ task_type: 'notification_agent', input })).task_id;
  /** Waits until the run, or its next one, has ended, and returns its mails. */
  const resultsOf = async (id: string) => {
    await agentsApi.wait(id, { timeoutMs: PATIENCE_MS });
    return (await agentsApi.results(id)).results;
  };

  const time = new Date(Date.now() + SOON_MS).toISOString().slice(11, 19);
  const schedule = { frequency: 'daily', time } as const;
  const id = await submitted({ notification_type: 'daily_digest', schedule, content: CONTENT });
  say('submitted', `notification_agent, daily at ${time} UTC, ${id}`);
  const recurring = await resultsOf(id);
  const [run] = 'runs' in recurring ? recurring.runs : [];
  reportMails(say, `ran at ${run?.slot_at}`, run?.results);

  const link = await keepMail({ mails, saved, say });
  const page = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  say('left', `${READER} unsubscribed by one click: ${page.status}`);
  const again = await resultsOf(await submitted({ content: CONTENT }));
  reportMails(say, 'ran once more', 'recipients' in again ? again : undefined);
  await agentsApi.cancel(id, { reason: 'end of the demo' });
}

function reportMails(say: Say, what: string, results: Results = {}): void {
  const recipients = 'recipients' in results ? results.recipients : [];
  const fates = recipients.map(({ address, status, reason }) => `${address} ${status}${reason ? ` (${reason})` : ''}`);
  say('mail', `${what}: ${fates.join(', ')}`);
}

/** The unsubscribe URL in the reader's mail. */
async function keepMail({ mails, saved, say }: Omit<NotifyOptions, 'agentsApi'>): Promise<string> {
  for (const name of readdirSync(mails)) {
    const mail = await PostalMime.parse(readFileSync(join(mails, name)));
    if (mail.to?.[0]?.address !== READER) continue;
    const file = join(saved, 'notification.eml');
    copyFileSync(join(mails, name), file);
    say('saved', `${file} ("${mail.subject}")`);
    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    return header.slice(1, -1);
  }
  throw new Error(`No mail to ${READER} arrived.`);
}
