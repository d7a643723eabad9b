/** Files that tasks read: a suspect waits for a process of its own, and a failure says what the stored reading says. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileReader } from '../../../engines/documents/file-reader.ts';
import { bytesKey, fileDraft } from '../../../shared/files/file.ts';
import { readOnce } from '../../../shared/files/read-once.ts';
import { stream } from '../../ports/streams.ts';
import { openFiles } from './setup.ts';

const organization = 'org';
const never = new AbortController().signal;

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

async function storeFile() {
  const fileId = at.ids.uuid();
  const bytesAt = bytesKey(organization, fileId, at.ids.mark());
  const createdAt = at.clock.now();
  const file = { state: 'stored', fileName: 'a.csv', mimeType: 'text/csv', size: 5 } as const;
  await at.table.insert(fileDraft(organization, fileId, { ...file, createdAt, goneAt: createdAt + 1e9, bytesAt }));
  await at.blobs.put(bytesAt, stream('hello'), { maxBytes: 100 });
  return { organization, fileId };
}
type Address = Awaited<ReturnType<typeof storeFile>>;

const PAGE = JSON.stringify({ number: 1, parts: [{ label: 'page 1', text: 'hello' }] });
const INDEX = JSON.stringify({
  kind: 'text',
  language: null,
  pages: [{ number: 1, from: 0, to: PAGE.length }],
  notRead: [],
});
const every = () => () => undefined;

function readerWith(pause: () => Promise<void>) {
  const readToStore = async () => ({ bytes: Buffer.from(PAGE + INDEX), indexAt: PAGE.length });
  return fileReader({ ...at, every, documents: { readToStore }, pause });
}

async function endProcesses(address: Address, ...processes: ('own' | undefined)[]): Promise<void> {
  for (const process of processes) {
    const begun = Promise.withResolvers<void>();
    const read = () => {
      begun.resolve();
      return new Promise<never>(() => undefined);
    };
    void readOnce({ ...at, every }, address, { signal: never, read, process });
    await begun.promise;
    at.clock.pass(60_001);
  }
}

it('leaves a suspect to a process of its own, and waits for its reading', async () => {
  const address = await storeFile();
  await endProcesses(address, undefined, undefined);
  let waits = 0;
  const reader = readerWith(async () => {
    waits++;
    expect(await reader.store(address, never, undefined)).toBe('crowded');
    expect(await reader.store(address, never, 'own')).toBeUndefined();
  });
  expect(await reader.read(address, never)).toMatchObject({ kind: 'text', parts: [{ text: 'hello' }] });
  expect(waits).toBe(1);
});

it('says of a file at fault that it ended its process and can be read again, and not that it took too long', async () => {
  const address = await storeFile();
  await endProcesses(address, undefined, undefined, 'own');
  await expect(readerWith(async () => undefined).read(address, never)).rejects.toMatchObject({
    name: 'DocumentFailure',
    reason: 'processEnded',
    message: 'ended the process that read it, at last while nothing else ran in it; it can be read again after 6 hours',
  });
});
