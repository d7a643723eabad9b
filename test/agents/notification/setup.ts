/** The notification agent over the local table, folder and mailer, with the test's sources and model. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import PostalMime, { type Email } from 'postal-mime';
import { folderMailer } from '../../../adapters/local/mailer.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { notificationAgent } from '../../../agents/notification/notification-agent.ts';
import type { NotificationPorts } from '../../../agents/notification/ports.ts';
import { TEXT_RULES } from '../../../agents/text-rules.ts';
import { organizationDraft } from '../../../shared/accounts/organizations.ts';
import type { NotificationInput } from '../../../shared/agents/notification-input.ts';
import type { Mail, MailResult } from '../../../shared/ports.ts';
import type { GatheredItems, SourceItem } from '../../../shared/sources/source-item.ts';
import type { Work } from '../../../shared/tasks/agent.ts';
import type { RunOf } from '../../../shared/tasks/task.ts';
import { openFiles } from '../../shared/files/setup.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { onlyModel, runStages } from '../run-stages.ts';

export const SENDER = 'notifications@errand.test';
export const ROOT = 'https://agents.errand.test';

export const item = (given: Partial<SourceItem> = {}): SourceItem => ({
  source: 'news_feeds',
  address: 'https://news.errand.test/one',
  title: 'Rates stay where they are',
  text: 'The central bank left its key rate unchanged on Thursday. Prices rose by 2.1 % over the year.',
  publishedAt: '2026-11-20T09:00:00.000Z',
  ...given,
});

export const gatheringOf = (items: SourceItem[], given: Partial<GatheredItems> = {}): GatheredItems => ({
  source: 'news_feeds',
  items,
  faults: [],
  queries: 1,
  isSample: false,
  ...given,
});

/** Daily values of two currencies. */
export const rates = (days = 10): SourceItem[] =>
  Array.from({ length: days }, (_, day) =>
    item({
      source: 'market_data',
      title: 'Reference rates',
      text: '',
      publishedAt: `2026-11-${String(10 + day).padStart(2, '0')}T14:00:00.000Z`,
      figures: [
        { label: 'US dollar', value: 1.08 + day / 200, unit: 'per EUR' },
        { label: 'Pound sterling', value: 0.84 - day / 400, unit: 'per EUR' },
        { label: 'Japanese yen', value: 162 + day / 2, unit: 'per EUR' },
      ],
    }),
  );

/** The smallest picture there is. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Applies the rules on texts without a thread. */
const rulesInPlace: NotificationPorts['documents'] = {
  applyRule: async ({ name, input }) => (TEXT_RULES[name as keyof typeof TEXT_RULES] as Any)(input),
};

type Options = {
  model?: LanguageModelV4;
  sources?: Record<string, GatheredItems>;
  chartPng?: NotificationPorts['chartPng'];
};

export async function openMail({
  model,
  sources = {},
  chartPng = async () => ({ bytes: DOT, missingScripts: [] }),
}: Options = {}) {
  const at = openFiles();
  const folder = temporaryFolder();
  const organization = at.ids.uuid();
  const address = { organization, taskId: at.ids.uuid() };
  const named = { id: organization, name: 'Acme & Söhne', createdAt: 0, models: [], limits: {} };
  await at.table.insert(organizationDraft(named));
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const outbox = join(folder.path, 'mail');
  const mailer = folderMailer({ folder: outbox, sender: SENDER, clock: at.clock, ids: at.ids });
  const pauses: number[] = [];
  const ports: NotificationPorts = {
    ...at,
    secrets,
    gather: async (_organization, source) => sources[source] ?? gatheringOf([], { source }),
    chartPng,
    documents: rulesInPlace,
    modelOf: onlyModel(model),
    sending: { mailer, sender: SENDER, rootUrl: ROOT },
    pause: async (ms) => void pauses.push(ms),
  };

  type Running = {
    preview?: true;
    run?: RunOf;
    over?: Partial<NotificationPorts>;
    from?: unknown;
    first?: number;
    most?: number;
  };

  function run(asked: Any, { preview, run: which, over = {}, from, first = 0, most = Infinity }: Running = {}) {
    const input = {
      model: 'offline/extractive',
      asked: asked as NotificationInput,
      ...(preview ? { preview } : {}),
    };
    const { signal } = new AbortController();
    const work: Omit<Work, 'meter'> = {
      address,
      input,
      signal,
      report: () => undefined,
      ...(which ? { run: which } : {}),
    };
    const stages = notificationAgent({ ...ports, ...over }).stages(input);
    return runStages(stages.slice(first, first + most), work, from);
  }

  const files = () => {
    try {
      return readdirSync(outbox).sort();
    } catch {
      return [];
    }
  };
  const raws = (): Buffer[] => files().map((file) => readFileSync(join(outbox, file)));

  return {
    ...at,
    organization,
    address,
    secrets,
    outbox,
    mailer,
    ports,
    pauses,
    run,
    files,
    raws,
    mails: (): Promise<Email[]> => Promise.all(raws().map((raw) => PostalMime.parse(raw))),
    close() {
      at.close();
      folder.remove();
    },
  };
}

export type OpenedMail = Awaited<ReturnType<typeof openMail>>;

/** A mailer with scripted outcomes for each mail, which records the mails. */
export function scriptedMailer(answers: (nth: number, mail: Mail) => MailResult | Promise<MailResult>) {
  const given: Mail[] = [];
  return {
    given,
    send: async (mail: Mail): Promise<MailResult> => {
      given.push(mail);
      return answers(given.length - 1, mail);
    },
  };
}
