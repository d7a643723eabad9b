/** Says whether what is on the screen moves by itself, and how. */
import { way } from '../live.ts';
import { useStore } from '../use-store.ts';

const WORDS = {
  off: 'Not live: trying again',
  connecting: 'Connecting',
  websocket: 'Live',
  polling: 'Looking every few seconds',
  lost: 'Not live: trying again',
} as const;

export function LiveMark() {
  const now = useStore(way);
  return (
    <span class={`live ${now}`} role="status">
      {WORDS[now]}
    </span>
  );
}
