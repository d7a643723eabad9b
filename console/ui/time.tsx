/** A moment: how long ago, and exactly when one points at it. */
import { useEffect, useState } from 'preact/hooks';
import { ago } from '../format.ts';
import { store } from '../store.ts';

const EVERY_MS = 20_000;
const now = store(Date.now());
setInterval(() => now.set(Date.now()), EVERY_MS);

/** `isPlanned`: the moment lies ahead, so that a small distance is not a difference of clocks. */
export function Time({ at, isPlanned = false }: { at: string | null | undefined; isPlanned?: boolean }) {
  const [seenAt, setSeenAt] = useState(Date.now());
  useEffect(() => now.subscribe(() => setSeenAt(now.get())), []);
  if (!at) return <>—</>;
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {ago(at, seenAt, isPlanned)}
    </time>
  );
}
