/** A client of the WebSocket channel, written from the specification alone, over Node's WebSocket. */
import { once } from 'node:events';
import type { Any } from '../../support/any.ts';

export type Message = Any;

export type Client = Awaited<ReturnType<typeof connect>>;

const PATIENCE_MS = 20_000;

/** `wsUrl` is the specification's `{agent_ws_url}`. */
export async function connect(wsUrl: string) {
  const socket = new WebSocket(`${wsUrl}/ws/tasks`);
  const messages: Message[] = [];
  const news = new EventTarget();
  let closed: { code: number; reason: string } | undefined;
  socket.addEventListener('message', ({ data }) => {
    messages.push(JSON.parse(String(data)));
    news.dispatchEvent(new Event('news'));
  });
  socket.addEventListener('close', ({ code, reason }) => {
    closed = { code, reason };
    news.dispatchEvent(new Event('news'));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('The connection was refused.')));
  });

  async function until<T>(what: () => T | undefined | false, patienceMs = PATIENCE_MS): Promise<T> {
    const signal = AbortSignal.timeout(patienceMs);
    for (;;) {
      const result = what();
      if (result) return result;
      await once(news, 'news', { signal }).catch(() => {
        throw new Error(`It did not come; what came: ${JSON.stringify(messages).slice(0, 2_000)}`);
      });
    }
  }

  let read = 0;
  return {
    messages,
    send: (message: object) => socket.send(JSON.stringify(message)),
    sendRaw: (data: string | Uint8Array<ArrayBuffer>) => socket.send(data),
    /** The next message in order of arrival. */
    async next(): Promise<Message> {
      const at = read++;
      return until(() => messages[at]);
    },
    /** The first message of this kind that was not returned yet. */
    first: (fits: (message: Message) => boolean, patienceMs?: number) => until(() => messages.find(fits), patienceMs),
    closed: () => until(() => closed),
    isClosed: () => closed !== undefined,
    close: () => socket.close(),
  };
}

/** The specification's steps up to the answer to the last one. */
export async function subscribe(wsUrl: string, token: string, more: object = {}): Promise<Client> {
  const client = await connect(wsUrl);
  client.send({ type: 'authenticate', token });
  await client.first(({ type }) => type === 'authenticated');
  client.send({ type: 'subscribe', channels: ['task_updates', 'system_notifications'], ...more });
  await client.first(({ type }) => type === 'subscribed');
  return client;
}
