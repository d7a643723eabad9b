/** A service in the test's process: a function answers requests, and the test sends WebSocket messages. */
import { type AgentsOptions, agents, type TaskNews, type Way } from '../../client/src/index.ts';

type Sent = { type: string; resume_from?: { since: string } };

export class Socket {
  static made: Socket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;
  sent: Sent[] = [];

  constructor() {
    Socket.made.push(this);
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string): void {
    const message = JSON.parse(text);
    this.sent.push(message);
    if (message.type === 'authenticate') this.say({ type: 'authenticated' });
    if (message.type === 'subscribe') this.say({ type: 'subscribed' });
  }
  say(...messages: object[]): void {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) });
  }
  close(): void {
    this.onclose?.();
  }
  get since(): string | undefined {
    return this.sent.find(({ type }) => type === 'subscribe')?.resume_from?.since;
  }
}

/** Answers a path; `undefined` stands for an unreachable server, a promise for a slow one. */
export type Service = (path: string) => object | undefined | Promise<object>;

export function watching(service: Service, o: Partial<AgentsOptions> & { taskIds?: string[] } = {}) {
  Socket.made = [];
  const { taskIds, ...options } = o;
  const ending = new AbortController();
  const fetch = async (address: unknown) => {
    const { pathname } = new URL(String(address));
    const answer = await (pathname.endsWith('/websocket-auth') && service(pathname) !== undefined
      ? { websocket_token: 'e30.e30.e30' }
      : service(pathname));
    if (answer === undefined) throw new TypeError('fetch failed');
    return Response.json(answer);
  };
  const people = agents({
    rootUrl: 'https://errand.test',
    accessToken: 't',
    retries: 0,
    fetch,
    WebSocket: Socket,
    ...options,
  });
  const news: TaskNews[] = [];
  const ways: Way[] = [];
  const onWay = (way: Way) => ways.push(way);
  const watch = async () => {
    const { signal } = ending;
    for await (const each of people.watch({ signal, onWay, ...(taskIds ? { taskIds } : {}) })) news.push(each);
  };
  const ended = watch().catch(({ code }) => code);
  return {
    news,
    ways,
    ended,
    told: () => news.map(({ type, task_id, progress = '' }) => `${task_id} ${type} ${progress}`.trim()),
    stop: () => {
      ending.abort();
      return ended;
    },
  };
}
