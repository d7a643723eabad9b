/** The memory of chats for the content of files, shared by organizations. */
import { expect, test, vi } from 'vitest';
import { DOCUMENT_LIMITS } from '../../../engines/documents/document.ts';
import { semaphore } from '../../../shared/core/semaphore.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

const TEXT = 'The boiler was serviced on 4 May 2025. It leaks a little.';
const OTHERS = { organization: 'others' };

test('a chat gives up what it keeps for its next step when others need the memory, and reads it again', async () => {
  const memory = semaphore({ capacity: 1_000 });
  const { model: answering } = scriptedModel({ text: 'Yes.' }, { text: 'It leaks a little.' });
  const taken: { release(): void }[] = [];
  const doGenerate: typeof answering.doGenerate = (options) => {
    if (taken.length === 0) {
      const [most, rest] = [memory.tryAcquire({ ...OTHERS, weight: 700 }), memory.tryAcquire({ organization: 'more' })];
      rest?.resize(299);
      taken.push(...[most, rest].filter((slot) => slot !== undefined));
    }
    return answering.doGenerate(options);
  };
  const at = openAgent({ ...answering, doGenerate }, { memory });
  const fileIds = [await at.storeText('notes.txt', TEXT)];
  const read = vi.spyOn(at.blobs, 'read');
  const acquire = vi.spyOn(memory, 'acquire');
  const steps = ['When was the boiler serviced?', 'Does it leak?'].map((instruction, n) => ({
    name: `${n}`,
    instruction,
  }));
  const running = at.run({ prompt: 'Look after the boiler.', fileIds, steps });
  await vi.waitFor(() => expect(acquire).toHaveBeenCalledTimes(2));
  expect(taken).toHaveLength(2);
  expect(read).toHaveBeenCalledTimes(1);
  for (const slot of taken) slot.release();
  expect((await running).text).toContain('leaks a little');
  expect(read).toHaveBeenCalledTimes(2);
  await at.close();
});

test('a chat waits while its organization has its share, and reads when there is memory again', async () => {
  const memory = semaphore({ capacity: 4 * DOCUMENT_LIMITS.textLength });
  const at = openAgent(undefined, { memory });
  const { organization } = at;
  const fileIds = [await at.storeSample('invoice.reportlab.pdf')];
  const read = vi.spyOn(at.blobs, 'read');
  const slot = memory.tryAcquire({ organization, weight: 3 * DOCUMENT_LIMITS.textLength });
  const waiting = at.run({ prompt: 'When is the invoice payable?', fileIds });
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).not.toHaveBeenCalled();
  // Another organization continues to read meanwhile.
  expect(memory.tryAcquire({ ...OTHERS, weight: 1 })).toBeDefined();
  slot?.release();
  expect((await waiting).text).toContain('11 March 2026');
  await at.close();
});

test('once a document is read it holds what its text weighs, and nothing after its task', async () => {
  const memory = semaphore({ capacity: 2 * DOCUMENT_LIMITS.textLength });
  const { model: answering } = scriptedModel({ text: 'Yes.' }, { text: 'It leaks a little.' });
  const free: boolean[] = [];
  const doGenerate: typeof answering.doGenerate = (options) => {
    const slot = memory.tryAcquire({ ...OTHERS, weight: DOCUMENT_LIMITS.textLength });
    free.push(slot !== undefined);
    slot?.release();
    return answering.doGenerate(options);
  };
  const at = openAgent({ ...answering, doGenerate }, { memory });
  await at.run({ prompt: 'When is it payable?', fileIds: [await at.storeSample('invoice.reportlab.pdf')] });
  expect(free[0]).toBe(true);
  const all = memory.tryAcquire({ ...OTHERS, weight: 1.5 * DOCUMENT_LIMITS.textLength });
  expect(all).toBeDefined();
  await at.close();
});

test('a text is read though the memory for documents is taken, and a document that is named like one is not', async () => {
  const memory = semaphore({ capacity: DOCUMENT_LIMITS.textLength });
  const at = openAgent(undefined, { memory });
  const text = [await at.storeText('notes.txt', TEXT)];
  const lying = [await at.storeText('table.txt', `<html><body><p>${TEXT}</p></body></html>`)];
  const slot = memory.tryAcquire({ organization: at.organization, weight: DOCUMENT_LIMITS.textLength / 2 });
  expect((await at.run({ prompt: 'Does it leak?', fileIds: text })).text).toContain('leaks a little');
  const acquire = vi.spyOn(memory, 'acquire');
  const waiting = at.run({ prompt: 'Does it leak?', fileIds: lying });
  await vi.waitFor(() => expect(acquire).toHaveBeenCalledTimes(2));
  slot?.release();
  expect((await waiting).text).toContain('leaks a little');
  await at.close();
});

test('a task that is cancelled while it waits for memory leaves the line', async () => {
  const memory = semaphore({ capacity: 1_000 });
  const at = openAgent(undefined, { memory });
  const control = new AbortController();
  const fileIds = [await at.storeSample('invoice.reportlab.pdf')];
  const slot = memory.tryAcquire({ organization: at.organization, weight: 750 });
  const acquire = vi.spyOn(memory, 'acquire');
  const waiting = at.run({ fileIds }, control.signal);
  await vi.waitFor(() => expect(acquire).toHaveBeenCalled());
  control.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  slot?.release();
  expect(memory.tryAcquire({ organization: at.organization, weight: 750 })).toBeDefined();
  await at.close();
});
