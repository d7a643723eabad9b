/** Says what a failed call means: the model is away and can be waited for, the call failed and may be repeated, or nothing will help. */
import { APICallError } from '@ai-sdk/provider';
import { HOUR_MS, SECOND_MS } from '../../shared/core/time.ts';
import { type FailureReason, isOutboundFailure, type OutboundFailure } from '../outbound/failure.ts';
import { isTooLong } from './context.ts';
import { BrokenStream } from './streaming.ts';

export type ModelFailure =
  /** `reason`: in a few words for the status of a task. `isSlow`: the call took long to bring nothing. */
  | { kind: 'away'; says: string; reason: string; isSlow: boolean; retryAfter?: string | undefined }
  /** `isPaid`: a part of the answer had arrived. */
  | { kind: 'failed'; says: string; isPaid: boolean }
  | { kind: 'lasting'; says: string; remedy: string };

const ASK_OPERATOR = 'name another model, or ask the operator to look at its settings';

/** By status: what no repeat changes, after `The model openai/m`. */
const LASTING: Readonly<Record<number, readonly [says: string, remedy: string]>> = {
  400: ['answered with status 400', ASK_OPERATOR],
  401: ['was not reached: its provider refused the key (status 401)', 'ask the operator to renew the key'],
  402: ['was not reached: its provider wants to be paid first (status 402)', 'ask the operator to look at the account'],
  403: [
    'was not reached: its provider refused the key or the permission (status 403)',
    'ask the operator to renew the key, or to have the model allowed for it',
  ],
  404: [
    'does not exist at its provider (status 404)',
    'name another model, or ask the operator to correct its name or URL',
  ],
  405: ['answered with status 405', ASK_OPERATOR],
  413: ['answered with status 413', ASK_OPERATOR],
  415: ['answered with status 415', ASK_OPERATOR],
  422: ['answered with status 422', ASK_OPERATOR],
};

/** The code of OpenAI's protocol for an account without credit: no wait changes it. */
const OUT_OF_QUOTA = /"insufficient_quota"/;

/** Throttled, overloaded, or a gateway without the server behind it. */
const AWAY: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504, 529]);

const AWAY_BY_REASON: Partial<Record<FailureReason, string>> = {
  resolve: 'host not found',
  resolveTime: 'host not found',
  connect: 'no connection',
  connectTime: 'no connection',
  tls: 'no connection',
  headersTime: 'no answer',
  idleTime: 'no answer',
  totalTime: 'no answer',
};
/** Node's codes of certificates that expired, name another host, or come from an unknown authority. */
const UNTRUSTED = /CERT|SIGNATURE/;
const SLOW: ReadonlySet<FailureReason> = new Set(['headersTime', 'idleTime', 'totalTime']);

export function failureOfCall(error: unknown): ModelFailure {
  const onTheWay = outboundFailureIn(error);
  if (error instanceof BrokenStream && error.hasTokens) {
    const says = onTheWay && isSlow(onTheWay) ? 'did not answer in time' : 'interrupted its answer';
    return { kind: 'failed', says, isPaid: true };
  }
  if (onTheWay) return failureOnTheWay(onTheWay);
  if (error instanceof BrokenStream) return { kind: 'failed', says: 'interrupted its answer', isPaid: false };
  return APICallError.isInstance(error)
    ? failureByStatus(error)
    : { kind: 'failed', says: 'did not answer', isPaid: false };
}

function failureByStatus(error: APICallError): ModelFailure {
  const { statusCode: status = 0, responseHeaders: headers = {} } = error;
  if (isPage(error)) return { kind: 'lasting', says: 'answered with a web page', remedy: ASK_OPERATOR };
  if (status === 429 && OUT_OF_QUOTA.test(error.responseBody ?? '')) {
    return {
      kind: 'lasting',
      says: 'was not reached: the quota of its key is used up (status 429)',
      remedy: 'ask the operator to look at the account',
    };
  }
  if (isTooLong(error)) return { kind: 'lasting', says: `answered with status ${status}`, remedy: ASK_OPERATOR };
  if (AWAY.has(status)) {
    const says = `answered with status ${status}`;
    return { kind: 'away', says, reason: String(status), isSlow: false, retryAfter: headers['retry-after'] };
  }
  const [says, remedy] = LASTING[status] ?? [];
  if (says !== undefined && remedy !== undefined) return { kind: 'lasting', says, remedy };
  return { kind: 'failed', says: saysByStatus(status), isPaid: false };
}

/** The library reports some calls that never arrived without a status. */
function saysByStatus(status: number): string {
  if (status === 0) return 'did not answer';
  return status === 200 ? 'returned an answer that cannot be read' : `answered with status ${status}`;
}

/** A page in place of an answer comes from something that is not the provider. */
const isPage = ({ statusCode, responseHeaders }: APICallError): boolean =>
  statusCode === 200 && responseHeaders?.['content-type']?.includes('html') === true;

function failureOnTheWay(failure: OutboundFailure): ModelFailure {
  if (failure.kind === 'refused')
    return { kind: 'lasting', says: 'has an address that may not be reached', remedy: ASK_OPERATOR };
  if (codeIn(failure) === 'ENOTFOUND') {
    return {
      kind: 'lasting',
      says: 'was not reached: its host was not found',
      remedy: 'ask the operator to look at the network and the URL, or name another model',
    };
  }
  if (failure.reason === 'tls' && UNTRUSTED.test(codeIn(failure) ?? '')) {
    return {
      kind: 'lasting',
      says: 'was not reached: the certificate of its server is not trusted',
      remedy: 'ask the operator to renew it, or to trust its authority (NODE_EXTRA_CA_CERTS)',
    };
  }
  // A request may make a server cut its connection each time, and must not stop the model for everybody.
  if (failure.reason === 'broken') return { kind: 'failed', says: 'cut the connection', isPaid: false };
  const reason = AWAY_BY_REASON[failure.reason];
  if (reason === undefined) return { kind: 'failed', says: 'sent too long an answer', isPaid: false };
  const says = isSlow(failure) ? 'did not answer in time' : `could not be reached (${reason})`;
  return { kind: 'away', says, reason, isSlow: isSlow(failure) };
}

const isSlow = (failure: OutboundFailure): boolean => failure.kind === 'failed' && SLOW.has(failure.reason);

/** The library wraps a failure on the way into an error of its own. */
const outboundFailureIn = (error: unknown): OutboundFailure | undefined => causesOf(error).find(isOutboundFailure);

const codeIn = (error: unknown): string | undefined =>
  causesOf(error)
    .map((cause) => (cause as NodeJS.ErrnoException).code)
    .find((code) => typeof code === 'string');

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let current = error; current instanceof Error && !causes.includes(current); current = current.cause)
    causes.push(current);
  return causes;
}

/** Longer waits are asked for again, so that one bad header cannot stop a model for everybody. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** `Retry-After` is in seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * SECOND_MS : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : 0;
}
