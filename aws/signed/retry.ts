/** Tries again what may go better a moment later, as AWS's own clients do: a few times, ever more slowly, within a quota. */
import type { AwsError } from '../failures.ts';

export type RetryOptions = {
  attempts: number;
  /** The most that the first pause takes; each next one may take twice as much. */
  pauseMs: number;
  wait(ms: number): Promise<unknown>;
  random(): number;
};

const THROTTLED = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
const PASSING = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException']);
const BROKEN = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);
const THROTTLED_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;
/** So much longer than ours may a pause be that AWS asks for. */
const MAX_REQUESTED_MS = 5_000;
/** Where most requests fail, trying again would only add to what they fail of. */
const QUOTA = 500;
const COST = 14;
const THROTTLED_COST = 5;

const statusOf = (error: AwsError): number => error.$metadata?.httpStatusCode ?? 0;
const isThrottled = (error: AwsError): boolean => statusOf(error) === 429 || THROTTLED.has(error.name);
const isPassing = (error: AwsError): boolean =>
  statusOf(error) >= 500 || PASSING.has(error.name) || BROKEN.has(String(error.code));

/** `mended`: what the request failed of is known, and another one will not. `askedMs`: the pause that AWS asks for. */
export type RetryVerdict = { error: AwsError; mended?: boolean; askedMs?: number | undefined };

/** What trying again takes out of the quota; undefined where it would be in vain. */
function costOf({ error, mended }: RetryVerdict): number | undefined {
  if (isThrottled(error)) return THROTTLED_COST;
  return mended || isPassing(error) ? COST : undefined;
}

export function withRetries({ attempts, pauseMs, wait, random }: RetryOptions) {
  let quota = QUOTA;

  function pauseBehind({ error, askedMs = 0 }: RetryVerdict, attempt: number): number {
    const first = isThrottled(error) ? THROTTLED_PAUSE_MS : pauseMs;
    const pause = random() * Math.min(LONGEST_PAUSE_MS, first * 2 ** (attempt - 1));
    return Math.max(pause, Math.min(askedMs, pause + MAX_REQUESTED_MS));
  }

  /** Each error carries how often was asked: who writes has to know whether an earlier request may have been done. */
  return async function tryOften<T>(once: () => Promise<T>, judge: (error: unknown) => RetryVerdict): Promise<T> {
    let paid = 1;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await once();
        quota = Math.min(QUOTA, quota + paid);
        return answer;
      } catch (thrown) {
        const judged = judge(thrown);
        judged.error.$metadata = { ...judged.error.$metadata, attempts: attempt };
        const cost = costOf(judged);
        if (attempt === attempts || cost === undefined || quota < cost) throw thrown;
        quota -= cost;
        paid = cost;
        await wait(pauseBehind(judged, attempt));
      }
    }
  };
}
