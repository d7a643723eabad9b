/** Notifications over HTTP: refusals, the mail that a recipient gets, and unsubscribing. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { faultsIn } from '../../engines/mail/mail-lint.ts';
import type { Any } from '../../support/any.ts';
import { call } from './call.ts';
import { mailsTo } from './mails.ts';

const SOON = { timeout: 20_000, interval: 100 };
const post = (content: object, more: object = {}) =>
  call('agents', '/api/v1/tasks', {
    as: 'agents',
    json: { task_type: 'notification_agent', input: { ...more, content } },
  });
const many = (count: number) => Array.from({ length: count }, (_, nth) => `reader-${nth}@errand-tests.org`);

const FAULTS: [fields: string[], content: object, more?: object][] = [
  [['input.content.recipients'], { recipients: many(10_000) }],
  [['input.content.recipients', 'input.content.recipients.1'], { recipients: ['ann@errand-tests.org', 'ann'] }],
  [
    ['input.content.recipients', 'input.content.recipients.0'],
    { recipients: ['ann@errand-tests.org\r\nBcc: bob@errand-tests.org'] },
  ],
  [['input.content.recipients', 'input.content.recipients.0'], { recipients: ['Ann <ann@errand-tests.org>'] }],
  [['input.content.format', 'input.content.recipients'], { format: 7 }],
  [
    ['input.content.include_charts', 'input.content.message', 'input.content.subject'],
    { recipients: many(1), include_charts: 'yes', subject: 'x'.repeat(151), message: 5 },
  ],
  [
    ['input.content.data_sources', 'input.content.data_sources.0', 'input.notification_type'],
    { recipients: many(1), data_sources: ['no'] },
    { notification_type: 7 },
  ],
];

it.each(FAULTS)('names %j', async (fields, content, more) => {
  const { status, body } = await post(content, more);
  const { code, details } = body.error as { code: string; details: { invalid_fields: string[] } };
  expect([status, code]).toEqual([400, 'TASK_VALIDATION_FAILED']);
  expect(details.invalid_fields.toSorted()).toEqual(fields);
});

async function waitForEnd(content: object): Promise<Any> {
  const { status, body, text } = await post(content, { notification_type: 'reminder' });
  expect(status, text).toBe(202);
  return resultsOf(String(body.task_id));
}

async function resultsOf(taskId: string): Promise<Any> {
  const path = `/api/v1/tasks/${taskId}`;
  await expect.poll(async () => (await call('agents', path, { as: 'agents' })).body.status, SOON).toBe('completed');
  return (await call('agents', `${path}/results`, { as: 'agents' })).body;
}

it('sends mail to its recipients, and not to one who unsubscribed', async () => {
  const ann = `ann-${randomUUID().slice(0, 8)}@errand-tests.org`;
  const bob = `bob-${randomUUID().slice(0, 8)}@errand-tests.org`;
  const content = { recipients: [ann, bob], subject: 'Board – at ten', message: 'Bring the papers.' };
  const first = await waitForEnd(content);
  expect(first.results.counts).toEqual({ sent: 2, suppressed: 0, refused: 0 });
  const [mail, ...others] = await mailsTo(ann);
  expect(others).toEqual([]);
  expect(faultsIn(mail)).toEqual([]);
  expect(mail).toMatchObject({ subject: 'Board – at ten', messageId: first.results.recipients[0].message_id });

  const [, address = ''] =
    /^<(.*)>$/.exec(mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '') ?? [];
  const link = new URL(address).pathname;
  const page = await call('agents', link);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const ended = await call('agents', link, { raw: 'List-Unsubscribe=One-Click', headers });
  expect([ended.status, ended.text.includes('You are unsubscribed')]).toEqual([200, true]);
  expect((await call('agents', `${link}x`)).status).toBe(404);

  const second = await waitForEnd(content);
  expect(second.results).toMatchObject({
    counts: { sent: 1, suppressed: 1, refused: 0 },
    recipients: [
      { address: ann, status: 'suppressed', reason: 'unsubscribed' },
      { address: bob, status: 'sent' },
    ],
  });
  expect([await mailsTo(ann), await mailsTo(bob)].map(({ length }) => length)).toEqual([1, 2]);
});

it('previews a notification, and sends it only when it is submitted', async () => {
  const ann = `ann-${randomUUID().slice(0, 8)}@errand-tests.org`;
  const content = { recipients: [ann], subject: 'Board – at ten', message: 'Bring the papers.' };
  const json = { input: { notification_type: 'reminder', content } };
  const { status, body, text } = await call('agents', '/api/v1/notifications/preview', { as: 'agents', json });
  expect(status, text).toBe(202);
  const results = (await resultsOf(String(body.task_id))).results;
  expect(results).toMatchObject({
    counts: { sent: 0, suppressed: 0, refused: 0 },
    preview: { subject: 'Board – at ten', html_file: 'mail.html', would_go_to: 1 },
  });
  expect(results.preview.text).toContain('Bring the papers.');
  const file = results.files.find(({ name }: Any) => name === 'mail.html');
  expect(await (await fetch(file.url)).text()).toContain('Bring the papers.');
  expect(await mailsTo(ann)).toEqual([]);
  await waitForEnd(content);
  expect(await mailsTo(ann)).toHaveLength(1);
});
