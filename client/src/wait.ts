/** Polls until a task has ended, at the interval of `Retry-After`. */
import { ErrandError } from './errors.ts';
import type { Answered } from './requests/caller.ts';
import { endingOf } from './requests/ending.ts';
import { pause } from './requests/pause.ts';

export type WaitOptions<T> = {
  signal?: AbortSignal | undefined;
  /** Default ten minutes; then it polls once more, for at most a second. */
  timeoutMs?: number | undefined;
  /** Called with each response. */
  onPoll?: ((response: T) => void) | undefined;
};

const DEFAULT_MS = 600_000;
const MIN_PAUSE_MS = 250;
const LAST_LOOK_MS = 1_000;

/** `beginsAt`: the planned start of a task that has not started, if known. */
export type Ending<T> = { what?: string; hasEnded(response: T): boolean; beginsAt?(seen: T): string | undefined };

export async function waitFor<T>(
  ask: (signal: AbortSignal) => Promise<Answered<T>>,
  until: Ending<T>,
  { signal, timeoutMs = DEFAULT_MS, onPoll }: WaitOptions<T> = {},
): Promise<T> {
  const time = endingOf(signal, timeoutMs + LAST_LOOK_MS);
  const endsAt = Date.now() + timeoutMs;
  const { what = 'The task' } = until;
  const late = (o: object) => new ErrandError('WAIT_TIMEOUT', `${what} did not finish within ${timeoutMs} ms.`, o);
  try {
    for (;;) {
      const { body, retryAfterMs } = await ask(time.signal);
      onPoll?.(body);
      if (until.hasEnded(body)) return body;
      refuseLater(until.beginsAt?.(body), endsAt);
      const remainingMs = endsAt - Date.now();
      if (remainingMs <= 0) throw late({});
      await pause(Math.min(remainingMs, Math.max(MIN_PAUSE_MS, retryAfterMs)), time.signal);
    }
  } catch (cause) {
    // The timeout aborts a poll in progress, and a wait for a retry.
    if (time.isLate() && (cause as ErrandError).code === 'ABORTED') throw late({ cause });
    throw cause;
  } finally {
    time.done();
  }
}

function refuseLater(beginsAt: string | undefined, endsAt: number): void {
  if (beginsAt === undefined || Date.parse(beginsAt) <= endsAt) return;
  const details = { next_run_at: beginsAt };
  throw new ErrandError('WAIT_TIMEOUT', `The task runs at ${beginsAt}, which is after timeoutMs.`, {
    details,
  });
}
