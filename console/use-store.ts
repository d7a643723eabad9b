/** A store's value in a component, drawn anew when it changes. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Store } from './store.ts';

export function useStore<T>(source: Store<T>): T {
  const [value, setValue] = useState<{ now: T }>({ now: source.get() });
  useLayoutEffect(() => {
    const look = () => setValue((before) => (Object.is(before.now, source.get()) ? before : { now: source.get() }));
    look();
    return source.subscribe(look);
  }, [source]);
  return value.now;
}
