/** Ended tasks over the local table and queues, and a sender with the test's own outbound client. */

import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { signedAddresses } from '../../../adapters/local/signed-addresses.ts';
import { WEBHOOK_BODIES } from '../../../functions/message-bodies.ts';
import { currentSecrets, rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { vault as makeVault } from '../../../shared/core/vault.ts';
import type { Post } from '../../../shared/ports.ts';
import type { TaskDetails } from '../../../shared/tasks/details.ts';
import { type Hints, hintsOver } from '../../../shared/tasks/hints.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import { detailsExpireAt, type TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import type { TaskApi } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { deliveriesOf } from '../../../shared/webhooks/deliveries.ts';
import { type SenderPorts, sendWebhook } from '../../../shared/webhooks/send.ts';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../../../shared/webhooks/sender-slots.ts';
import { answered } from '../../support/post-answers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openTasks } from '../tasks/setup.ts';

export type WebhookSetup = ReturnType<typeof openWebhooks>;

type TaskOptions = { organization?: string; face?: TaskApi; endpoint?: string; about?: TaskDetails; text?: string };

export const ENDPOINT = 'https://hooks.customer-a.com/errand?from=1';

const never = new AbortController().signal;

export function openWebhooks(options: { hints?: Hints } = {}) {
  const tasks = openTasks();
  const { clock, ids, table, log, queues } = tasks;
  const folder = temporaryFolder();
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const vault = makeVault(secrets);
  const hints = options.hints ?? hintsOver({ ...queues, log });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock });
  const blobs = folderBlobs({ folder: join(folder.path, 'blobs'), addresses });
  const ports = { table, blobs, clock, hints, log, vault, ids };

  const sender = (post: Post, more: Partial<SenderPorts> = {}): SenderPorts => ({
    ...ports,
    random: () => 0.5,
    post,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: 10, toReceiver: 10 }),
    recalled: senderCache(ports),
    ...more,
  });

  async function accept({ organization = tasks.organization, face = 'files-and-tasks', endpoint, about }: TaskOptions) {
    const address: TaskAddress = { organization, taskId: ids.uuid() };
    const to = { endpoint: endpoint ?? ENDPOINT };
    const around: TaskDetails = { namespace: 'n', input: {}, ...to, ...about };
    const row = await submitTask(ports, address, { face, type: 'made', priority: 5, about: around });
    return { address, row };
  }

  return {
    ...tasks,
    ...ports,
    folder: folder.path,
    sender,
    accept,
    /** A task without a webhook. */
    silent: () => tasks.submit(),
    rotate: (organization = tasks.organization) => rotateWebhookSecret(ports, organization),
    secrets: async (organization = tasks.organization) =>
      (await currentSecrets(ports, organization)).map(({ secret }) => secret),
    /** A succeeded task whose webhook is due. */
    async ended(options: TaskOptions = {}): Promise<TaskAddress> {
      const { address, row } = await accept(options);
      await moveTask(ports, address, { type: 'claim' });
      const result = { text: options.text ?? 'Grüße, 世界' };
      const resultRows = resultDrafts(address, { attempt: 1, result, expiresAt: detailsExpireAt(row.value) });
      await moveTask(ports, address, { type: 'finish', attempt: 1, as: 'succeeded' }, { prerequisites: resultRows });
      return address;
    },
    send: (address: TaskAddress, post: Post, more: Partial<SenderPorts> = {}) =>
      sendWebhook(sender(post, more), address, never),
    async delivery(address: TaskAddress) {
      const [delivery] = await deliveriesOf({ table }, address);
      if (!delivery) throw new Error('There is no delivery.');
      return delivery;
    },
    close() {
      tasks.close();
      folder.remove();
    },
  };
}

type Sent = { address: string; headers: Record<string, string>; body: string };

/** An outbound client that answers as the test says and records requests. */
export function recordingPost(
  answer: (request: Sent) => Awaited<ReturnType<Post>> = () => OK,
): Post & { sent: Sent[] } {
  const requests: Sent[] = [];
  const post: Post = async (address, message) => {
    requests.push({ address, ...message });
    return answer({ address, ...message });
  };
  return Object.assign(post, { sent: requests });
}

export const OK = answered();
export const status = (code: number, retryAfter?: string) => answered(code, { retryAfter });

/** Created before each test, with a secret. */
export function useWebhooks() {
  const its = {} as { opened: WebhookSetup };
  beforeEach(async () => {
    its.opened = openWebhooks();
    await its.opened.rotate();
  });
  afterEach(() => its.opened.close());
  return {
    its,
    /** The tasks whose ids were sent to the sender's queue. */
    hinted: async () => (await its.opened.queues.webhooks.receive(10, 0)).map(({ body }) => JSON.parse(body).taskId),
  };
}
