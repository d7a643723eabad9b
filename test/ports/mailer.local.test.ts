/** The mailer that writes to a folder: the contract, and faults of files. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { folderMailer } from '../../adapters/local/mailer.ts';
import { ids } from '../../shared/core/ids.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { setClock } from './clock.ts';
import { mailerContract } from './mailer.ts';

const sender = 'send@errand.local';
const folders: ReturnType<typeof temporaryFolder>[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function open() {
  const folder = temporaryFolder();
  folders.push(folder);
  const path = join(folder.path, 'mail');
  const clock = setClock();
  const files = () => readdirSync(path).map((name) => join(path, name));
  return { path, clock, files, mailer: folderMailer({ folder: path, sender, clock, ids: ids(clock) }) };
}

const contents = (files: () => string[]) => {
  try {
    return files().map((file) => readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
};

mailerContract('mails into a folder', async () => {
  const { mailer, files } = open();
  return { mailer, sender, taken: async () => contents(files) };
});

const mail = { raw: Buffer.from('a mail'), from: sender, to: 'ann@readers.org', tags: {} };

it('names its files so that they sort by time, readable by their owner only', async () => {
  const { mailer, clock, files } = open();
  await mailer.send({ ...mail, raw: Buffer.from('first') });
  clock.pass(1);
  await mailer.send({ ...mail, raw: Buffer.from('second') });
  expect(
    files()
      .sort()
      .map((file) => readFileSync(file, 'utf8')),
  ).toEqual(['first', 'second']);
  for (const file of files()) expect(file).toMatch(/\.eml$/);
  if (process.platform !== 'win32') for (const file of files()) expect(statSync(file).mode & 0o077).toBe(0);
});

it('leaves no part of a mail that could not be written', async () => {
  const { mailer, path } = open();
  writeFileSync(path, 'not a folder');
  await expect(mailer.send(mail)).rejects.toThrow();
  expect(readFileSync(path, 'utf8')).toBe('not a folder');
});
