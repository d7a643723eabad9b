/** A moment: how long ago, and exactly when one points at it. */
import { useEffect, useState } from 'preact/hooks';
import { ago } from '../format.ts';
import { store } from '../store.ts';

const EVERY_MS = 20_000;
const now = store(Date.now());
setInterval(() => now.set(Date.now()), EVERY_MS);

export function Time({ at }: { at: string | null | undefined }) {
  const [seenAt, setSeenAt] = useState(Date.now());
  useEffect(() => now.subscribe(() => setSeenAt(now.get())), []);
  if (!at) return <>—</>;
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {ago(at, seenAt)}
    </time>
  );
}
