/** What an API answered, asked for when the component appears and whenever its key changes. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';

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
    const told = (next: Partial<State<T>>) => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, isLoading: false, ...next }));
    };
    setState((before) => ({ ...before, isLoading: true }));
    asking.current(ending.signal).then(
      (data) => told({ data, fault: undefined }),
      (error) => ending.signal.aborted || told({ fault: faultOf(error) }),
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
