/** Submits tasks of the Files & Tasks API for tests. */
import { expect } from 'vitest';
import { askUpload, call, type Reply } from './call.ts';

export const ENDPOINT = 'https://hooks.errand-tests.org/results';

type Fields = { namespace?: unknown; delivery?: unknown; input?: object; as?: 'tasks' | 'stranger' | 'busy' };

export const bodyOf = ({ namespace = 'finance', delivery, input = {} }: Fields) => ({
  namespace,
  delivery: delivery ?? { type: 'webhook', config: { endpoint: ENDPOINT } },
  input: { type: 'chat', prompt: 'When is the invoice due?', ...input },
});

export const submit = ({ as = 'tasks', ...fields }: Fields = {}): Promise<Reply> =>
  call('files', '/tasks', { as, json: bodyOf(fields) });

export async function submitTask(fields: Fields = {}): Promise<string> {
  const { status, body } = await submit(fields);
  expect([status, Object.keys(body)]).toEqual([201, ['taskId']]);
  return String(body.taskId);
}

export async function storeFile(text: string | Uint8Array<ArrayBuffer>, fileName = 'invoice.txt'): Promise<string> {
  const { body } = await askUpload('tasks', {}, fileName);
  await fetch(String(body.uploadUrl), { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: text });
  const { fileId, storagePath } = body;
  const json = { fileName, mimeType: 'text/plain', size: Buffer.byteLength(text), storagePath };
  expect((await call('files', `/files/${fileId}/complete`, { as: 'tasks', json })).status).toBe(201);
  return String(fileId);
}
