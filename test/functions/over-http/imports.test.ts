/** Files by URL: refusals have one of two messages. Successful imports are tested in test/bin/local/imports.test.ts. */
import { expect, it } from 'vitest';
import { call, target } from './call.ts';

const add = (json: object) => call('files', '/files', { as: 'texts', json });

it.each([
  'http://files.acme.org/a.pdf',
  'ftp://files.acme.org/a.pdf',
  'file:///etc/passwd',
  'data:text/plain,hello',
  'https://localhost/a',
  'https://127.0.0.1/a',
  'https://127.1/a',
  'https://2130706433/a',
  'https://0x7f.0.0.1/a',
  'https://[::1]/a',
  'https://[::ffff:127.0.0.1]/a',
  'https://10.0.0.1/a',
  'https://169.254.169.254/latest/meta-data/',
  'https://metadata.google.internal/',
  'https://192.168.0.1/a',
  'https://user:pass@files.acme.org/a',
  'https://files.acme.org:22/a',
  'https://files.acme.org:6379/a',
  'https://intranet/a',
  'https://a.local/a',
  'not an address',
  `https://files.acme.org/${'a'.repeat(2_100)}`,
])('refuses %s and reveals nothing else', async (url) => {
  const reply = await add({ url });
  expect([reply.status, reply.body]).toEqual([400, { error: 'Invalid bucket URL' }]);
});

it('does not fetch from its own address', async () => {
  expect((await add({ url: `${target.filesAndTasks.replace('http:', 'https:')}/health` })).body).toEqual({
    error: 'Invalid bucket URL',
  });
});

it('reports only that the fetch failed for an unknown host', async () => {
  const reply = await add({ url: 'https://no-such-host.errand-files-and-tasks.org/a.pdf' });
  expect([reply.status, reply.body]).toEqual([400, { error: 'Failed to fetch from bucket' }]);
});

it.each([
  [{ url: 'https://files.acme.org/a', fileName: 'a' }, 'Provide either url or fileName, not both'],
  [{ url: '', fileName: '' }, 'Missing required fields'],
  [{ url: null }, 'Missing required fields'],
  [{ url: 5 }, 'url must be a string'],
  [{ url: ['https://files.acme.org/a'] }, 'url must be a string'],
  [{ fileName: 'a.exe' }, 'Unsupported file type: .exe'],
])('answers %j with 400: %s', async (json, error) => {
  const reply = await add(json);
  expect([reply.status, reply.body]).toEqual([400, { error }]);
});

it('treats an empty optional field as absent', async () => {
  expect((await add({ url: '', fileName: 'a.txt' })).status).toBe(200);
  expect((await add({ url: null, fileName: 'a.txt' })).status).toBe(200);
});
