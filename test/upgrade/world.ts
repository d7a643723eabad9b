/** A small world of every kind of row, written by the use cases of whichever version runs this. */
import { join } from 'node:path';
import { folderBlobs } from '../../adapters/local/file-blobs.ts';
import { localQueues } from '../../adapters/local/local-queues.ts';
import { localScheduler } from '../../adapters/local/scheduler.ts';
import { fileSecrets } from '../../adapters/local/secrets.ts';
import { signedAddresses } from '../../adapters/local/signed-addresses.ts';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import { passwords as makePasswords } from '../../engines/passwords/passwords.ts';
import { WEBHOOK_BODIES } from '../../functions/message-bodies.ts';
import { provisionOrganization } from '../../shared/accounts/provision-organization.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { logger } from '../../shared/core/log.ts';
import { vault as makeVault } from '../../shared/core/vault.ts';
import type { Draft, Table } from '../../shared/ports.ts';
import { checkpointDrafts } from '../../shared/tasks/checkpoints.ts';
import { hintsOver } from '../../shared/tasks/hints.ts';
import { detailsExpireAt, type TaskAddress } from '../../shared/tasks/rows.ts';
import { submitTask } from '../../shared/tasks/submit.ts';
import { newTask } from '../../shared/tasks/task.ts';
import { moveTask } from '../../shared/tasks/transition.ts';
import { senderCache } from '../../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../../shared/webhooks/sender-slots.ts';
import { belongingsOf } from '../functions/both-apis/belongings.ts';
import { setClock } from '../ports/clock.ts';

export type World = ReturnType<typeof openWorld>;
const ENDPOINT = 'https://hooks.customer-a.com/errand';

export function openWorld(folder: string, at?: number) {
  const clock = setClock(at);
  const ids = makeIds(clock);
  const table = sqliteTable({ file: join(folder, 'state.db'), clock, ids });
  const secrets = fileSecrets({ file: join(folder, 'master.json') });
  const log = logger({ clock, write: () => undefined, minLevel: 'error' });
  const queues = localQueues({ clock, ids });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock });
  const blobs = folderBlobs({ folder: join(folder, 'blobs'), addresses });
  return {
    table,
    clock,
    ids,
    secrets,
    log,
    blobs,
    vault: makeVault(secrets),
    recalled: senderCache({ table, clock, vault: makeVault(secrets) }),
    hints: hintsOver({ ...queues, log }),
    scheduler: localScheduler({ table, clock, lanes: queues.lanes }),
    passwords: makePasswords({ logCost: 10 }),
    random: () => 0.5,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: 1, toReceiver: 1 }),
    sayEnding: async () => 'gone' as const,
  };
}

/** Every row as it was last written. */
export function recording(table: Table): {
  table: Table;
  rows: Map<string, Draft<unknown> & { pk: string; sk: string }>;
} {
  const rows = new Map<string, Draft<unknown> & { pk: string; sk: string }>();
  const note = (draft: Draft<unknown> & { pk: string; sk: string }) => rows.set(`${draft.pk} ${draft.sk}`, draft);
  const insert: Table['insert'] = async (draft, first) => {
    const row = await table.insert(draft, first);
    if (row) for (const each of [...(first ?? []), draft]) note(each);
    return row;
  };
  const replace: Table['replace'] = async (before, draft, o) => {
    const row = await table.replace(before, draft, o);
    if (row) for (const each of [...(o?.prerequisites ?? []), { pk: before.pk, sk: before.sk, ...draft }]) note(each);
    return row;
  };
  return { table: { ...table, insert, replace }, rows };
}

/** Tasks in each state that lasts, beside one of everything that has an id. */
export async function fill(world: World) {
  const { table, ids, clock } = world;
  const founded = await provisionOrganization(world, { name: 'Acme', models: ['offline/extractive'] });
  const organization = founded.id;

  async function task(more: object = {}): Promise<TaskAddress> {
    const address = { organization, taskId: ids.uuid() };
    const about = { input: { model: 'offline/extractive' }, by: 'user:one', metadata: { order: '7' }, ...more };
    await submitTask(world, address, { face: 'agents', type: 'made', priority: 5, about });
    return address;
  }
  const [queued, running, due] = [await task(), await task(), await task({ endpoint: ENDPOINT })];
  await moveTask(world, running, { type: 'claim' });
  const reached = { checkpoint: 1, attempt: 1 };
  const now = clock.now();
  const expiresAt = detailsExpireAt(newTask({ face: 'agents', type: 'made', priority: 5, now, hasWebhook: false }));
  const first = checkpointDrafts(running, { ...reached, carried: { text: 'one' }, expiresAt });
  await moveTask(world, running, { type: 'beat', ...reached, progress: 33 }, { prerequisites: first });
  await moveTask(world, due, { type: 'cancel', force: true });
  const { fileId } = await belongingsOf({ ...world, table } as never, organization);
  return { founded, organization, queued, running, due, fileId };
}
