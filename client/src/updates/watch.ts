/** Watches tasks over the WebSocket, resumes after a disconnect, and polls while disconnected. */
import type { TaskInList, TaskStatus } from '../contracts/agents.ts';
import { ErrandError } from '../errors.ts';
import type { Answered } from '../requests/caller.ts';
import { endingOf } from '../requests/ending.ts';
import { pause } from '../requests/pause.ts';
import { mayPass } from '../requests/tries.ts';
import type { WebSocketLike, WebSocketMaker } from './connection.ts';
import { messages } from './messages.ts';
import { isEnd, newsFilter, newsIn, newsInList, type TaskNews } from './task-news.ts';

export type { TaskNews, WebSocketLike, WebSocketMaker };

/** `lost`: no connection at the moment; it is retried. */
export type Way = 'websocket' | 'polling' | 'lost';

export type WatchOptions = {
  /** Only these tasks, until all of them have ended. */
  taskIds?: string[];
  signal?: AbortSignal;
  /** Called when the transport changes. */
  onWay?: (way: Way) => void;
};

type Ports = {
  wsUrl: string;
  WebSocket: WebSocketMaker | undefined;
  websocketToken(signal?: AbortSignal): Promise<string>;
  status(taskId: string, signal?: AbortSignal): Promise<Answered<TaskStatus>>;
  newest(signal?: AbortSignal): Promise<TaskInList[]>;
};

const POLL_MS = 3_000;
/** A scheduled task may be started early, so no wait is longer. */
const MAX_WAIT_MS = 60_000;
/** For watching all tasks; calls of lists are also limited per hour. */
const POLL_ALL_MS = 5_000;
/** How long it polls before it tries the WebSocket again, because WebSocket tokens are limited per hour. */
const TRY_AGAIN_MS = 90_000;
/** A shorter connection counts as cut; after `MAX_CUTS` in a row it polls for a while. */
const STEADY_MS = 30_000;
const MAX_CUTS = 5;
const CUT_MS = 500;
/** The overlap of the first connection, in case it is cut early; a resume overlaps anyway. */
const BEFORE_MS = 5_000;
/** A poll that takes longer is reported as `lost`. */
const LATE_MS = 5_000;
/** The longest outage that is retried, once there was a connection. */
const OUTAGE_MS = 600_000;

export const watcher =
  (ports: Ports) =>
  (o: WatchOptions = {}): AsyncGenerator<TaskNews, void> =>
    watch(ports, o);

async function* watch(ports: Ports, { taskIds, signal, onWay }: WatchOptions): AsyncGenerator<TaskNews, void> {
  const open = taskIds && new Set(taskIds);
  if (open?.size === 0) return;
  const ending = endingOf(signal);
  const isNew = newsFilter();
  const isWanted = (update: TaskNews) => (!open || open.has(update.task_id)) && isNew(update);
  const place: WatchPosition = { since: moment(BEFORE_MS), heardAt: undefined, cuts: 0 };
  try {
    // Watching all tasks yields future updates only: this marks the past ones as known.
    for (const task of open ? [] : await ports.newest(ending.signal)) newsInList(task).forEach(isNew);
    for await (const update of watchWithRetries(ports, {
      taskIds: open,
      signal: ending.signal,
      tell: changesOf(onWay),
      place,
    })) {
      if (!isWanted(update)) continue;
      yield update;
      if (open && isLast(update, open)) return;
    }
  } finally {
    ending.end();
  }
}

const isLast = (update: TaskNews, open: Set<string>): boolean =>
  isEnd(update) && open.delete(update.task_id) && open.size === 0;

function changesOf(onWay: WatchOptions['onWay']): (way: Way) => void {
  let reported: Way | undefined;
  return (way) => {
    if (way === reported) return;
    reported = way;
    onWay?.(way);
  };
}

/** `heardAt`: when updates were last received, or could have been. */
type WatchPosition = { since: string; heardAt: number | undefined; cuts: number };
type WatchState = { taskIds: Set<string> | undefined; signal: AbortSignal; tell(way: Way): void; place: WatchPosition };

/** All updates, including repeats, retried during an outage. */
async function* watchWithRetries(ports: Ports, o: WatchState): AsyncGenerator<TaskNews, void> {
  for (;;) {
    try {
      yield* watchOnce(ports, o);
    } catch (error) {
      if (!isOutage(error, o.place)) throw error;
      o.tell('lost');
      await pause(POLL_MS, o.signal);
    }
  }
}

/** Updates from one connection, or from polling for a while. */
async function* watchOnce(ports: Ports, o: WatchState): AsyncGenerator<TaskNews, void> {
  const socket = ports.WebSocket ?? (globalThis as { WebSocket?: WebSocketMaker }).WebSocket;
  const { place } = o;
  const begunAt = Date.now();
  const wasHeard = socket ? yield* watchBySocket(ports, socket, o) : false;
  place.cuts = wasHeard && Date.now() - begunAt > STEADY_MS ? 0 : place.cuts + 1;
  if (wasHeard && place.cuts < MAX_CUTS) await pause(CUT_MS * place.cuts, o.signal);
  else yield* watchByPolling(ports, { ...o, forMs: socket ? TRY_AGAIN_MS : Infinity });
}

const isOutage = (error: unknown, { heardAt }: WatchPosition): boolean =>
  error instanceof ErrandError && mayPass(error) && heardAt !== undefined && Date.now() - heardAt < OUTAGE_MS;

const moment = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();

/** Updates from one connection. Returns whether it was subscribed. */
async function* watchBySocket(ports: Ports, socket: WebSocketMaker, o: WatchState): AsyncGenerator<TaskNews, boolean> {
  const { place, signal, tell } = o;
  let wasHeard = false;
  const isLive = liveness();
  const look = async (): Promise<TaskNews[]> => {
    const updates: TaskNews[] = [];
    for await (const update of readUpdates(ports, o)) updates.push(update);
    return updates;
  };
  const from = { since: place.since, signal, look, looksAtFirst: o.taskIds !== undefined };
  for await (const message of messages(ports, socket, from)) {
    place.heardAt = Date.now();
    if (message.type === 'subscribed') {
      wasHeard = true;
      tell('websocket');
    }
    if (isLive(message.type) && 'timestamp' in message) place.since = message.timestamp;
    if (message.type === 'looked') yield* message.news;
    else if ('task_id' in message) yield message;
  }
  if (wasHeard) {
    place.heardAt = Date.now();
    tell('lost');
  }
  return wasHeard;
}

/** During a replay the messages mix old and new, so a cut replay must start again from its beginning. */
function liveness(): (type: string) => boolean {
  let ending = 'replay_complete';
  let isLive = false;
  return (type) => {
    if (type === 'resync_required') [isLive, ending] = [false, 'looked'];
    isLive ||= type === ending;
    return isLive;
  };
}

async function* watchByPolling(
  ports: Ports,
  { forMs, ...o }: WatchState & { forMs: number },
): AsyncGenerator<TaskNews, void> {
  const prompt = reportingPolls(ports, o.tell);
  for (const until = Date.now() + forMs; Date.now() < until; ) {
    const seenAt = moment(BEFORE_MS);
    const waitMs = yield* readUpdates(prompt, o);
    Object.assign(o.place, { since: seenAt, heardAt: Date.now() });
    await pause(waitMs, o.signal);
  }
}

/** Reports `polling` with each response, and `lost` while a response is late. */
function reportingPolls(ports: Ports, report: WatchState['tell']): Pick<Ports, 'status' | 'newest'> {
  async function timed<T>(answer: Promise<T>): Promise<T> {
    const missing = setTimeout(() => report('lost'), LATE_MS);
    try {
      const value = await answer;
      report('polling');
      return value;
    } finally {
      clearTimeout(missing);
    }
  }
  return {
    status: (taskId, signal) => timed(ports.status(taskId, signal)),
    newest: (signal) => timed(ports.newest(signal)),
  };
}

/** Returns the wait until the next poll: the tasks share one call limit, so it grows with their number. */
async function* readUpdates(
  { status, newest }: Pick<Ports, 'status' | 'newest'>,
  { taskIds, signal }: WatchState,
): AsyncGenerator<TaskNews, number> {
  if (!taskIds) {
    for (const task of await newest(signal)) yield* newsInList(task);
    return POLL_ALL_MS;
  }
  const ids = [...taskIds];
  let paceMs = MAX_WAIT_MS;
  for (const taskId of ids) {
    const { body, retryAfterMs } = await status(taskId, signal);
    paceMs = Math.min(paceMs, retryAfterMs);
    yield* newsIn(body);
  }
  return Math.max(POLL_MS, ids.length * paceMs);
}
