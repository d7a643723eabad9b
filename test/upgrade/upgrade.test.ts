/** A deployed stage moves to the next version and back while rows of both lie in its table. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overrideLimit } from '../../shared/accounts/caps.ts';
import { keyAuthenticator } from '../../shared/accounts/key-authenticator.ts';
import { setRole, userByName } from '../../shared/accounts/users.ts';
import { getFile } from '../../shared/files/get-file.ts';
import type { Draft, Post } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import { runTask } from '../../shared/tasks/run-task.ts';
import type { Task } from '../../shared/tasks/task.ts';
import { moveTask } from '../../shared/tasks/transition.ts';
import { sendWebhook } from '../../shared/webhooks/send.ts';
import { webhookSignature } from '../../shared/webhooks/signing.ts';
import type { Any } from '../support/any.ts';
import { answered } from '../support/post-answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { NEWEST_RELEASE, readRecorded } from './recorded-file.ts';
import { fill, openWorld, recording, type World } from './world.ts';

type Before = {
  made: Awaited<ReturnType<typeof fill>>;
  master: string;
  rows: (Draft<Any> & { pk: string; sk: string })[];
};

const BEFORE = readRecorded(NEWEST_RELEASE, 'rows.json') as Before;
const { made } = BEFORE;

let folder: ReturnType<typeof temporaryFolder>;
let world: World;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, 'master.json'), BEFORE.master, { mode: 0o600 });
  world = openWorld(folder.path);
});
afterEach(() => {
  world.table.close();
  folder.remove();
});

const lay = async (change: (value: Any) => Any = (value) => value) => {
  for (const row of BEFORE.rows) await world.table.insert({ ...row, value: change(row.value) });
};
const taskAt = async (address: TaskAddress): Promise<Task | undefined> =>
  (await world.table.get<Task>(taskKey(address)))?.value;
const run = (address: TaskAddress, ran: string[] = []) => {
  const stages = ['one', 'two'].map((name) => ({
    name,
    run: async () => {
      ran.push(name);
      return { text: name };
    },
  }));
  const agents = { made: { stages: () => stages } };
  return runTask({ ...world, every: () => () => undefined, agents }, address, new AbortController().signal);
};

describe('rows of the release before', () => {
  it('let the same callers in, by key and by name', async () => {
    await lay();
    const owner = await keyAuthenticator({ table: world.table, clock: world.clock })(made.founded.apiKey);
    expect(owner).toMatchObject({ organization: made.organization });
    const user = await userByName(world.table, made.founded.username);
    expect(await world.passwords.verify(made.founded.password, user?.passwordHash ?? '')).toBe(true);
  });

  it('are tasks that go on: what waited is begun, what was lost is taken up at its checkpoint', async () => {
    await lay();
    await run(made.queued);
    expect(await taskAt(made.queued)).toMatchObject({ state: 'succeeded', progress: 100 });
    world.clock.pass(61_000);
    await reconcile(world);
    expect(await taskAt(made.running)).toMatchObject({ state: 'queued', checkpoint: 1 });
    const ran: string[] = [];
    await run(made.running, ran);
    expect([ran, (await taskAt(made.running))?.state]).toEqual([['two'], 'succeeded']);
  });

  it('are webhooks that are sent, signed with the secret that was sealed then', async () => {
    await lay();
    const sent: { body: string; headers: Record<string, string> }[] = [];
    const post: Post = async (_, message) => {
      sent.push(message);
      return answered();
    };
    await sendWebhook({ ...world, post }, made.due, new AbortController().signal);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers['x-service-signature']).toBe(
      webhookSignature.service(made.founded.webhookSecret, sent[0]?.body ?? ''),
    );
    expect((await taskAt(made.due))?.hook?.state).toBe('delivered');
  });

  it('are files that are shown, and kept as long as they were promised', async () => {
    await lay();
    const { fileName, size } = await getFile(world, { organization: made.organization, fileId: made.fileId });
    expect([fileName, size]).toEqual(['a.txt', 5]);
  });
});

describe('rows of a future release, with unknown fields', () => {
  const LATER = { later: { of: 'the next release', list: [1, 2] } };
  const laid = () => lay((value) => (typeof value === 'object' && value !== null ? { ...value, ...LATER } : value));
  const kept = async (pk: string, sk: string) => (await world.table.get<Any>({ pk, sk }))?.value.later;

  it('are read, moved and ended, and keep those fields', async () => {
    await laid();
    await run(made.queued);
    await moveTask(world, made.running, { type: 'cancel', force: true });
    for (const address of [made.queued, made.running]) {
      const { pk, sk } = taskKey(address);
      expect(await kept(pk, sk)).toEqual(LATER.later);
    }
    expect((await taskAt(made.running))?.state).toBe('cancelled');
  });

  it('are users and organizations that are changed, and keep those fields', async () => {
    await laid();
    const user = await userByName(world.table, made.founded.username);
    await setRole(world.table, user?.id ?? '', 'viewer');
    await overrideLimit(world.table, made.organization, { limit: 'tasks', minute: 7 });
    for (const row of BEFORE.rows.filter(({ sk }) => sk === 'USER' || sk === 'ORGANIZATION')) {
      expect(await kept(row.pk, row.sk), row.sk).toEqual(LATER.later);
    }
    expect((await userByName(world.table, made.founded.username))?.role).toBe('viewer');
  });
});

describe('rows of this release', () => {
  it('have all that the release before has in its own, of the same kind', async () => {
    const fresh = temporaryFolder();
    const now = openWorld(fresh.path);
    const { table, rows } = recording(now.table);
    await fill({ ...now, table: table as typeof now.table });
    now.table.close();
    fresh.remove();
    const written = shapesOf([...rows.values()]);
    for (const [kind, shape] of Object.entries(shapesOf(BEFORE.rows))) {
      expect(written[kind], kind).toMatchObject(shape);
    }
  });
});

/** By kind, and for a task by its state: which fields there are, and what is in them. */
function shapesOf(rows: Before['rows']): Record<string, Any> {
  return Object.fromEntries(
    rows.map(({ sk, value, ...about }) => [
      [sk.split('#')[0], value?.state ?? ''].join(' ').trim(),
      { ...kindsIn(value), ...Object.fromEntries(Object.keys(about).map((name) => [`row.${name}`, 'there'])) },
    ]),
  );
}

const kindsIn = (value: Any): Any =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, kindsIn(each)]))
    : Array.isArray(value)
      ? 'list'
      : typeof value;
