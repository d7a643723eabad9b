/** Tasks of the Files & Tasks API: submit, run, poll, list, cancel. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { CHAT_PROMPT } from '../../../agents/prompts/chat.ts';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import { WORKLOAD_MODEL } from '../../engines/models/workload-model.ts';
import { askUpload, call, type Reply } from './call.ts';
import { bodyOf, storeFile, submit, submitTask } from './task-calls.ts';

const SAMPLES = join(import.meta.dirname, '../../engines/documents/samples');
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isPositive = (count: number): boolean => count > 0;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const get = (taskId: string) => call('files', `/tasks/${taskId}`, { as: 'tasks' });

async function waitForEnd(taskId: string): Promise<Record<string, unknown>> {
  const { body } = await expect
    .poll(() => get(taskId), { timeout: 20_000, interval: 50 })
    .toSatisfy((reply: Reply) => 'completedAt' in reply.body)
    .then(() => get(taskId));
  return body;
}

describe('a task', () => {
  it('is answered from the file attached to it', async () => {
    const text = 'Invoice 2041 of the harbour office.\n\nPayment is due on 3 March 2027.\n';
    const fileId = await storeFile(text);
    const taskId = await submitTask({ input: { fileIds: [fileId] } });
    expect(taskId).toMatch(UUID);
    const task = await waitForEnd(taskId);
    expect(task).toEqual({
      taskId,
      namespace: 'finance',
      status: 'success',
      createdAt: expect.stringMatching(TIME),
      completedAt: expect.stringMatching(TIME),
      output: { text: expect.stringContaining('3 March 2027') },
      promptVersion: CHAT_PROMPT,
      usage: {
        model: WORKLOAD_MODEL,
        inputTokens: expect.toSatisfy(isPositive),
        outputTokens: expect.toSatisfy(isPositive),
        cachedInputTokens: 0,
        reasoningTokens: 0,
        estimated: false,
        costUsd: null,
      },
    });
    expect((task.output as { text: string }).text).toContain('invoice.txt');
  });

  it('leaves an archive of the files it saved, at a fresh address each time', async () => {
    const fileId = await storeFile('Serviced: 4 May 2025\n', 'boiler.txt');
    const outputSchema = { type: 'object', properties: { serviced: { type: 'string' } } };
    const { output, taskId } = await waitForEnd(await submitTask({ input: { fileIds: [fileId], outputSchema } }));
    const { archive } = output as { archive: { presignedUrl: string; expiresAt: string; sizeBytes: number } };
    expect(Object.keys(archive).sort()).toEqual(['expiresAt', 'presignedUrl', 'sizeBytes']);
    expect(archive.expiresAt).toMatch(TIME);
    expect(Date.parse(archive.expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
    const download = await fetch(archive.presignedUrl);
    const bytes = new Uint8Array(await download.arrayBuffer());
    expect([download.status, bytes.length]).toEqual([200, archive.sizeBytes]);
    expect(download.headers.get('content-disposition')).toContain(`${taskId}.zip`);
    const files = unzipSync(bytes);
    expect(Object.keys(files)).toEqual(['data.json', 'records.xlsx', 'records.csv']);
    expect(Buffer.from(files['data.json'] ?? []).toString()).toContain('4 May 2025');

    const headers = { 'idempotency-key': `archive-${taskId}` };
    const cancel = () => call('files', `/tasks/${taskId}/cancel`, { as: 'tasks', method: 'POST', headers });
    const [first, again] = [await cancel(), await cancel()];
    expect([first.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const replayed = (again.body.output as typeof output & { archive: typeof archive }).archive;
    expect((await fetch(replayed.presignedUrl)).status).toBe(200);
  });

  it('reads a PDF, a table and a picture', async () => {
    const names = ['invoice.reportlab.pdf', 'budget-2026.libreoffice.xlsx', 'receipt.pillow.png'];
    const fileIds = await Promise.all(names.map((name) => storeFile(readFileSync(join(SAMPLES, name)), name)));
    const task = await waitForEnd(await submitTask({ input: { prompt: 'When is the invoice payable?', fileIds } }));
    expect((task.output as { text: string }).text).toMatch(/11 March 2026[\s\S]*invoice\.reportlab\.pdf, page 1/);
  });

  it('is valid without files, and without a language model answers that nothing was attached', async () => {
    const task = await waitForEnd(await submitTask({ input: { model: 'offline/extractive' } }));
    expect(task.output).toEqual({ text: expect.stringContaining('No file with text is attached'), complete: false });
    expect(task.warnings).toEqual([PASSAGES_ONLY]);
  });

  it('shows four fields and Retry-After until it has ended', async () => {
    const taskId = await submitTask();
    const { body, headers } = await get(taskId);
    if ('completedAt' in body) return; // the task ended before the call
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'namespace', 'status', 'taskId']);
    expect(['waiting', 'active']).toContain(body.status);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('fails with the name of the file that was deleted before it was read, or succeeds', async () => {
    const fileId = await storeFile('x is 1.');
    expect((await call('files', `/files/${fileId}`, { as: 'tasks', method: 'DELETE' })).status).toBe(204);
    const reply = await submit({ input: { fileIds: [fileId] } });
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: `input.fileIds are unknown: ${fileId} (an uploaded file is known after POST /files/:fileId/complete)` },
    ]);
  });

  it('fails with a code and words that name the file which cannot be read', async () => {
    const { body } = await askUpload('tasks', {}, 'broken.pdf');
    const bytes = '%PDF-1.7\nnothing behind its head';
    await fetch(String(body.uploadUrl), { method: 'PUT', body: bytes });
    const json = {
      fileName: 'broken.pdf',
      mimeType: 'application/pdf',
      size: bytes.length,
      storagePath: body.storagePath,
    };
    expect((await call('files', `/files/${body.fileId}/complete`, { as: 'tasks', json })).status).toBe(201);
    const task = await waitForEnd(await submitTask({ input: { fileIds: [body.fileId] } }));
    expect(Object.keys(task).sort()).toEqual(['completedAt', 'createdAt', 'error', 'namespace', 'status', 'taskId']);
    expect(task).toMatchObject({
      status: 'failure',
      error: { code: 'PROCESSING_FAILED', message: expect.stringContaining('broken.pdf') },
    });
  });

  it('accepts prompts far longer than a row of the table', async () => {
    const taskId = await submitTask({ input: { prompt: '\u{4e2d}'.repeat(100_000) } });
    expect(await waitForEnd(taskId)).toMatchObject({ status: 'success' });
    await submitTask({ input: { prompt: '\u{1f600}'.repeat(100_000) }, namespace: '\u{1f600}'.repeat(128) });
    expect((await submit({ input: { prompt: 'a'.repeat(100_001) } })).body).toEqual({
      error: 'input.prompt has at most 100000 characters',
    });
  });

  it('is created once for one idempotency key', async () => {
    const headers = { 'idempotency-key': `once-${Date.now()}` };
    const [first, second] = [
      await call('files', '/tasks', { as: 'tasks', json: bodyOf({}), headers }),
      await call('files', '/tasks', { as: 'tasks', json: bodyOf({}), headers }),
    ];
    expect([second?.status, second?.body]).toEqual([201, first?.body]);
    expect(second?.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a task that the caller may not see', () => {
  it('gives the same answer to an unknown id, a malformed id and an id of another organization', async () => {
    const foreign = await submit({ as: 'stranger' });
    for (const id of [
      '01900000-0000-7000-8000-000000000000',
      String(foreign.body.taskId),
      'x',
      `task_${foreign.body.taskId}`,
    ]) {
      const reply = await get(id);
      expect([reply.status, reply.text]).toEqual([404, '{"error":"Task not found"}']);
      const cancelled = await call('files', `/tasks/${id}/cancel`, { as: 'tasks', method: 'POST' });
      expect([cancelled.status, cancelled.text]).toEqual([404, '{"error":"Task not found"}']);
    }
  });
});

describe('the list', () => {
  it('shows the newest first, of one namespace or one status when asked, page by page', async () => {
    const namespace = `ns ${Date.now()} \u{e9}`;
    const taskIds = [await submitTask({ namespace }), await submitTask({ namespace }), await submitTask({ namespace })];
    await submitTask({ namespace: 'another' });
    for (const id of taskIds) await waitForEnd(id);
    const query = `namespace=${encodeURIComponent(namespace)}`;
    const first = await call('files', `/tasks?limit=2&${query}`, { as: 'tasks' });
    const next = encodeURIComponent(String(first.body.nextCursor));
    const second = await call('files', `/tasks?limit=2&${query}&cursor=${next}`, { as: 'tasks' });
    const tasks = [...(first.body.tasks as { taskId: string }[]), ...(second.body.tasks as { taskId: string }[])];
    expect(tasks.map(({ taskId }) => taskId)).toEqual(taskIds.toReversed());
    expect(second.body.nextCursor).toBeNull();
    expect(tasks[0]).toEqual((await get(taskIds[2] ?? '')).body);

    const failed = await call('files', `/tasks?status=failure&${query}`, { as: 'tasks' });
    expect(failed.body).toEqual({ tasks: [], nextCursor: null });
    const succeeded = await call('files', `/tasks?status=success&${query}`, { as: 'tasks' });
    expect(succeeded.body.tasks).toHaveLength(3);
  });

  it.each(['status=done', 'status=', 'limit=0', 'cursor=x', 'namespace='])('refuses ?%s', async (query) => {
    expect((await call('files', `/tasks?${query}`, { as: 'tasks' })).status).toBe(400);
  });
});

/** The tokens of a call that was under way are added when it has ended. */
const withoutUsage = ({ usage: _, ...task }: Reply['body']): Reply['body'] => task;

describe('cancel', () => {
  it('answers with the task, and does not change a task that has ended', async () => {
    const taskId = await submitTask();
    const cancel = async () => {
      const { status, body } = await call('files', `/tasks/${taskId}/cancel`, { as: 'tasks', method: 'POST' });
      return [status, withoutUsage(body)] as const;
    };
    const [status, cancelled] = await cancel();
    expect(status).toBe(200);
    expect(['success', 'failure']).toContain(cancelled.status);
    if (cancelled.status === 'failure') {
      expect(cancelled.error).toEqual({ code: 'TASK_CANCELLED', message: 'The task was cancelled.' });
    }
    expect(await cancel()).toEqual([200, cancelled]);
    expect(withoutUsage((await get(taskId)).body)).toEqual(cancelled);
  });
});

it('accepts sixty tasks a minute from one organization, and then sends Retry-After', async () => {
  const replies = await Promise.all(Array.from({ length: 61 }, () => submit({ as: 'busy' })));
  const refused = replies.filter(({ status }) => status === 429);
  // A new minute may have begun in between.
  if (refused.length === 0) expect((await submit({ as: 'busy' })).headers.get('ratelimit')).toMatch(/"minute"/);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: expect.stringMatching(/limit of 60 a minute/) });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
});
