/** Updates of tasks over one WebSocket for the whole console, and what they change in a list. */
import type { Way as Heard, TaskNews } from '../client/src/index.ts';
import { api, faultOf } from './api.ts';
import { session } from './session.ts';
import { store } from './store.ts';

/** What becomes of tasks, heard once for the whole console: an organization has only five connections. */
type Way = 'off' | 'connecting' | Heard;

/** How news come now. */
export const way = store<Way>('off');

/** `missed`: something may have happened without an update. */
type Listener = { heard(update: TaskNews): void; missed(): void };
const listeners = new Set<Listener>();
/** A page that follows another one takes the connection over. */
const GRACE_MS = 5_000;
const AGAIN_MS = 20_000;
let watching: AbortController | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Tells of every task of the organization, until the answer is called. */
export function hear(listener: Listener): () => void {
  listeners.add(listener);
  clearTimeout(leaving);
  begin();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) leaving = setTimeout(end, GRACE_MS);
  };
}

function begin(): void {
  if (watching || document.hidden || listeners.size === 0) return;
  const ending = new AbortController();
  watching = ending;
  way.set('connecting');
  watch(ending.signal).catch((error) => {
    if (ending.signal.aborted) return;
    faultOf(error);
    way.set('off');
    // A limit is used up or the server does not answer: try again later.
    setTimeout(() => {
      if (watching !== ending) return;
      end();
      begin();
    }, AGAIN_MS);
  });
}

async function watch(signal: AbortSignal): Promise<void> {
  let isFirst = true;
  const onWay = (now: Way) => {
    way.set(now);
    // It tells what happens from now on: what is on the screen may be older.
    if (isFirst) for (const { missed } of [...listeners]) missed();
    isFirst = false;
  };
  for await (const update of api().agents.watch({ signal, onWay })) {
    for (const { heard: received } of [...listeners]) received(update);
  }
}

function end(): void {
  watching?.abort();
  watching = undefined;
  way.set('off');
}

// A hidden tab gives up its connection; when it is shown again, it reconnects and reloads.
document.addEventListener('visibilitychange', () => {
  clearTimeout(leaving);
  if (document.hidden) leaving = setTimeout(end, 6 * GRACE_MS);
  else begin();
});
// No need to wait when the network is back.
addEventListener('online', () => {
  end();
  begin();
});
session.subscribe(end);
