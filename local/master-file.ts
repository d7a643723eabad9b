/** The file of the master secret: its shape, and the refusal of one that was tampered with or lies open to others. */
import { statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { Problem } from '../shared/core/problem.ts';

const kept = v.strictObject({
  version: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  key: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)), // 32 bytes in base64url
});
const masterFile = v.pipe(v.string(), v.parseJson(), v.strictObject({ current: kept, previous: v.optional(kept) }));

export type KeptMaster = v.InferOutput<typeof kept>;
export type MasterFile = v.InferOutput<typeof masterFile>;

/** Differs whenever the file is another one; undefined = there is none. */
export function markOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  // Windows has no such bits.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new Problem('badSetting', `${file} lies open to other users: run chmod 600 on it.`);
  }
  return `${found.ino} ${found.mtimeMs} ${found.size}`;
}

export async function readMaster(file: string): Promise<MasterFile> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Problem('badSetting', `${file} cannot be read (${cause.code}): make it a file of your own.`, { cause });
  });
  const parsed = v.safeParse(masterFile, text);
  if (parsed.success) return parsed.output;
  throw new Problem(
    'badSetting',
    `${file} is no master secret: restore it from a backup. Removed, it is made anew, and what was sealed under it is lost.`,
  );
}

/** Fails when the file is there; when it is done, the file is whole on the disk. */
export async function writeMaster(file: string, contents: () => Promise<MasterFile>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(await contents(), null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
