/** The master secret in a file that only its owner can read: the current one and the previous one. */

import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import { systemClock } from '../../shared/core/time.ts';
import type { Clock, MasterSecret, Secrets } from '../../shared/ports.ts';
import { durableFiles } from './state-folder.ts';

/** The shape of the file of the master secret. */
const storedMaster = v.strictObject({
  version: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  key: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)), // 32 bytes in base64url
});
const masterFile = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({ current: storedMaster, previous: v.optional(storedMaster) }),
);

type StoredMaster = v.InferOutput<typeof storedMaster>;
type MasterFile = v.InferOutput<typeof masterFile>;

/** A fingerprint that changes when the file is replaced; `undefined` without a file. */
function markOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // Windows has no permission bits.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new Problem('badSetting', `${file} is readable by other users: run chmod 600 on it.`);
  }
  return `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

async function readMaster(file: string): Promise<MasterFile> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Problem('badSetting', `${file} cannot be read (${cause.code}): make it a file of your own.`, { cause });
  });
  const parsed = v.safeParse(masterFile, text);
  if (parsed.success) return parsed.output;
  throw new Problem(
    'badSetting',
    `${file} is not a valid master secret: restore it from a backup. Without the file a new one is created, and everything encrypted under the old one is lost.`,
  );
}

/** Fails if the file exists. When it resolves, the whole file is on disk. */
async function writeMaster(file: string, contents: () => Promise<MasterFile>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(await contents(), null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The current master secret and the previous one. */
type Masters = Awaited<ReturnType<Secrets['master']>>;

/** `shared`: `masters` as a promise that all callers share. */
type CachedMasters = { mark: string | undefined; masters: Masters; shared: Promise<Masters> };

/** A change by another process is noticed at every use, or `lookEveryMs` after the last check. */
type SecretsOptions = { file: string; clock?: Clock; lookEveryMs?: number };

export function fileSecrets({
  file,
  clock = systemClock,
  lookEveryMs = 0,
}: SecretsOptions): Secrets & { rotate(): Promise<void> } {
  let cached: CachedMasters | undefined;
  let lookAt = 0;

  function master(wantedVersion?: string): Promise<Masters> {
    const isKnown = wantedVersion === undefined || cached?.masters.some(({ version }) => version === wantedVersion);
    return cached && isKnown && clock.now() < lookAt ? cached.shared : look();
  }

  async function look(): Promise<Masters> {
    lookAt = clock.now() + lookEveryMs;
    if (markOf(file) === undefined) await createFile(file);
    const mark = markOf(file);
    if (cached === undefined || cached.mark !== mark) cached = toCached(mark, await readMaster(file));
    return cached.masters;
  }

  return {
    master,
    async rotate() {
      await master();
      await rotateFile(file);
      cached = undefined;
    },
  };
}

const newMaster = (): StoredMaster => ({ version: randomUUID(), key: randomBytes(32).toString('base64url') });
const masterOf = ({ version, key }: StoredMaster): MasterSecret => ({ version, key: Buffer.from(key, 'base64url') });
const mastersIn = ({ current, previous }: MasterFile): Masters =>
  previous ? [masterOf(current), masterOf(previous)] : [masterOf(current)];

function toCached(mark: string | undefined, file: MasterFile): CachedMasters {
  const masters = mastersIn(file);
  return { mark, masters, shared: Promise.resolve(masters) };
}

const alreadyExists = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Two processes may start at once: the first to link its file wins, and both read that file. */
async function createFile(file: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeMaster(temporary, async () => ({ current: newMaster() }));
    await link(temporary, file);
    await durableFiles.syncFolder(dirname(file));
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The new file is also a lock: without it, one of two concurrent rotations would drop the other's secret. */
async function rotateFile(file: string): Promise<void> {
  const next = `${file}.next`;
  try {
    await writeMaster(next, async () => ({ current: newMaster(), previous: (await readMaster(file)).current }));
  } catch (cause) {
    if (!alreadyExists(cause)) throw cause;
    throw new Problem('badSetting', `${next} exists: remove it, unless another rotation is running.`, { cause });
  }
  await rename(next, file);
  await durableFiles.syncFolder(dirname(file));
}
