/** An exported organization in a folder: `manifest.json`, `rows.jsonl`, and the bytes in `blobs/`, named by their hash. */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Bytes } from '../../shared/ports.ts';
import type { ExportSink } from '../../shared/transfer/export.ts';
import { type ExportedBlob, type Manifest, parseManifest, parseRow } from '../../shared/transfer/format.ts';
import type { ExportedLine, ExportSource } from '../../shared/transfer/import-organization.ts';

const MANIFEST = 'manifest.json';
const ROWS = 'rows.jsonl';
const BLOBS = 'blobs';

/** Only the operator may read what a customer's files say. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Spread over folders, as one folder of a million files is slow. The name is the hash, whatever a row says. */
const blobFile = (folder: string, sha256: string): string => join(folder, BLOBS, sha256.slice(0, 2), sha256);

export type ExportFolder = {
  sink: ExportSink;
  /** The manifest is written last: without it a folder is no export. */
  finish(manifest: Omit<Manifest, 'rows'>): Promise<Manifest>;
  close(): Promise<void>;
};

export async function createExportFolder(folder: string): Promise<ExportFolder> {
  await createEmpty(folder);
  const rows = await open(join(folder, ROWS), 'wx', PRIVATE_FILE);
  const hash = createHash('sha256');
  const written = { count: 0, bytes: 0 };
  const partial = join(folder, BLOBS, 'partial');
  return {
    sink: {
      async row(row) {
        const line = Buffer.from(`${JSON.stringify(row)}\n`);
        await rows.appendFile(line);
        hash.update(line);
        written.count++;
        written.bytes += line.length;
      },
      async blob(body) {
        const stored = await copyTo(partial, body);
        const file = blobFile(folder, stored.sha256);
        await mkdir(join(file, '..'), { recursive: true, mode: PRIVATE_FOLDER });
        await rename(partial, file);
        return stored;
      },
    },
    async finish(manifest) {
      await rows.sync();
      const whole = { ...manifest, rows: { ...written, sha256: hash.digest('hex') } };
      const file = await open(join(folder, MANIFEST), 'wx', PRIVATE_FILE);
      await file.writeFile(`${JSON.stringify(whole, null, 2)}\n`);
      await file.close();
      return whole;
    },
    close: () => rows.close(),
  };
}

async function createEmpty(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, BLOBS), { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw new Problem('badSetting', `The folder ${folder} cannot be created: name another one.`, { cause });
  }
  const names = await readdir(folder);
  if (names.length > 1 || (await readdir(join(folder, BLOBS))).length > 0)
    throw new Problem('badSetting', `The folder ${folder} is not empty: name a new one.`);
}

async function copyTo(path: string, body: Bytes): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path, 'w', PRIVATE_FILE);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of body) {
      await file.appendFile(chunk);
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** More than the longest value, of which each character may have three bytes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export async function openExportFolder(folder: string): Promise<ExportSource> {
  const manifest = parseManifest(await smallText(folder, MANIFEST));
  return {
    manifest,
    lines: () => lines(join(folder, ROWS), manifest),
    blob: async (blob) => blobBytes(folder, blob),
    async checkBlob({ key, bytes, sha256 }) {
      const stats = await lstat(blobFile(folder, sha256)).catch(() => undefined);
      if (!stats?.isFile() || stats.size !== bytes)
        throw new Problem('invalid', `names ${key}, whose bytes are not in the export: export the organization again`);
    },
  };
}

/** Opens a plain file only: a link in the folder leads nowhere else, and a pipe is not waited for. */
async function openPlainFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a file.`);
}

async function smallText(folder: string, name: string): Promise<string> {
  const file = await openPlainFile(join(folder, name)).catch((cause) => {
    throw new Problem('badSetting', `${folder} has no ${name}: name the folder of a finished "org export".`, { cause });
  });
  try {
    const { size } = await file.stat();
    if (size > MAX_MANIFEST_BYTES) throw new Problem('invalid', `${name} is too large for an export.`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const rowsChanged = () =>
  new Problem('invalid', 'The rows of the export are not those that its manifest names: copy it again.');

async function* lines(path: string, { rows }: Manifest): AsyncIterable<ExportedLine> {
  const file = await openPlainFile(path).catch((cause) => {
    throw new Problem('badSetting', `${path} cannot be read: name the folder of a finished "org export".`, { cause });
  });
  const hash = createHash('sha256');
  let number = 0;
  for await (const bytes of splitLines(hashed(file.createReadStream(), hash))) {
    number++;
    yield { number, bytes: bytes.length, row: rowOf(number, bytes) };
  }
  if (number !== rows.count || hash.digest('hex') !== rows.sha256) throw rowsChanged();
}

function rowOf(number: number, line: Buffer) {
  try {
    return parseRow(line.toString('utf8'));
  } catch (error) {
    if (!isProblem(error)) throw error;
    throw new Problem('invalid', `Line ${number} of the export ${error.message}: export the organization again.`);
  }
}

async function* hashed(body: AsyncIterable<Buffer>, hash: Hash): AsyncIterable<Buffer> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Each line without its end. A line that never ends is refused before it fills the memory. */
async function* splitLines(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES)
      throw new Problem('invalid', 'A line of the export is too long for a row: copy it again.');
  }
  if (length > 0) throw rowsChanged();
}

/** The last bytes are held back until the hash agrees, so that no store takes other bytes for whole. */
async function* blobBytes(folder: string, { key, bytes, sha256 }: ExportedBlob): Bytes {
  const wrong = () => new Problem('invalid', `names ${key}, whose bytes were changed: copy the export again`);
  const file = await openPlainFile(blobFile(folder, sha256)).catch((cause) => {
    throw new Problem('invalid', `names ${key}, whose bytes cannot be read: copy the export again`, { cause });
  });
  const hash = createHash('sha256');
  let read = 0;
  let pendingChunk: Buffer | undefined;
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > bytes) throw wrong();
    hash.update(chunk);
    if (pendingChunk) yield pendingChunk;
    pendingChunk = chunk;
  }
  if (read !== bytes || hash.digest('hex') !== sha256) throw wrong();
  if (pendingChunk) yield pendingChunk;
}
