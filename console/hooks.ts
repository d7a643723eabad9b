/** The hooks of the console: API responses, polling, stores, and the current page. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';
import { hrefOf, type PageLocation, placeOf } from './location.ts';
import { type Store, store } from './store.ts';

/** An API response, requested when the component appears and whenever its key changes. */
export type ApiAnswer<T> = {
  /** Kept while it is requested again, or while another page is requested. */
  data: T | undefined;
  fault: ErrandError | undefined;
  isLoading: boolean;
  again(): void;
  /** Changes the shown data after an update was received. */
  change(next: (before: T) => T): void;
};

type State<T> = { data: T | undefined; fault: ErrandError | undefined; isLoading: boolean };

export function useApiData<T>(key: string, load: (signal: AbortSignal) => Promise<T>): ApiAnswer<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, fault: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  // Before the first paint, because the user waits for the response.
  useLayoutEffect(() => {
    const ending = new AbortController();
    const update = (next: Partial<State<T>>) => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, isLoading: false, ...next }));
    };
    setState((before) => ({ ...before, isLoading: true }));
    latestLoad.current(ending.signal).then(
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

/** For errors that may be temporary: no network, a limit, a server error. */
export const mayPass = (fault: ErrandError | undefined): boolean => fault?.status === undefined || fault.status >= 429;

export function usePolled(isOn: boolean, everyMs: number, look: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.hidden || look(), everyMs);
    const pollIfVisible = () => document.hidden || look();
    document.addEventListener('visibilitychange', pollIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', pollIfVisible);
    };
  }, [isOn, everyMs, look]);
}

/** A store's value in a component, which renders again when the value changes. */
export function useStore<T>(source: Store<T>): T {
  const [value, setValue] = useState<{ now: T }>({ now: source.get() });
  useLayoutEffect(() => {
    const look = () => setValue((before) => (Object.is(before.now, source.get()) ? before : { now: source.get() }));
    look();
    return source.subscribe(look);
  }, [source]);
  return value.now;
}

/** The current location in the console, and navigation. */
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

/** The query of the location. Setting it returns to the first page of a list and adds no history entry. */
export function useQueryText(query: URLSearchParams) {
  return {
    text: (name: string): string => query.get(name) ?? '',
    set(changes: Record<string, string>): void {
      go(hrefOf(place.get().path, { ...Object.fromEntries(query), offset: '', ...changes }), { replace: true });
    },
  };
}

/** Polls every two seconds while the page is visible. */
const EVERY_MS = 2_000;

export function useVisiblePolling(look: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [look]);
}
