/** A schema that is suggested from a stored file, and a task that fills it from the same file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Any } from '../any.ts';
import { ask, errorOf, submitTask, waitForEnd } from './agent-calls.ts';
import { askUpload, call } from './call.ts';

vi.setConfig({ testTimeout: 60_000 });

const SAMPLES = join(import.meta.dirname, '../documents/samples');
const SOON = { timeout: 40_000, interval: 2_100 };

async function uploadFile(fileName: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const { fileId, storagePath, uploadUrl } = (await askUpload('agents', {}, fileName)).body as Record<string, string>;
  expect((await fetch(String(uploadUrl), { method: 'PUT', body: bytes })).status).toBe(200);
  const json = { fileName, mimeType: 'application/octet-stream', size: Buffer.byteLength(bytes), storagePath };
  expect((await call('files', `/files/${fileId}/complete`, { as: 'agents', json })).status).toBe(201);
  return String(fileId);
}
const sample = (name: string) => uploadFile(name, Uint8Array.from(readFileSync(join(SAMPLES, name))));

const suggest = (fileId: string, as: 'agents' | 'stranger' = 'agents') =>
  ask('/schemas/suggest', { as, json: { file_id: fileId } });
/** Asked for until the file is read. */
async function suggestion(fileId: string) {
  await expect.poll(async () => (await suggest(fileId)).status, SOON).not.toBe(202);
  return suggest(fileId);
}

it('answers 202 while the file is read, then returns a schema that a task accepts and finds evidence for', async () => {
  const fileId = await sample('invoice.reportlab.pdf');
  const first = await suggest(fileId);
  expect([first.status, first.body]).toEqual([202, { file_id: fileId, status: 'reading' }]);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  const { status, body, text } = await suggestion(fileId);
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    file_id: fileId,
    schema: {
      properties: {
        total: { type: 'number' },
        issue_date: { type: 'string', format: 'date' },
        line_items: { type: 'array', items: { properties: { quantity: { type: 'number' } } } },
      },
    },
  });
  expect(body.fields).toContainEqual({ path: 'total', example: 7288.8, place: 'page 1' });
  const input = { documents: [{ file_id: fileId }], output_schema: body.schema };
  const id = await submitTask({ task_type: 'processing_agent', input });
  expect(await waitForEnd(id)).toMatchObject({ status: 'completed' });
  const results = (await ask(`/tasks/${id}/results`)).body.results as Any;
  const [{ fields, data }] = results.records;
  const proven = fields.filter((field: Any) => field.status === 'proven');
  expect(proven.length / fields.length).toBeGreaterThan(0.9);
  expect(data).toMatchObject({ total: 7288.8, issue_date: '2026-02-09' });
});

it('takes the types of columns from the cells of a workbook', async () => {
  const { body } = await suggestion(await sample('budget-2026.libreoffice.xlsx'));
  expect(body.schema).toMatchObject({
    properties: { costs: { items: { properties: { approved_on: { format: 'date' }, budget: { type: 'number' } } } } },
  });
});

it("answers 404 for another organization's file, as for an unknown one", async () => {
  const fileId = await uploadFile('labels.txt', 'Project: Harbour crane survey\nTotal: EUR 12.50\n');
  const foreign = await suggest(fileId, 'stranger');
  const unknown = await suggest('01900000-0000-7000-8000-00000000abcd');
  const malformed = await suggest('../../etc/passwd');
  for (const reply of [foreign, unknown, malformed]) {
    expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
    expect((reply.body.error as Any).message).toBe('File not found');
  }
  expect((await suggestion(fileId)).status).toBe(200);
});

it('refuses a file that cannot be read or names no values, with the reason', async () => {
  const damaged = await suggestion(await uploadFile('damaged.pdf', '%PDF-1.7\nnothing more'));
  expect([damaged.status, errorOf(damaged).code]).toEqual([422, 'FILE_NOT_READABLE']);
  expect((damaged.body.error as Any).message).toMatch(/^The file is damaged/);
  const prose = await suggestion(await uploadFile('prose.txt', 'The committee met and decided to repair the bridge.'));
  expect([prose.status, errorOf(prose).code]).toEqual([422, 'FILE_NOT_READABLE']);
  expect((prose.body.error as Any).message).toContain('no labelled values');
});

it('reports a missing file_id, and is forbidden to viewers', async () => {
  const missing = await ask('/schemas/suggest', { json: {} });
  expect([missing.status, errorOf(missing).details.invalid_fields]).toEqual([400, ['file_id']]);
  const viewer = await ask('/schemas/suggest', { role: 'viewer', json: { file_id: 'x' } });
  expect(viewer.status).toBe(403);
});
