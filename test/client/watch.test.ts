/** Watching during a network outage. Without a WebSocket it polls, which a plain server can answer. */
import { describe, expect, it } from 'vitest';
import { agents, type TaskNews, type WebSocketMaker } from '../../client/src/index.ts';
import { answering, json, type Reply } from './server.ts';

/** As in a page that may not open WebSockets. */
const Forbidden = class {
  constructor() {
    throw new Error('refused by the policy of the page');
  }
} as unknown as WebSocketMaker;

const statusReply = (status: string, percentage: number): Reply =>
  json(200, {
    task_id: 'task_a',
    status,
    progress: { percentage },
    started_at: '2026-11-20T14:02:00.000Z',
    last_updated: '2026-11-20T14:02:01.000Z',
    metadata: {},
  });
const token = json(200, { websocket_token: 'e30.e30.e30', expires_in: 60 });

async function watchThrough(replies: Reply[]) {
  await using server = await answering(replies);
  const people = agents({ rootUrl: server.url, accessToken: 'token', retries: 0, WebSocket: Forbidden });
  const news: TaskNews[] = [];
  const ways: string[] = [];
  const watch = async () => {
    for await (const each of people.watch({ taskIds: ['task_a'], onWay: (way) => ways.push(way) })) news.push(each);
  };
  const fault = await watch().catch(({ code }) => code);
  const times = news.map(({ type, timestamp }) => `${type} ${timestamp?.slice(17, 19)}`);
  return { fault, times, told: news.map(({ type, progress }) => `${type} ${progress ?? ''}`.trim()), ways };
}

describe('a watch', () => {
  it('survives a disconnect, a failing gateway, and a WebSocket that cannot be opened', async () => {
    const replies: Reply[] = [
      token,
      statusReply('processing', 50),
      'cut',
      json(502, { message: 'Bad gateway' }),
      token,
    ];
    expect(await watchThrough([...replies, statusReply('completed', 100)])).toEqual({
      fault: undefined,
      times: expect.any(Array),
      told: ['task_started', 'task_progress 50', 'task_progress 100', 'task_completed'],
      ways: ['polling', 'lost', 'polling'],
    });
  });

  it('yields each event with its own time, and no start of a task that was cancelled in the queue', async () => {
    const common = { task_id: 'task_a', last_updated: '2026-11-20T14:02:09.000Z', metadata: {} };
    const ended = { ...common, completed_at: '2026-11-20T14:02:09.000Z', progress: { percentage: 100 } };
    const ran = { ...ended, status: 'completed', started_at: '2026-11-20T14:02:01.000Z' };
    expect((await watchThrough([token, json(200, ran)])).times).toEqual([
      'task_started 01',
      'task_progress 09',
      'task_completed 09',
    ]);
    const error = { code: 'TASK_CANCELLED', message: 'The task was cancelled.' };
    const never = { ...ended, status: 'cancelled', started_at: null, progress: { percentage: 0 }, error };
    expect(await watchThrough([token, json(200, never)])).toMatchObject({ times: ['task_failed 09'] });
  });

  it.each([
    ['NETWORK', ['cut']],
    ['NOT_ERRAND', [{ status: 200, body: '<html>' }]],
    ['UNAUTHORIZED', [json(401, { error: { code: 'UNAUTHORIZED', message: 'No' } })]],
  ] as [string, Reply[]][])('reports %s when no update ever arrived', async (code, replies) => {
    expect(await watchThrough(replies)).toEqual({ fault: code, times: [], told: [], ways: [] });
  });

  it('ends with a permanent failure', async () => {
    const error = { code: 'TASK_NOT_FOUND', message: 'Task not found' };
    const { fault, told } = await watchThrough([token, statusReply('processing', 50), json(404, { error })]);
    expect([fault, told.length]).toEqual(['TASK_NOT_FOUND', 2]);
  });
});
