/** The client library against the product, as a program of a customer would use it. */
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { agents, ErrandError, filesAndTasks, type Progress, type TaskNews } from '../../../client/src/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { keyOf, target } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = temporaryFolder();
afterAll(() => folder.remove());

const { files, tasks, models, usage } = filesAndTasks({ baseUrl: target.filesAndTasks, apiKey: keyOf('client') });
const login = { username: userNameOf('client', 'admin'), password: PASSWORD };
const agentsApi = agents({ rootUrl: target.agents, wsUrl: target.agentsSocket, login });

const TEXT = 'The lease of the harbour office runs until 30 June 2031.\n'.repeat(20_000);
const path = join(folder.path, 'lease.txt');
writeFileSync(path, TEXT);

const newTask = (fileIds: string[] = []) => ({
  namespace: 'client',
  delivery: { type: 'webhook', config: { endpoint: 'https://no-such-host.errand-webhooks.org/' } } as const,
  input: { type: 'chat', prompt: 'Until when does the lease run?', fileIds } as const,
});
const research = { task_type: 'research_agent', input: { query: 'Port fees in the Baltic' } } as const;

async function takeItems<T>(items: AsyncIterable<T>, maxItems = Number.POSITIVE_INFINITY): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === maxItems) break;
  }
  return taken;
}

describe('an upload', () => {
  const sources = {
    'a path': () => [path, {}] as const,
    'a Blob': () => [new Blob([TEXT]), { fileName: 'lease.txt' }] as const,
    'a File': () => [new File([TEXT], 'lease.txt', { type: 'text/plain' }), {}] as const,
    bytes: () => [new TextEncoder().encode(TEXT), { fileName: 'lease.txt' }] as const,
    'a stream of known size': () => [createReadStream(path), { fileName: 'lease.txt', size: TEXT.length }] as const,
    'a web stream of unknown size': () =>
      [Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>, { fileName: 'lease.txt' }] as const,
  };

  it.each(Object.entries(sources))('accepts %s and reports progress that never falls', async (_, makeSource) => {
    const [source, options] = makeSource();
    const reports: Progress[] = [];
    const { fileId } = await files.upload(source, { ...options, onProgress: (progress) => reports.push(progress) });
    const sentBytes = reports.map(({ sentBytes }) => sentBytes);
    expect(sentBytes).toEqual([...new Set(sentBytes)].sort((a, b) => a - b));
    expect([sentBytes[0], sentBytes.at(-1), reports[0]?.totalBytes]).toEqual([0, TEXT.length, TEXT.length]);
    expect(sentBytes.length).toBeGreaterThan(2);
    const file = await files.get(fileId);
    expect(file).toMatchObject({ fileName: 'lease.txt', mimeType: 'text/plain', size: TEXT.length });
    expect(await (await fetch(file.url)).text()).toBe(TEXT);
    await files.delete(fileId);
    await expect(files.get(fileId)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  it('rejects invalid input before it sends a request', async () => {
    await expect(files.upload(join(folder.path, 'none.txt'))).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(files.upload(new Blob(['x']))).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(files.upload(7 as never)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('stops when its signal is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(files.upload(path, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    const ending = new AbortController();
    const onProgress = ({ sentBytes }: Progress) => sentBytes > 0 && ending.abort();
    await expect(files.upload(path, { signal: ending.signal, onProgress })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('of a URL that is not public is refused with the message of the service', async () => {
    const refused = files.fromUrl('https://192.168.0.1/a.pdf');
    await expect(refused).rejects.toMatchObject({
      name: 'ErrandError',
      code: 'INVALID_REQUEST',
      status: 400,
      message: 'Invalid bucket URL',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      remedy: expect.stringContaining('Correct'),
    });
    await expect(refused).rejects.toBeInstanceOf(ErrandError);
  });
});

describe('tasks', () => {
  it('are created, awaited, listed page by page and cancelled', async () => {
    const { fileId } = await files.upload(path);
    const { taskId } = await tasks.create(newTask([fileId]));
    const seenStates: string[] = [];
    const ended = await tasks.wait(taskId, { onPoll: ({ status }) => seenStates.push(status) });
    expect(ended.status === 'success' && ended.output.text).toContain('30 June 2031');
    expect(seenStates.at(-1)).toBe('success');
    const more = await Promise.all([tasks.create(newTask()), tasks.create(newTask())]);
    const listed = await takeItems(tasks.list({ namespace: 'client', pageSize: 1 }), 3);
    expect(new Set(listed.map((task) => task.taskId))).toEqual(new Set([taskId, ...more.map((task) => task.taskId)]));
    expect(await tasks.cancel(taskId)).toEqual(ended);
    expect((await models()).models).toEqual(['offline/extractive']);
    expect((await usage()).days).toHaveLength(30);
    // Other tests upload files at the same time.
    expect(await takeItems(files.list({ pageSize: 1 }), 20)).toContainEqual(expect.objectContaining({ fileId }));
  });

  it('are created once for each idempotency key', async () => {
    const idempotencyKey = `client-${Date.now()}`;
    const first = await tasks.create(newTask(), { idempotencyKey });
    expect(await tasks.create(newTask(), { idempotencyKey })).toEqual(first);
    const other = { ...newTask(), namespace: 'other' };
    await expect(tasks.create(other, { idempotencyKey })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('that are invalid are rejected with the reason, and an unknown task is not found', async () => {
    const wrong = { ...newTask(), namespace: '' };
    await expect(tasks.create(wrong)).rejects.toMatchObject({ message: 'namespace is required' });
    await expect(tasks.get('a/../b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('continue when they take longer than the caller waits', async () => {
    const { taskId } = await tasks.create(newTask());
    const waiting = tasks.wait(taskId, { timeoutMs: 0 });
    await waiting.catch((error) => expect(error).toMatchObject({ code: 'WAIT_TIMEOUT' }));
    expect((await tasks.wait(taskId)).status).toBe('success');
  });
});

describe('agents', () => {
  it('log in automatically, submit, wait and return results', async () => {
    const accepted = await agentsApi.submit({ ...research, metadata: { order: '7' } });
    expect(accepted).toMatchObject({ status: 'accepted', metadata: { order: '7' } });
    const ended = await agentsApi.wait(accepted.task_id);
    expect(ended.status).toBe('completed');
    expect(await agentsApi.results(accepted.task_id)).toMatchObject({
      status: 'completed',
      completed_at: ended.completed_at,
    });
    const listed = await takeItems(agentsApi.list({ status: ['completed', 'failed'], pageSize: 1 }), 1);
    expect(listed).toHaveLength(1);
    await expect(agentsApi.cancel(accepted.task_id)).rejects.toMatchObject({
      code: 'TASK_NOT_CANCELLABLE',
      status: 409,
    });
    expect((await agentsApi.usage()).unfinished_tasks.most).toBeGreaterThan(0);
  });

  it('that recur are awaited until their next run has ended', async () => {
    const slotAt = Math.ceil(Date.now() / 1_000) * 1_000 + 2_000;
    const schedule = { frequency: 'daily', time: new Date(slotAt).toISOString().slice(11, 19) } as const;
    const input = { schedule, content: { recipients: ['someone@errand-tests.org'] } };
    const { task_id } = await agentsApi.submit({ task_type: 'notification_agent', input });
    const { status, output_preview } = await agentsApi.wait(task_id, { timeoutMs: 30_000 });
    const tomorrow = new Date(slotAt + 86_400_000).toISOString();
    expect([status, output_preview.next_run_at]).toEqual(['pending', tomorrow]);
    expect((await agentsApi.results(task_id)).results).toMatchObject({ runs: [{ run: 1, status: 'completed' }] });
    const late = agentsApi.wait(task_id, { timeoutMs: 30_000 });
    await expect(late).rejects.toMatchObject({ code: 'WAIT_TIMEOUT', details: { next_run_at: tomorrow } });
    expect((await agentsApi.cancel(task_id)).status).toBe('cancelled');
    expect((await agentsApi.wait(task_id)).status).toBe('cancelled');
  });

  it('report which fields are invalid', async () => {
    const wrong = agentsApi.submit({ ...research, priority: 11 });
    await expect(wrong).rejects.toMatchObject({
      code: 'TASK_VALIDATION_FAILED',
      details: { invalid_fields: ['priority'] },
    });
  });

  it('report a wrong password, and log in again when a token is rejected', async () => {
    const stranger = agents({ rootUrl: target.agents, login: { ...login, password: 'not the one' } });
    await expect(stranger.login()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    const outdated = agents({ rootUrl: target.agents, accessToken: 'e30.e30.e30', login });
    expect((await outdated.usage()).limits.length).toBeGreaterThan(3);
    const keyless = agents({ rootUrl: target.agents, accessToken: 'e30.e30.e30' });
    await expect(keyless.usage()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(agents({ rootUrl: target.agents }).usage()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  const newsTexts = (news: TaskNews[]) => news.map(({ type, progress }) => `${type} ${progress ?? ''}`.trim());
  const inOrder = (words: string[]) => {
    expect(words[0]).toBe('task_started');
    expect(words.at(-1)).toBe('task_completed');
    expect(words.at(-2)).toBe('task_progress 100');
    expect(words).toEqual([...new Set(words)]);
  };

  it('are watched from their start to their end', async () => {
    const ways: string[] = [];
    const { task_id } = await agentsApi.submit(research);
    const news = await takeItems(agentsApi.watch({ taskIds: [task_id], onWay: (way) => ways.push(way) }));
    expect(ways).toEqual(['websocket']);
    inOrder(newsTexts(news));
    expect(new Set(news.map((update) => update.task_id))).toEqual(new Set([task_id]));
  });

  it('are watched by polling where there is no WebSocket', async () => {
    class NoSocket {
      onopen = null;
      onmessage = null;
      onerror = null;
      onclose: (() => void) | null = null;
      constructor() {
        setTimeout(() => this.onclose?.(), 5);
      }
      send() {}
      close() {}
    }
    const blocked = agents({ rootUrl: target.agents, login, WebSocket: NoSocket });
    const ways: string[] = [];
    const { task_id } = await blocked.submit(research);
    inOrder(newsTexts(await takeItems(blocked.watch({ taskIds: [task_id], onWay: (way) => ways.push(way) }))));
    expect(ways).toEqual(['polling']);
  });

  it('are still watched after the connection is cut, with each event reported once', async () => {
    let opened = 0;
    class CutSocket extends WebSocket {
      constructor(address: string) {
        super(address);
        opened++;
        if (opened === 1) {
          this.addEventListener('message', ({ data }) => {
            if (String(data).includes('task_started')) this.close();
          });
        }
      }
    }
    const cut = agents({ rootUrl: target.agents, wsUrl: target.agentsSocket, login, WebSocket: CutSocket as never });
    const ending = new AbortController();
    const news: TaskNews[] = [];
    let task = '';
    const onWay = async () => {
      task ||= (await agentsApi.submit(research)).task_id;
    };
    const watching = (async () => {
      for await (const update of cut.watch({ signal: ending.signal, onWay })) {
        news.push(update);
        if (update.type === 'task_completed' && update.task_id === task) ending.abort();
      }
    })();
    await expect(watching).rejects.toMatchObject({ code: 'ABORTED' });
    inOrder(newsTexts(news.filter(({ task_id }) => task_id === task)));
    expect(opened).toBe(2);
  });
});
