/** Translates errors of AWS's clients: transient, for the operator to fix, or a bug of ours. None of them leaves this folder. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isProblem, Problem } from '../../shared/core/problem.ts';

/** The fields that the errors of all clients share. */
export type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; attempts?: number; requestId?: string; extendedRequestId?: string };
  $response?: { headers: Record<string, string> };
  code?: unknown;
  /** The row for which the condition failed. */
  Item?: Record<string, AttributeValue>;
};

export const isAwsError = (error: unknown, ...names: string[]): error is AwsError =>
  error instanceof Error && names.includes(error.name);

export const httpStatusOf = (error: unknown): number | undefined =>
  error instanceof Error ? (error as AwsError).$metadata?.httpStatusCode : undefined;

const OVER_LIMITS = /Throttl|SlowDown|TooManyRequests|LimitExceeded|ThroughputExceeded|OverLimit|RequestTimeout/;
const UNREACHABLE = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);
const UNUSABLE = /AccessDenied|^NoSuchBucket$|^QueueDoesNotExist$|^ResourceNotFoundException$/;

function isTransient(error: AwsError): boolean {
  const status = httpStatusOf(error) ?? 0;
  if (status === 429 || status >= 500 || OVER_LIMITS.test(error.name)) return true;
  return error.name === 'TimeoutError' || UNREACHABLE.has(String(error.code));
}

export function failure(place: string, thrown: unknown): Error {
  if (isProblem(thrown)) return thrown;
  if (!(thrown instanceof Error)) return new Error(`${place} failed.`, { cause: thrown });
  const cause = loggable(thrown);
  if (isTransient(thrown)) {
    return new Problem('busy', `${place} cannot take this request just now; try again shortly.`, { cause });
  }
  if (httpStatusOf(thrown) === 403 || UNUSABLE.test(thrown.name)) {
    return new Problem('badSetting', `${place} is missing, or access to it is denied; deploy the stack again.`, {
      cause,
    });
  }
  return new Error(`${place} did not accept a request.`, { cause });
}

/** A handler for `catch`. */
export const failAs =
  (place: string) =>
  (error: unknown): never => {
    throw failure(place, error);
  };

const MAX_MESSAGE = 1_000;
const MAX_ID = 200;

/** The first line of a message only: the others of a signature error contain the session token, which nothing may show. */
const firstLine = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE);

/** Why a request failed, for a message to the operator. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? firstLine(error.message) : 'no answer');

/** The error without its response and the details of its message. The request ids stay, because AWS Support asks for them first. */
function loggable({ name, message, code, $metadata = {} }: AwsError): Error {
  const { httpStatusCode, attempts, requestId, extendedRequestId } = $metadata;
  const error = new Error(firstLine(message));
  error.name = name;
  return Object.assign(error, code === undefined ? {} : { code }, {
    $metadata: {
      httpStatusCode,
      attempts,
      requestId: requestId?.slice(0, MAX_ID),
      extendedRequestId: extendedRequestId?.slice(0, MAX_ID),
    },
  });
}
