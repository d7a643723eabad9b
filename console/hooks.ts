/** The hooks of the console for API responses and stores. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';
import type { Store } from './store.ts';

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

/** An API response, requested when the component appears and whenever its key changes. */
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
