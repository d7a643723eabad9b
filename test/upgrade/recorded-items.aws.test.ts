/** A DynamoDB table with the items that an earlier version wrote, under the use cases of today. */
import { answered } from '../support/post-answers.ts';
import { join } from 'node:path';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import type { DynamoItem } from '../../adapters/aws/dynamo-items.ts';
import { dynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { localQueues } from '../../adapters/local/local-queues.ts';
import { localScheduler } from '../../adapters/local/scheduler.ts';
import { keyAuthenticator } from '../../shared/accounts/key-authenticator.ts';
import { userByName } from '../../shared/accounts/users.ts';
import { DUE_SHARDS } from '../../shared/core/shard.ts';
import type { Key, Post, Table } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { taskKey } from '../../shared/tasks/rows.ts';
import type { Task } from '../../shared/tasks/task.ts';
import { runTask } from '../../shared/tasks/run-task.ts';
import { senderCache } from '../../shared/webhooks/sender-cache.ts';
import { sendWebhook } from '../../shared/webhooks/send.ts';
import { createTable, deleteTable } from '../ports/table/dynamo.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { RELEASES, readRecorded, recordedFolder } from './recorded-file.ts';
import { readRecordedRows } from './recorded-rows.ts';
import { unpackState } from './state-archive.ts';
import { openWorld, type World } from './world.ts';

const BATCH = 25;
const DAY_MS = 86_400_000;

const client = new DynamoDBClient({});

describe.each(RELEASES)('a table of %s', (version) => {
const items: DynamoItem[] = readRecorded(version, 'items.json');
const state = readRecorded(version, 'state.json');
let folder: ReturnType<typeof temporaryFolder>;
let local: World;
let table: Table;
let world: Omit<World, 'table'> & { table: Table };
let tableName: string;

beforeEach(async () => {
  folder = temporaryFolder();
  unpackState(join(recordedFolder(version), 'state.tar.br'), folder.path);
  local = openWorld(folder.path, state.killedAt);
  const { clock, ids, vault } = local;
  tableName = `errand-${ids.uuid()}`;
  await createTable(client, tableName);
  for (let from = 0; from < items.length; from += BATCH) {
    const requests = items.slice(from, from + BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  table = dynamoTable({ client: dynamoClient(environmentConnection(process.env)), tableName, clock, ids });
  const scheduler = localScheduler({ table, clock, lanes: localQueues({ clock, ids }).lanes });
  world = { ...local, table, scheduler, recalled: senderCache({ table, clock, vault }) };
});
afterEach(async () => {
  local.table.close();
  folder.remove();
  await deleteTable(client, tableName);
});

const [{ id: organization }] = state.organizations;
const address = (taskId: string) => ({ organization, taskId });
const running = address(state.chats.hanging[0]);
const queued = address(state.chats.hanging.at(-1));
const taskAt = async (of: typeof running) => (await table.get<Task>(taskKey(of)))?.value;
const run = (of: typeof running) => {
  const stages = [{ name: 'one', run: async () => ({ text: 'done' }) }];
  const agents = { chat: { stages: () => stages } };
  return runTask({ ...world, every: () => () => undefined, agents }, of, new AbortController().signal);
};

describe('has indexes that', () => {
  it('list what the recorded state lists, in the same order', async () => {
    const rows = readRecordedRows(folder.path, state);
    const known = new Set(rows.map(({ pk, sk }) => `${pk} ${sk}`));
    const drafts = await Promise.all(rows.map((row) => local.table.get(row)));
    const lists = new Set(drafts.flatMap((row) => (row?.listed ? [row.listed.list] : [])));
    expect(lists.size).toBeGreaterThan(5);
    for (const list of lists) {
      const expected = drafts.flatMap((row) => (row?.listed?.list === list ? [row.listed] : []));
      const { rows: listed } = await table.listed(list, { limit: 100 });
      expect(listed).toEqual(expected.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
    }
    for (let shard = 0; shard < DUE_SHARDS; shard++) {
      const due = (of: Table): Promise<Key[]> => of.due(shard, state.killedAt + DAY_MS, 100);
      const expected = (await due(local.table)).filter(({ pk, sk }) => known.has(`${pk} ${sk}`));
      expect(await due(table)).toEqual(expected);
    }
  });
});

describe('lets the use cases of today', () => {
  it('accept the recorded key and passwords, but no key that was revoked or has expired', async () => {
    const authenticate = keyAuthenticator({ table, clock: world.clock });
    expect(await authenticate(state.validKey)).toMatchObject({ organization });
    expect(await authenticate(state.revokedKey)).toBeUndefined();
    expect(await authenticate(state.expiredKey)).toBeUndefined();
    for (const { username, password } of state.users) {
      const user = await userByName(table, username);
      expect(await world.passwords.verify(password, user?.passwordHash ?? '')).toBe(true);
    }
  });

  it('run what is queued, and what lost its worker', async () => {
    await run(queued);
    expect(await taskAt(queued)).toMatchObject({ state: 'succeeded', attempt: 1 });
    world.clock.pass(61_000);
    await reconcile(world);
    expect(await taskAt(running)).toMatchObject({ state: 'queued', attempt: 1 });
    await run(running);
    expect(await taskAt(running)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });

  it('deliver a webhook in retry', async () => {
    const inRetry = address(state.chats.inRetry);
    world.clock.pass(600_000);
    const sent: { body: string }[] = [];
    const post: Post = async (_, message) => {
      sent.push(message);
      return answered();
    };
    await sendWebhook({ ...world, post }, inRetry, new AbortController().signal);
    expect(sent).toHaveLength(1);
    expect((await taskAt(inRetry))?.hook?.state).toBe('delivered');
  });
});
});
