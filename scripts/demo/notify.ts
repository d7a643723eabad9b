/** The part of `npm run demo:agents` about mail: one that recurs arrives at its time, its reader leaves by one click, and gets no more. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime from 'postal-mime';

const READER = 'ann@readers.org';
const SOON_MS = 5_000;
const PATIENCE_MS = 90_000;
const CONTENT = {
  data_sources: ['news_feeds', 'market_data'],
  recipients: [READER, 'bob@readers.org'],
  include_charts: true,
};

export type Call = <T>(path: string, body?: object) => Promise<T>;
type Say = (label: string, text: string) => void;
type Recipient = { address: string; status: string; reason: string | null };
type Shown = {
  results: { recipients?: Recipient[]; runs?: { slot_at: string; results: { recipients: Recipient[] } }[] };
};
type Given = { call: Call; say: Say; mails: string; saved: string };

export async function notify({ call, say, mails, saved }: Given): Promise<void> {
  const time = new Date(Date.now() + SOON_MS).toISOString().slice(11, 19);
  const input = { notification_type: 'daily_digest', schedule: { frequency: 'daily', time }, content: CONTENT };
  const id = await submitted(call, input);
  say('submitted', `notification_agent, daily at ${time} UTC, ${id}`);
  const [run] = (await resultsOf(call, id)).results.runs ?? [];
  tell(say, `ran at ${run?.slot_at}`, run?.results.recipients ?? []);

  const link = await keepMail({ mails, saved, say });
  const page = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  say('left', `${READER} unsubscribed by one click: ${page.status}`);
  const { results } = await resultsOf(call, await submitted(call, { content: CONTENT }));
  tell(say, 'ran once more', results.recipients ?? []);
  await call(`/api/v1/tasks/${id}/cancel`, { reason: 'end of the demo' });
}

const submitted = async (call: Call, input: object): Promise<string> =>
  (await call<{ task_id: string }>('/api/v1/tasks', { task_type: 'notification_agent', input })).task_id;

/** They are there when the first run has ended. */
async function resultsOf(call: Call, id: string): Promise<Shown> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(500)) {
    const shown = await call<Shown>(`/api/v1/tasks/${id}/results`).catch((error: Error) => {
      if (!/ answered 409/.test(error.message)) throw error;
      return undefined;
    });
    if (shown) return shown;
  }
  throw new Error('The notification did not run in time.');
}

function tell(say: Say, what: string, recipients: Recipient[]): void {
  const fates = recipients.map(({ address, status, reason }) => `${address} ${status}${reason ? ` (${reason})` : ''}`);
  say('mail', `${what}: ${fates.join(', ')}`);
}

/** Where the reader's mail leads to for leaving. */
async function keepMail({ mails, saved, say }: Omit<Given, 'call'>): Promise<string> {
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
