/** Task updates over one WebSocket for the whole console, and their effect on a list. */
import type { Way as Heard, TaskNews } from '../client/src/index.ts';
import { api, faultOf } from './api.ts';
import { session } from './session.ts';
import { store } from './store.ts';

/** The state of the console's only connection, as an organization has only five. */
type Way = 'off' | 'connecting' | Heard;

/** How updates currently arrive. */
export const way = store<Way>('off');

/** `missed`: something may have happened without an update. */
type Listener = { heard(update: TaskNews): void; missed(): void };
const listeners = new Set<Listener>();
/** The connection stays open this long without listeners, so that the next page can use it. */
const GRACE_MS = 5_000;
const AGAIN_MS = 20_000;
let watching: AbortController | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Reports every task of the organization until the returned function is called. */
export function addListener(listener: Listener): () => void {
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
    // A limit is exhausted or the server does not respond: try again later.
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
    // The connection reports only future updates, so the shown data may be stale.
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
// Reconnects at once when the network is back.
addEventListener('online', () => {
  end();
  begin();
});
session.subscribe(end);
