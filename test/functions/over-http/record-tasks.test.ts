/** Tasks with a schema: the record of real files as polled, listed, archived and sent by webhook. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Arrived } from '../../shared/webhooks/receiver.ts';
import { call, type Reply, target } from './call.ts';
import { storeFile, submit, submitTask } from './task-calls.ts';

const SAMPLES = join(import.meta.dirname, '../../engines/documents/samples');
const SCHEMAS = join(import.meta.dirname, '../../agents/processing/schemas');
const LINES = 'Part,Pieces,Amount\nBolt,2,3.50\nNut,1,4.00\n';

const record = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const sample = (name: string) => storeFile(readFileSync(join(SAMPLES, name)), name);

type Field = { path: string; status: string; value: unknown; basis: object[]; reason: string };
type Output = { text: string; data: unknown; complete: boolean; missing: string[]; fields: Field[]; archive: Archive };
type Archive = { presignedUrl: string };
type Task = { status: string; output: Output; partial: Output; error: object; warnings?: string[]; usage?: object };

async function waitForEnd(taskId: string): Promise<Task> {
  const get = () => call('files', `/tasks/${taskId}`, { as: 'tasks' });
  await expect.poll(get, { timeout: 20_000, interval: 50 }).toSatisfy((reply: Reply) => 'completedAt' in reply.body);
  return (await get()).body as unknown as Task;
}

const PROPERTIES = {
  invoiceNumber: { type: 'string' },
  total: { type: 'number' },
  dueDate: { type: 'string', format: 'date' },
  berth: { type: 'integer' },
  parts: {
    type: 'array',
    items: record({ part: { type: 'string' }, pieces: { type: 'integer' }, amount: { type: 'number' } }),
  },
};

describe('a task with a schema', () => {
  it('returns the records of an invoice and a table, with evidence for each field, in each answer and in its archive', async () => {
    const fileIds = [await sample('invoice.reportlab.pdf'), await storeFile(LINES, 'lines.csv')];
    const delivery = { type: 'webhook', config: { endpoint: `${target.receiver.origin}/records` } };
    const namespace = `records ${Date.now()}`;
    const model = 'offline/extractive';
    const input = { prompt: 'Fill the record.', model, fileIds, outputSchema: record(PROPERTIES) };
    const taskId = await submitTask({ namespace, delivery, input });
    const task = await waitForEnd(taskId);
    const { text, archive, ...output } = task.output;
    expect(output).toMatchObject({
      data: {
        invoiceNumber: '2026-00318',
        total: 7288.8,
        dueDate: '2026-03-11',
        berth: null,
        parts: [
          { part: 'Bolt', pieces: 2, amount: 3.5 },
          { part: 'Nut', pieces: 1, amount: 4 },
        ],
      },
      schema: { properties: { total: { type: ['number', 'null'] } } },
      complete: false,
      missing: ['berth'],
      documents: [
        { document: 1, fileId: fileIds[0], name: 'invoice.reportlab.pdf' },
        { document: 2, fileId: fileIds[1], name: 'lines.csv' },
      ],
    });
    const field = (path: string) => output.fields.find((field) => field.path === path);
    expect(field('total')).toMatchObject({
      status: 'proven',
      basis: [{ document: 1, place: 'page 1', quote: expect.stringContaining('Total 7,288.80 euros.') }],
    });
    expect(field('parts.0.amount')).toMatchObject({ basis: [{ document: 2, column: 'Amount' }] });
    expect(field('berth')).toMatchObject({ status: 'missing', value: null, reason: expect.stringMatching(/\w/) });
    expect(text).toContain('| total | 7288.8 | proven | invoice.reportlab.pdf, page 1 |');
    // No model was asked.
    expect(task.usage).toBeUndefined();

    const zip = unzipSync(new Uint8Array(await (await fetch(archive.presignedUrl)).arrayBuffer()));
    expect(Object.keys(zip)).toEqual(['data.json', 'records.xlsx', 'records.csv']);
    expect(JSON.parse(Buffer.from(zip['data.json'] ?? []).toString())).toMatchObject({ data: output.data });

    const arrived = await expect
      .poll(
        async () => {
          const arrivals = (await (await fetch(target.receiver.arrivedUrl)).json()) as Arrived[];
          return arrivals.find(({ path, body }) => path === '/records' && body.includes(taskId));
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBeDefined()
      .then(async () => (await (await fetch(target.receiver.arrivedUrl)).json()) as Arrived[]);
    const webhookEvent = JSON.parse(arrived.find(({ body }) => body.includes(taskId))?.body ?? '{}');
    expect(webhookEvent.output).toEqual({ ...output, text, archive: expect.any(Object) });

    const list = await call('files', `/tasks?namespace=${encodeURIComponent(namespace)}`, { as: 'tasks' });
    const [listed] = list.body.tasks as { output: object }[];
    expect(listed?.output).toEqual({ text, complete: false, archive: expect.any(Object) });
    const { body } = await call('files', `/tasks/${taskId}/input`, { as: 'tasks' });
    expect(body.input).toMatchObject({ outputSchema: input.outputSchema, fileIds });
  });

  it('reads a receipt in a picture', async () => {
    const fileIds = [await sample('receipt.pillow.png')];
    const { output } = await waitForEnd(
      await submitTask({ input: { fileIds, outputSchema: record({ total: { type: 'number' } }) } }),
    );
    expect(output).toMatchObject({ complete: true, fields: [{ path: 'total', status: 'proven' }] });
  });

  it('fails with its partial record if a required value is missing', async () => {
    const outputSchema = record({ deposit: { type: 'number' }, berth: { type: 'integer' } });
    const input = { prompt: 'Deposit: 40.00', outputSchema, onMissing: 'fail', accept: ['proven'] };
    const taskId = await submitTask({ input });
    const { status, error, partial, output } = await waitForEnd(taskId);
    expect([status, output]).toEqual(['failure', undefined]);
    expect(error).toEqual({
      code: 'PROCESSING_FAILED',
      message: 'No value was found for berth. The partial record is kept.',
    });
    expect(partial).toMatchObject({
      data: { deposit: 40, berth: null },
      missing: ['berth'],
      text: expect.stringContaining('| deposit | 40 | proven | prompt, line 1 |'),
      archive: { presignedUrl: expect.any(String) },
    });
    const { body } = await call('files', `/tasks/${taskId}/input`, { as: 'tasks' });
    expect(body.input).toMatchObject({ onMissing: 'fail', accept: ['proven'] });
  });

  it.each(['pydantic', 'zod', 'valibot'])('accepts the invoice that %s produces', async (library) => {
    const { invoice } = JSON.parse(readFileSync(join(SCHEMAS, `${library}.json`), 'utf8'));
    expect((await submit({ input: { outputSchema: invoice } })).status).toBe(201);
  });

  it('warns of record options that have no effect without a schema', async () => {
    const { warnings } = await waitForEnd(await submitTask({ input: { prompt: 'Hello', onMissing: 'fail' } }));
    expect(warnings).toEqual(['input.onMissing has no effect without input.outputSchema.']);
    expect(
      (await waitForEnd(await submitTask({ input: { onMissing: null, accept: null, outputSchema: null } }))).warnings,
    ).toBeUndefined();
  });
});
