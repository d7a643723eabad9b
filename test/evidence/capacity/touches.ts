/** The table calls of one task: the real use cases run once over a table that records every call. */

import { join } from 'node:path';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { WEBHOOK_BODIES } from '../../../functions/message-bodies.ts';
import { rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { vault as makeVault } from '../../../shared/core/vault.ts';
import { type Limit, limitSpender } from '../../../shared/limits/rate-limit.ts';
import type { Draft, Key, ListEntry, Row, Table } from '../../../shared/ports.ts';
import { getTask } from '../../../shared/tasks/get-task.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { immediateDelivery } from '../../../shared/webhooks/immediate-delivery.ts';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../../../shared/webhooks/sender-slots.ts';
import { openTasks } from '../../shared/tasks/setup.ts';
import { answered } from '../../support/post-answers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** In units of DynamoDB; `list` and `due` are the write's share of the indexes. */
export type Touch = {
  key: Key;
  writes: number;
  reads: number;
  list?: { partition: string; units: number };
  due: number;
};
export type Life = {
  organization: string;
  taskId: string;
  refused: Touch[];
  touches: Touch[];
  calls: number;
  submits: Limit;
};

const POLLS = 3;
const WRITE_UNIT = 1_024;
const READ_UNIT = 4_096;
/** Names, numbers and the version beside the value. */
const BESIDES = 200;

const limitOf = (path: string, method: string): Limit => {
  const limit = filesAndTasks.routes.find((route) => route.path === path && route.method === method)?.limit;
  if (!limit) throw new Error(`${method} ${path} has no limit.`);
  return limit;
};

export async function lifeOfATask(): Promise<Life> {
  const opened = openTasks();
  const folder = temporaryFolder();
  const touches: Touch[] = [];
  const table = noting(opened.table, touches);
  const { clock, ids, log, blobs, hints, organization } = opened;
  const vault = makeVault(fileSecrets({ file: join(folder.path, 'master.json') }));
  const ports = { table, clock, hints, log, blobs, vault, ids };
  await rotateWebhookSecret(ports, organization);
  touches.length = 0;

  const submits = limitOf('/api/v1/tasks', 'POST');
  const address = { organization, taskId: ids.uuid() };
  await limitSpender(ports)(organization, submits);
  const refused = [...touches];
  const input = { prompt: 'What is said?', fileIds: [], steps: [], rulesets: [], model: 'm' };
  const about = { namespace: 'n', endpoint: 'https://hooks.customer-a.com/errand', input };
  await submitTask(ports, address, { face: 'files-and-tasks', type: 'chat#00000000000', priority: 5, about });
  const stages = () => [{ name: 'answer', run: async () => ({ text: 'This.' }) }];
  const never = new AbortController().signal;
  const post = async () => answered();
  const sending = {
    ...ports,
    random: () => 0.5,
    post,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: 1, toReceiver: 1 }),
    recalled: senderCache(ports),
  };
  const first = immediateDelivery(sending, never);
  const working = { ...ports, every: () => () => undefined, agents: { chat: { stages } }, immediateDelivery: first };
  await runTask(working, address, never);
  await first.settled();
  for (let poll = 0; poll < POLLS; poll++) await getTask(ports, address, 'files-and-tasks');
  opened.close();
  folder.remove();
  return { organization, taskId: address.taskId, refused, touches, calls: 1 + POLLS, submits };
}

const unitsOf = (value: unknown, unit: number): number =>
  Math.ceil((Buffer.byteLength(JSON.stringify(value) ?? '') + BESIDES) / unit);

function noting(table: Table, touches: Touch[]): Table {
  const read = (key: Key, row: Row<unknown> | undefined) =>
    touches.push({ key, writes: 0, reads: unitsOf(row?.value, READ_UNIT), due: 0 });
  const wrote = ({ pk, sk, value, ...next }: Draft<unknown>, was?: Partial<Row<unknown>>) => {
    const list = listUnits(was, next);
    touches.push({
      key: { pk, sk },
      writes: unitsOf(value, WRITE_UNIT),
      reads: 0,
      ...(list ? { list } : {}),
      due: dueUnits(was, next),
    });
  };
  return {
    ...table,
    async get<T>(key: Key) {
      const row = await table.get<T>(key);
      read(key, row);
      return row;
    },
    async getMany<T>(keys: Key[]) {
      const rows = await table.getMany<T>(keys);
      for (const [at, key] of keys.entries()) read(key, rows[at]);
      return rows;
    },
    insert(draft, first = []) {
      for (const one of [...first, draft]) wrote(one);
      return table.insert(draft, first);
    },
    replace(held, next, o) {
      for (const one of o?.prerequisites ?? []) wrote(one);
      wrote({ pk: held.pk, sk: held.sk, ...next }, held);
      return table.replace(held, next, o);
    },
    spend(key, spend) {
      touches.push({ key, writes: 1, reads: 0, due: 0 });
      return table.spend(key, spend);
    },
  };
}

type Placed = { listed?: ListEntry | undefined; dueAt?: number | undefined; expiresAt?: number | undefined };

/** An unchanged entry costs nothing. */
function listUnits(was: Placed | undefined, is: Placed): Touch['list'] {
  if (!is.listed) return undefined;
  const isSame = JSON.stringify([was?.listed, was?.expiresAt]) === JSON.stringify([is.listed, is.expiresAt]);
  return isSame ? undefined : { partition: is.listed.list, units: 1 };
}

/** The time is part of the index key, so a change takes two writes. The expiry is stored beside it. */
function dueUnits(was: Placed = {}, is: Placed): number {
  if (was.dueAt === is.dueAt) return is.dueAt === undefined || was.expiresAt === is.expiresAt ? 0 : 1;
  return was.dueAt === undefined || is.dueAt === undefined ? 1 : 2;
}
