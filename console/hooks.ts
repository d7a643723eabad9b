/** The hooks of the console: answers of an API, polling, stores, and the current page. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';
import { hrefOf, type PageLocation, placeOf } from './location.ts';
import { type Store, store } from './store.ts';

/** What an API answered, asked for when the component appears and whenever its key changes. */
export type ApiAnswer<T> = {
  /** Stays while it is asked for again, or for another page of it. */
  data: T | undefined;
  fault: ErrandError | undefined;
  isLoading: boolean;
  again(): void;
  /** Changes what is shown, when something newer was heard. */
  change(next: (before: T) => T): void;
};

type State<T> = { data: T | undefined; fault: ErrandError | undefined; isLoading: boolean };

export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): ApiAnswer<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, fault: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  // Before the first paint: the answer is what one waits for.
  useLayoutEffect(() => {
    const ending = new AbortController();
    const update = (next: Partial<State<T>>) => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, isLoading: false, ...next }));
    };
    setState((before) => ({ ...before, isLoading: true }));
    asking.current(ending.signal).then(
      (data) => update({ data, fault: undefined }),
      (error) => ending.signal.aborted || update({ fault: faultOf(error) }),
    );
    return () => ending.abort();
  }, [key, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const change = useCallback(
    (next: (before: T) => T) =>
      setState((before) => (before.data === undefined ? before : { ...before, data: next(before.data) })),
    [],
  );
  return { ...state, again, change };
}

// Polls while the page is visible, for data without a live channel.

/** No network, a limit, a fault over there: it may be gone the next time. */
export const mayPass = (fault: ErrandError | undefined): boolean => fault?.status === undefined || fault.status >= 429;

export function usePolled(isOn: boolean, everyMs: number, look: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.hidden || look(), everyMs);
    const seen = () => document.hidden || look();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [isOn, everyMs, look]);
}

/** A store's value in a component, which renders again when it changes. */
export function useStore<T>(source: Store<T>): T {
  const [value, setValue] = useState<{ now: T }>({ now: source.get() });
  useLayoutEffect(() => {
    const look = () => setValue((before) => (Object.is(before.now, source.get()) ? before : { now: source.get() }));
    look();
    return source.subscribe(look);
  }, [source]);
  return value.now;
}

/** The place in the console, and going to another one. */
const place = store<PageLocation>(placeOf(location.hash));
addEventListener('hashchange', () => place.set(placeOf(location.hash)));

export const usePlace = (): PageLocation => useStore(place);

export function go(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  place.set(placeOf(href));
}

/** What stands behind the `?`; setting it goes back to the first page of a list, and leaves no trail. */
export function usePlaceQuery(query: URLSearchParams) {
  return {
    text: (name: string): string => query.get(name) ?? '',
    set(changes: Record<string, string>): void {
      go(hrefOf(place.get().path, { ...Object.fromEntries(query), offset: '', ...changes }), { replace: true });
    },
  };
}

/** Looks again every two seconds while somebody looks at the page. */
const EVERY_MS = 2_000;

export function useLooking(look: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [look]);
}
