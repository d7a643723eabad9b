/** What of a failed call may stand in a log: never a text of the provider, which may repeat the prompt or the key. */
import { APICallError } from '@ai-sdk/provider';
import { isOutboundFailure } from '../outbound/failure.ts';
import { BrokenStream } from './streaming.ts';

/** Kinds of errors, such as insufficient_quota; no key looks like this. */
const KIND = /^[a-z_]{1,60}$/i;

export function loggableFault(error: unknown): unknown {
  if (isOutboundFailure(error)) return error;
  if (error instanceof BrokenStream) {
    const { message, hasTokens, isRefusal } = error;
    return Object.assign(new Error(message, { cause: loggableFault(error.cause) }), { hasTokens, isRefusal });
  }
  const name = error instanceof Error ? error.name : 'The provider sent an error';
  if (!APICallError.isInstance(error)) return new Error(name);
  const { statusCode, url, responseBody = '' } = error;
  return Object.assign(new Error(name), { statusCode, url, kind: kindIn(responseBody) });
}

function kindIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
    return [error?.code, error?.status, error?.type].find((kind): kind is string => KIND.test(String(kind)));
  } catch {
    return undefined;
  }
}
