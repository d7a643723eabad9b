/** Translates what a client of AWS throws once it has tried several times: it passes, the operator mends it, or it is our bug. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isProblem, Problem } from '../../shared/core/problem.ts';

const OVER_LIMITS = /Throttl|SlowDown|TooManyRequests|LimitExceeded|ThroughputExceeded|OverLimit|RequestTimeout/;
const UNREACHABLE = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const UNUSABLE = /AccessDenied|^NoSuchBucket$|^QueueDoesNotExist$|^ResourceNotFoundException$/;

/** The parts that all errors of the clients share. */
export type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; attempts?: number; requestId?: string; extendedRequestId?: string };
  code?: unknown;
  /** The version that hides those before it, though it holds nothing. */
  hiddenBy?: string;
  /** The row that a condition did not hold for. */
  Item?: Record<string, AttributeValue>;
};

export const isAwsError = (error: unknown, ...names: string[]): error is AwsError =>
  error instanceof Error && names.includes(error.name);

export const statusOf = (error: unknown): number | undefined =>
  error instanceof Error ? (error as AwsError).$metadata?.httpStatusCode : undefined;

function isPassing(error: AwsError): boolean {
  const status = statusOf(error) ?? 0;
  if (status === 429 || status >= 500 || OVER_LIMITS.test(error.name)) return true;
  return error.name === 'TimeoutError' || UNREACHABLE.has(String(error.code));
}

export function failure(place: string, cause: unknown): Error {
  if (isProblem(cause)) return cause;
  if (!(cause instanceof Error)) return new Error(`${place} failed.`, { cause });
  if (isPassing(cause)) {
    return new Problem('busy', `${place} cannot take this request just now; try again shortly.`, { cause });
  }
  if (statusOf(cause) === 403 || UNUSABLE.test(cause.name)) {
    return new Problem('badSetting', `${place} is missing, or access to it is denied; deploy the stack again.`, {
      cause,
    });
  }
  return new Error(`${place} did not accept a request.`, { cause });
}

/** For `catch`. */
export const failAs =
  (place: string) =>
  (error: unknown): never => {
    throw failure(place, error);
  };
