/** Polls until something has ended, as often as the service likes. */
import type { Answered } from './caller.ts';
import { ErrandError } from './errors.ts';
import { pause } from './pause.ts';

export type WaitOptions<T> = {
  signal?: AbortSignal | undefined;
  /** Ten minutes, unless told. */
  timeoutMs?: number | undefined;
  /** Called with each answer. */
  onPoll?: ((seen: T) => void) | undefined;
};

const USUAL_MS = 600_000;
const LEAST_PAUSE_MS = 250;

/** `beginsAt`: of what does not begin yet, as it says itself. */
export type Ending<T> = { hasEnded(seen: T): boolean; beginsAt?(seen: T): string | undefined };

export async function waitFor<T>(
  ask: () => Promise<Answered<T>>,
  { hasEnded, beginsAt }: Ending<T>,
  { signal, timeoutMs = USUAL_MS, onPoll }: WaitOptions<T> = {},
): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const { body, retryAfterMs } = await ask();
    onPoll?.(body);
    if (hasEnded(body)) return body;
    const at = beginsAt?.(body);
    if (at !== undefined && Date.parse(at) > until) {
      const details = { next_run_at: at };
      throw new ErrandError('WAIT_TIMEOUT', `The task runs at ${at}, which is later than is waited for.`, { details });
    }
    const left = until - Date.now();
    if (left <= 0) throw new ErrandError('WAIT_TIMEOUT', `The task has not ended within ${timeoutMs} ms.`);
    await pause(Math.min(left, Math.max(LEAST_PAUSE_MS, retryAfterMs)), signal);
  }
}
