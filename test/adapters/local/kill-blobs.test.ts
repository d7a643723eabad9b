import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { clearPartialBlobs } from '../../../adapters/local/clear-blobs.ts';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { textOf } from '../../ports/streams.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WRITER = fileURLToPath(new URL('./kill-blob-writer.ts', import.meta.url));

const folder = temporaryFolder();
afterEach(folder.remove);

const KEYS = ['k', 'arrivals/2026-11-22T14/o/k'];

it.each(KEYS)('keeps one complete blob whenever its writer is killed, and removes the leftovers: %s', async (key) => {
  const addresses = { sign: () => Promise.reject(), check: () => Promise.reject() };
  const blobs = folderBlobs({ folder: folder.path, addresses });
  for (let round = 0; round < 6; round++) {
    const writer = spawn(process.execPath, [WRITER, folder.path, key]);
    await once(writer.stdout, 'data');
    await pause(round * 7);
    writer.kill('SIGKILL');
    await once(writer, 'close');
    expect(await textOf(await blobs.read(key))).toMatch(/^([a-j])\1{1999999}$/);
  }
  await clearPartialBlobs({ folder: folder.path, clock: { now: () => Date.now() + 86_400_001 } });
  expect(readdirSync(join(folder.path, 'partial'))).toEqual([]);
  expect(await blobs.size(key)).toBe(2_000_000);
});
