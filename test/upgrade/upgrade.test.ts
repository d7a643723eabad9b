/** A deployed stage moves to the next version and back while rows of both lie in its table. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyAuthenticator } from '../../shared/accounts/api-keys.ts';
import { overrideLimit } from '../../shared/accounts/organizations.ts';
import { setRole, userByName } from '../../shared/accounts/users.ts';
import { deleteFile, sweepUploads } from '../../shared/files/cleanup.ts';
import { type File, fileDraft, fileKey, getFile } from '../../shared/files/file.ts';
import { completeUpload, renewOffer } from '../../shared/files/upload.ts';
import type { Draft, Post } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import type { Task } from '../../shared/tasks/task.ts';
import { moveTask } from '../../shared/tasks/transition.ts';
import { runTask } from '../../shared/tasks/worker.ts';
import { sendWebhook } from '../../shared/webhooks/send.ts';
import { serviceSignature } from '../../shared/webhooks/signing.ts';
import type { Any } from '../any.ts';
import { textOf } from '../contracts/streams.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { putText } from '../files/opened.ts';
import { fill, openWorld, recording, type World } from './world.ts';

type Before = {
  made: Awaited<ReturnType<typeof fill>>;
  master: string;
  rows: (Draft<Any> & { pk: string; sk: string })[];
};

const BEFORE = JSON.parse(readFileSync(join(import.meta.dirname, 'rows-0.1.json'), 'utf8')) as Before;
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
      return { status: 200, retryAfter: undefined, answer: '' };
    };
    await sendWebhook({ ...world, post }, made.due, new AbortController().signal);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers['x-service-signature']).toBe(
      serviceSignature(made.founded.webhookSecret, sent[0]?.body ?? ''),
    );
    expect((await taskAt(made.due))?.hook?.state).toBe('delivered');
  });

  it('are files that are shown, and kept as long as they were promised', async () => {
    await lay();
    const { fileName, size } = await getFile(world, { organization: made.organization, fileId: made.fileId });
    expect([fileName, size]).toEqual(['a.txt', 5]);
  });
});

describe('uploads of a release before, which lay at their path and were copied when they were completed', () => {
  const organization = made.organization;
  const path = `uploads/${organization}/1780315200000-a.txt`;
  const place = `files/${organization}/one/mark`;
  const copy = `files/${organization}/one/other`;
  const fileId = made.fileId.replace(/^./, 'f');
  const address = { organization, fileId };
  const completion = { ...address, storagePath: path, fileName: 'a.txt', mimeType: 'a/b', size: 5 };

  async function written(more: object, places: string[]): Promise<void> {
    const now = world.clock.now();
    const value = { createdAt: now, goneAt: now + 86_400_000, storagePath: path, ...more } as File;
    await world.table.insert(fileDraft(organization, fileId, value));
    for (const each of places) await putText(world.blobs, each, 'hello');
  }
  const left = async () =>
    (await Promise.all([path, place, copy].map((each) => world.blobs.size(each)))).filter((size) => size !== undefined);
  const rowOf = async () => (await world.table.get<File>(fileKey(organization, fileId)))?.value;
  const content = async () => textOf(await world.blobs.read((await getFile(world, address)).bytesAt));

  const stored = { state: 'stored', fileName: 'a.txt', mimeType: 'a/b', size: 5, bytesAt: place, copies: [copy] };

  it('are read, and deleted with every place of theirs', async () => {
    await written(stored, [path, place, copy]);
    expect(await content()).toBe('hello');
    await completeUpload(world, completion);
    await deleteFile(world, address);
    expect([await left(), await rowOf()]).toEqual([[], undefined]);
  });

  it.each([stored, { state: 'awaited', copies: [copy] }])('expire with every place of theirs: %j', async (value) => {
    await written(value, [path, place, copy].slice(0, 'bytesAt' in value ? 3 : 1));
    world.clock.pass(86_400_000);
    await reconcile(world);
    expect([await left(), await rowOf()]).toEqual([[], undefined]);
  });

  it('are completed after the upgrade, and changed by nothing that their address takes then', async () => {
    await written({ state: 'awaited' }, []);
    await expect(completeUpload(world, completion)).rejects.toThrow('Upload not found');
    expect(await renewOffer(world, organization, { fileId })).toMatchObject({ storagePath: path });
    await putText(world.blobs, path, 'larger');
    await expect(completeUpload(world, completion)).rejects.toThrow('size is 5, but 6 bytes were uploaded');
    await putText(world.blobs, path, 'MZ\u0000\u0001.');
    await expect(completeUpload(world, completion)).rejects.toThrow('Unsupported file type');
    await putText(world.blobs, path, 'hello');
    await completeUpload(world, completion);
    await putText(world.blobs, path, 'HELLO');
    expect(await content()).toBe('hello');
    await deleteFile(world, address);
    expect(await left()).toEqual([]);
  });
});

describe('uploads of the release before, which were due and whose keys had no hour', () => {
  const organization = made.organization;
  const fileId = made.fileId.replace(/^./, 'e');
  const address = { organization, fileId };
  const bytesAt = `arrivals/${organization}/${fileId}`;
  const storagePath = `${fileId}/${organization}/1780315200000-a.txt`;
  const completion = { ...address, storagePath, fileName: 'a.txt', mimeType: 'a/b', size: 5 };
  const DAY_MS = 86_400_000;

  beforeEach(async () => {
    await sweepUploads(world);
    const now = world.clock.now();
    const value: File = { state: 'awaited', createdAt: now, goneAt: now + DAY_MS, storagePath, bytesAt };
    await world.table.insert({ ...fileKey(organization, fileId), value, dueAt: value.goneAt });
    await putText(world.blobs, bytesAt, 'hello');
  });

  it('are completed after the upgrade, stay where they are, and are deleted with every version', async () => {
    expect(await renewOffer(world, organization, { fileId })).toMatchObject({ storagePath });
    await completeUpload(world, completion);
    await putText(world.blobs, bytesAt, 'HELLO');
    world.clock.pass(2 * DAY_MS);
    await sweepUploads(world);
    await reconcile(world);
    expect(await textOf(await world.blobs.read((await getFile(world, address)).bytesAt))).toBe('hello');
    await deleteFile(world, address);
    expect(await world.blobs.size(bytesAt)).toBeUndefined();
  });

  it('are removed when nobody completes them, because they are due', async () => {
    world.clock.pass(DAY_MS);
    await reconcile(world);
    const row = await world.table.get(fileKey(organization, fileId));
    expect([row, await world.blobs.size(bytesAt)]).toEqual([undefined, undefined]);
  });
});

describe('rows of a release to come, with fields that nobody here knows', () => {
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
