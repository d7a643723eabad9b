/** The bytes behind a signed URL, and lists by page. */
import { expect, it } from 'vitest';
import { agents, download, filesAndTasks } from '../../client/src/index.ts';
import { answering, json } from './server.ts';

it('returns the bytes with their type, up to the requested length', async () => {
  await using server = await answering([{ status: 200, body: 'a,b\n1,2', headers: { 'content-type': 'text/csv' } }]);
  const blob = await download(server.url);
  expect([blob.type, await blob.text()]).toEqual(['text/csv', 'a,b\n1,2']);
  await expect(download(server.url, { maxBytes: 6 })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(server.got.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});

it('reports that a URL has expired, cannot be reached, or was aborted', async () => {
  await using server = await answering([{ status: 403, body: '<Error/>' }, 'cut', 'hang']);
  await expect(download(server.url)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 403 });
  await expect(download(server.url, { retries: 0 })).rejects.toMatchObject({ code: 'NETWORK' });
  await expect(download(server.url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'ABORTED' });
});

it('retries temporary failures, and reports permanent ones', async () => {
  await using server = await answering(['cut', { status: 503 }, { status: 200, body: 'abc' }]);
  expect(await (await download(server.url)).text()).toBe('abc');
  for (const [status, code] of [
    [404, 'NOT_FOUND'],
    [410, 'NOT_FOUND'],
    [400, 'INVALID_REQUEST'],
    [401, 'UNAUTHORIZED'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'INTERNAL_ERROR'],
  ] as const) {
    await using refusing = await answering([{ status, headers: { 'retry-after': '7' } }]);
    const refused = download(refusing.url, { retries: 0 });
    await expect(refused).rejects.toMatchObject({ code, status, retryAfterSeconds: 7 });
  }
});

it('accepts the options of other calls, and rejects an invalid URL', async () => {
  await using server = await answering(['hang']);
  const late = download(server.url, { timeoutMs: 50, retries: 1 });
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(server.got).toHaveLength(2);
  const own = async () => new Response('own');
  expect(await (await download(server.url, { fetch: own })).text()).toBe('own');
  for (const address of ['nonsense', '', 'ftp://acme.org/a', undefined as never]) {
    await expect(download(address)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  }
});

it('returns one page of each list, from the end of the previous one', async () => {
  const pagination = { total_count: 1, next_cursor: null };
  await using server = await answering([
    json(200, { files: [], nextCursor: 'n' }),
    json(200, { tasks: [], nextCursor: null }),
    json(200, { tasks: [], pagination }),
  ]);
  const { files, tasks } = filesAndTasks({ baseUrl: server.url, apiKey: 'errand_a_b' });
  const people = agents({ rootUrl: server.url, accessToken: 'token' });
  expect((await files.page({ pageSize: 1, cursor: 'c' })).nextCursor).toBe('n');
  expect((await tasks.page({ namespace: 'a', cursor: 'c' })).nextCursor).toBeNull();
  expect((await people.page({ status: ['failed', 'cancelled'], offset: 5 })).pagination.total_count).toBe(1);
  expect(server.got.map(({ url }) => decodeURIComponent(url))).toEqual([
    '/files?limit=1&cursor=c',
    '/tasks?namespace=a&cursor=c',
    '/api/v1/tasks?offset=5&status=failed,cancelled',
  ]);
});
