/** The width of an element, in pixels, also when it changes. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function useWidth<T extends Element>(first: number): { box: RefObject<T | null>; width: number } {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(Math.round(element.getBoundingClientRect().width) || first);
    const watcher = new ResizeObserver(look);
    look();
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [first]);
  return { box, width };
}
