/** Sends a request to an AWS service, retries transient errors, and translates errors that remain. */
import { setTimeout as wait } from 'node:timers/promises';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isProblem, Problem } from '../../../shared/core/problem.ts';
import type { Bytes, Clock } from '../../../shared/ports.ts';
import { type Account, type Signing, sigV4 } from './account.ts';
import { flowing, type HttpAnswer, type HttpRequest, type RequestTimeouts, sendHttp, whole } from './transport.ts';

// A clock corrected by the dates of AWS's responses: AWS rejects signatures whose time is minutes off.

/** AWS accepts a difference of five minutes. */
const MAX_WRONG_MS = 240_000;

function correctedClock(clock: Clock) {
  let behindMs = 0;
  const now = () => clock.now() + behindMs;
  const isWrong = (at: number): boolean => Math.abs(now() - at) >= MAX_WRONG_MS;
  return {
    now,
    /** Whether a time read from this clock turned out to be off by too much, because a response has corrected the clock since. */
    isWrong,
    /** Corrects the clock by the `date` header of a response. */
    hear(date: string | undefined): void {
      const serverTime = Date.parse(date ?? '');
      if (isWrong(serverTime)) behindMs = serverTime - clock.now();
    },
  };
}

// Errors of AWS, in the shape that AWS's own clients use.

/** Error names for responses without a body, such as those to HEAD. */
const UNNAMED: Record<number, string> = { 403: 'Forbidden', 404: 'NotFound', 410: 'GoneException' };
const LONGEST_MESSAGE = 1_000;
const LONGEST_ID = 200;

/** `retryAfterMs`: the pause that AWS requests. */
type AwsErrorDetails = AwsError & { retryAfterMs?: number };

type ErrorAnswer = { name: string | undefined; message: string; more?: Record<string, unknown> };

function toAwsError(answer: Pick<HttpAnswer, 'statusCode' | 'headers'>, body: string): AwsErrorDetails {
  const status = answer.statusCode ?? 0;
  const header = String(answer.headers['x-amzn-errortype'] ?? '');
  const retryAfterMs = Number(answer.headers['x-amz-retry-after']);
  const hiddenBy = answer.headers['x-amz-delete-marker'] === 'true' ? answer.headers['x-amz-version-id'] : undefined;
  const { name, message, more = {} } = body.trimStart().startsWith('<') ? inXml(body) : inJson(body);
  const error = Object.assign(new Error(errorFields(message)), more, {
    $metadata: { httpStatusCode: status, ...requestIdsIn(answer.headers) },
    ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
    ...(typeof hiddenBy === 'string' ? { hiddenBy } : {}),
  });
  error.name = bare(name) ?? bare(header) ?? UNNAMED[status] ?? 'UnknownError';
  return error;
}

/** The request ids, which AWS Support asks for first. */
function requestIdsIn(headers: HttpAnswer['headers']): { requestId?: string; extendedRequestId?: string } {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name].slice(0, LONGEST_ID) : undefined);
  const requestId = text('x-amzn-requestid') ?? text('x-amz-request-id');
  const extendedRequestId = text('x-amz-id-2');
  return { ...(requestId ? { requestId } : {}), ...(extendedRequestId ? { extendedRequestId } : {}) };
}

/** Keeps the first line only: the others of a signature error contain the session token, which must not be logged. */
const errorFields = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, LONGEST_MESSAGE);

/** An error's name without the namespace before `#` and the URL after `:`. */
const bare = (name: string | undefined): string | undefined => /^(?:.*#)?(\w[\w.-]{0,120})/.exec(name ?? '')?.[1];

function inJson(body: string): ErrorAnswer {
  const { __type, code, message, Message, Item } = parsed(body);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const more = typeof Item === 'object' ? { Item } : {};
  return { name: text(__type) ?? text(code), message: text(message) ?? text(Message) ?? '', more };
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // an error page of a proxy; its status is enough
  }
}

const inXml = (body: string): ErrorAnswer => ({ name: tagIn(body, 'Code'), message: tagIn(body, 'Message') ?? '' });

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The texts of all elements of that name. The elements of S3 that are read here have no attributes and are not nested. */
export const tagsIn = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, found = '']) =>
    found.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? ''),
  );

export const tagIn = (xml: string, name: string): string | undefined => tagsIn(xml, name)[0];

/** Retries transient errors as AWS's own clients do: a few times, with exponential backoff, within a retry quota. */
export type RetryOptions = {
  attempts: number;
  /** The maximum of the first pause; it doubles with every retry. */
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
/** The pause that AWS requests may exceed our backoff by this much. */
const MAX_REQUESTED_MS = 5_000;
/** The retry quota: when most requests fail, retries would only add to the overload. */
const QUOTA = 500;
const COST = 14;
const THROTTLED_COST = 5;

const isThrottled = (error: AwsError): boolean => statusOf(error) === 429 || THROTTLED.has(error.name);
const canRetry = (error: AwsError): boolean =>
  (statusOf(error) ?? 0) >= 500 || PASSING.has(error.name) || BROKEN.has(String(error.code));

/** `mended`: the cause is known and removed, so a retry will succeed. `retryAfterMs`: the pause that AWS requests. */
type RetryVerdict = { error: AwsError; mended?: boolean; retryAfterMs?: number | undefined };

/** What a retry takes out of the quota. */
function costOf({ error, mended }: RetryVerdict): number | 'inVain' {
  if (isThrottled(error)) return THROTTLED_COST;
  return mended || canRetry(error) ? COST : 'inVain';
}

function withRetries({ attempts, pauseMs, wait, random }: RetryOptions) {
  let quota = QUOTA;

  function pauseBehind({ error, retryAfterMs = 0 }: RetryVerdict, attempt: number): number {
    const first = isThrottled(error) ? THROTTLED_PAUSE_MS : pauseMs;
    const pause = random() * Math.min(LONGEST_PAUSE_MS, first * 2 ** (attempt - 1));
    return Math.max(pause, Math.min(retryAfterMs, pause + MAX_REQUESTED_MS));
  }

  /** Every error carries the number of attempts: a writer has to know whether an earlier attempt may have succeeded. */
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
        if (attempt === attempts || cost === 'inVain' || quota < cost) throw thrown;
        quota -= cost;
        paid = cost;
        await wait(pauseBehind(judged, attempt));
      }
    }
  };
}

// Sends a request to AWS: signs it, retries it, and corrects the clock by the responses.

/** `path` is encoded already; it is appended to the path of the service's URL. */
export type AwsRequest = {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};
export type AwsAnswer<Body = string> = { headers: HttpAnswer['headers']; body: Body };

type Service = {
  account: Account;
  clock: Clock;
  patience: RequestTimeouts;
  retrying?: Partial<RetryOptions>;
  /** The service's name in signatures. */
  signingName: string;
  place(region: string): URL;
};

export type AwsRequester = {
  ask(request: AwsRequest): Promise<AwsAnswer>;
  /** Resolves with the head of the response. Reading the body fails when it pauses for longer than the timeout. */
  open(request: AwsRequest): Promise<AwsAnswer<Bytes>>;
  /** The credentials, region, time and URL that a signature needs. */
  signing(): Promise<Signing & { url: URL }>;
};

const DEFAULTS: RetryOptions = { attempts: 3, pauseMs: 50, wait, random: Math.random };

export function awsRequester({
  account,
  clock: ownClock,
  patience,
  signingName: service,
  ...o
}: Service): AwsRequester {
  const clock = correctedClock(ownClock);
  const tryOften = withRetries({ ...DEFAULTS, ...o.retrying });

  async function signing() {
    const [region, credentials] = await Promise.all([account.region(), account.credentials()]);
    return { url: o.place(region), credentials, region, service, at: clock.now() };
  }

  async function send<T>(request: AwsRequest, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    const by = await signing();
    let at = 0;
    async function once(): Promise<T> {
      at = clock.now();
      const answer = await sendHttp(await toWire(request, { ...by, at }, account.trace()), patience);
      clock.hear(answer.headers.date);
      if ((answer.statusCode ?? 0) >= 300) throw toAwsError(answer, await whole(answer, patience.answerMs));
      return read(answer);
    }
    return tryOften(once, (thrown) => {
      const error = thrown as AwsErrorDetails;
      return { error, mended: MISTIMED.has(error.name) && clock.isWrong(at), retryAfterMs: error.retryAfterMs };
    });
  }

  return {
    signing,
    open: (request) =>
      send(request, async (answer) => ({ headers: answer.headers, body: flowing(answer, patience.answerMs) })),
    ask: (request) =>
      send(request, async (answer) => {
        const body = await whole(answer, patience.answerMs);
        if (LATE_FAULT.test(body)) throw toAwsError({ statusCode: 500, headers: answer.headers }, body);
        return { headers: answer.headers, body };
      }),
  };
}

/** Identifies Errand in CloudTrail and in the access logs of S3. */
const USER_AGENT = `errand/1 node/${process.versions.node}`;

/** S3 may respond with status 200 and an error in the body. */
const LATE_FAULT = /^(<\?xml[^>]*>)?\s*<Error>/;

/** Errors that a wrong clock causes; the response to a HEAD has no name, so Forbidden is one of them. */
const MISTIMED = new Set([
  'AccessDeniedException',
  'AuthFailure',
  'Forbidden',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

async function toWire(
  request: AwsRequest,
  by: Signing & { url: URL },
  trace: string | undefined,
): Promise<HttpRequest> {
  const { method, query = {}, body } = request;
  const { url } = by;
  const path = pathBehind(url, request.path);
  const wanted = { host: url.host, ...request.headers };
  const headers = await sigV4.headers({ method, path, query, headers: wanted, body }, by);
  const text = sigV4.queryText(query);
  return {
    url,
    method,
    target: text === '' ? path : `${path}?${text}`,
    // Headers that are not signed, because proxies may change them.
    headers: { ...headers, 'user-agent': USER_AGENT, ...(trace === undefined ? {} : { 'x-amzn-trace-id': trace }) },
    body,
  };
}

export const pathBehind = ({ pathname }: URL, path: string): string => pathname.replace(/\/$/, '') + path;

// Translates errors that remain after the retries: transient, for the operator to fix, or a bug of ours.

const OVER_LIMITS = /Throttl|SlowDown|TooManyRequests|LimitExceeded|ThroughputExceeded|OverLimit|RequestTimeout/;
const UNREACHABLE = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const UNUSABLE = /AccessDenied|^NoSuchBucket$|^QueueDoesNotExist$|^ResourceNotFoundException$/;

/** The fields that all errors of the clients share. */
export type AwsError = Error & {
  $metadata?: { httpStatusCode?: number; attempts?: number; requestId?: string; extendedRequestId?: string };
  code?: unknown;
  /** The id of the delete marker that hides the versions before it. */
  hiddenBy?: string;
  /** The row for which the condition failed. */
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

/** A handler for `catch`. */
export const failAs =
  (place: string) =>
  (error: unknown): never => {
    throw failure(place, error);
  };
