/** Watches tasks over the WebSocket, goes on after a cut, and polls while there is none. */
import type { Answered } from './caller.ts';
import type { WebSocketLike, WebSocketMaker } from './connection.ts';
import type { TaskInList, TaskStatus } from './contracts/agents.ts';
import { ErrandError } from './errors.ts';
import { messages } from './messages.ts';
import { pause } from './pause.ts';
import { isEnd, newsFilter, newsIn, type TaskNews } from './task-news.ts';
import { mayPass } from './tries.ts';

export type { TaskNews, WebSocketLike, WebSocketMaker };

export type WatchOptions = {
  /** These tasks only, until all of them have ended. */
  taskIds?: string[];
  signal?: AbortSignal;
  /** Told when the way changes. */
  onWay?: (way: 'websocket' | 'polling') => void;
};

type Ports = {
  wsUrl: string;
  WebSocket: WebSocketMaker | undefined;
  websocketToken(signal?: AbortSignal): Promise<string>;
  status(taskId: string, signal?: AbortSignal): Promise<Answered<TaskStatus>>;
  newest(signal?: AbortSignal): Promise<TaskInList[]>;
};

const POLL_MS = 3_000;
/** However late a task begins: it may be told to begin now. */
const MOST_WAIT_MS = 60_000;
/** Of all tasks: lists are counted by the hour, too. */
const POLL_ALL_MS = 5_000;
/** So long it polls before it tries the WebSocket again: its tokens are counted by the hour. */
const TRY_AGAIN_MS = 90_000;
/** A connection that lives for less is a cut; after so many it polls for a while. */
const STEADY_MS = 30_000;
const MOST_CUTS = 5;
const CUT_MS = 500;
/** What a cut at the very beginning may have missed; resuming overlaps anyway. */
const BEFORE_MS = 5_000;
/** So long nothing may be heard, once something was: a network may be away for a while. */
const OUTAGE_MS = 600_000;

export const watcher = (ports: Ports) =>
  async function* watch({ taskIds, signal, onWay }: WatchOptions = {}): AsyncGenerator<TaskNews, void> {
    const open = taskIds && new Set(taskIds);
    if (open?.size === 0) return;
    const ending = endingWith(signal);
    const heard = hearing(ports, { taskIds: open, signal: ending.signal, onWay });
    const isNew = newsFilter();
    const isWanted = (news: TaskNews) => (!open || open.has(news.task_id)) && isNew(news);
    try {
      for await (const news of heard) {
        if (!isWanted(news)) continue;
        yield news;
        if (isEnd(news) && open?.delete(news.task_id) && open.size === 0) return;
      }
    } finally {
      ending.end();
    }
  };

/** Ends with the caller's signal, or when the caller wants no more. */
function endingWith(signal: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const ending = new AbortController();
  const abort = () => ending.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: ending.signal,
    end() {
      signal?.removeEventListener('abort', abort);
      ending.abort();
    },
  };
}

type Hearing = { taskIds: Set<string> | undefined; signal: AbortSignal; onWay: WatchOptions['onWay'] };

/** All that comes, with repeats. */
async function* hearing(ports: Ports, o: Hearing): AsyncGenerator<TaskNews, void> {
  const place: Place = { since: moment(BEFORE_MS), heardAt: undefined, cuts: 0 };
  for (;;) {
    try {
      yield* heardOnce(ports, { ...o, place });
    } catch (error) {
      if (!isOutage(error, place)) throw error;
      await pause(POLL_MS, o.signal);
    }
  }
}

/** Over one connection, or by polling for a while. */
async function* heardOnce(ports: Ports, o: Hearing & { place: Place }): AsyncGenerator<TaskNews, void> {
  const socket = ports.WebSocket ?? (globalThis as { WebSocket?: WebSocketMaker }).WebSocket;
  const { place } = o;
  const begunAt = Date.now();
  const wasHeard = socket ? yield* connected(ports, socket, o) : false;
  place.cuts = wasHeard && Date.now() - begunAt > STEADY_MS ? 0 : place.cuts + 1;
  if (wasHeard && place.cuts < MOST_CUTS) await pause(CUT_MS * place.cuts, o.signal);
  else yield* polled(ports, { ...o, forMs: socket ? TRY_AGAIN_MS : Number.POSITIVE_INFINITY });
}

const isOutage = (error: unknown, { heardAt }: Place): boolean =>
  error instanceof ErrandError && mayPass(error) && heardAt !== undefined && Date.now() - heardAt < OUTAGE_MS;

const moment = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();

type Place = { since: string; heardAt: number | undefined; cuts: number };

/** Over one connection; whether it came so far that something was heard. */
async function* connected(
  ports: Ports,
  socket: WebSocketMaker,
  o: Hearing & { place: Place },
): AsyncGenerator<TaskNews, boolean> {
  let wasHeard = false;
  const look = async (): Promise<TaskNews[]> => {
    const found: TaskNews[] = [];
    for await (const news of looked(ports, o)) found.push(news);
    return found;
  };
  for await (const message of messages(ports, socket, { since: o.place.since, signal: o.signal, look })) {
    o.place.heardAt = Date.now();
    if (message.type === 'subscribed') {
      wasHeard = true;
      o.onWay?.('websocket');
    }
    if (message.type === 'looked') yield* message.news;
    if (!('task_id' in message)) continue;
    o.place.since = message.timestamp;
    yield message;
  }
  return wasHeard;
}

type Polling = Hearing & { place: Place; forMs: number };

async function* polled(ports: Ports, { place, forMs, ...o }: Polling): AsyncGenerator<TaskNews, void> {
  o.onWay?.('polling');
  for (const until = Date.now() + forMs; Date.now() < until; ) {
    const seenAt = moment(BEFORE_MS);
    const waitMs = yield* looked(ports, o);
    Object.assign(place, { since: seenAt, heardAt: Date.now() });
    await pause(waitMs, o.signal);
  }
}

/** Answers how long to wait: as all of them share one limit of calls, each look takes the time that the most eager asks for. */
async function* looked({ status, newest }: Ports, { taskIds, signal }: Hearing): AsyncGenerator<TaskNews, number> {
  if (!taskIds) {
    for (const task of await newest(signal)) yield* newsIn(task);
    return POLL_ALL_MS;
  }
  const asked = [...taskIds];
  let paceMs = MOST_WAIT_MS;
  for (const taskId of asked) {
    const { body, retryAfterMs } = await status(taskId, signal);
    paceMs = Math.min(paceMs, retryAfterMs);
    yield* newsIn(body);
  }
  return Math.max(POLL_MS, asked.length * paceMs);
}
