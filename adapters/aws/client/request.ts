/** Sends a request to an AWS service, tries again what passes, and translates what still fails. */
import { setTimeout as wait } from 'node:timers/promises';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isProblem, Problem } from '../../../shared/core/problem.ts';
import type { Clock } from '../../../shared/ports.ts';
import { type Account, type Signing, sigV4 } from './account.ts';
import { type HttpAnswer, type HttpRequest, type RequestTimeouts, sendHttp, whole } from './transport.ts';

// A clock corrected by the time that AWS answers with: AWS rejects signatures that are minutes off.

/** AWS takes five minutes. */
const MAX_WRONG_MS = 240_000;

function correctedClock(clock: Clock) {
  let behindMs = 0;
  const now = () => clock.now() + behindMs;
  const isWrong = (at: number): boolean => Math.abs(now() - at) >= MAX_WRONG_MS;
  return {
    now,
    /** Whether an instant of this clock, just read, is no longer what it says. */
    isWrong,
    /** The date of an answer. */
    hear(date: string | undefined): void {
      const serverTime = Date.parse(date ?? '');
      if (isWrong(serverTime)) behindMs = serverTime - clock.now();
    },
  };
}

// Errors of AWS, in the form of its own clients.

/** What bodiless answers say, such as those to HEAD. */
const UNNAMED: Record<number, string> = { 403: 'Forbidden', 404: 'NotFound', 410: 'GoneException' };
const LONGEST_MESSAGE = 1_000;
const LONGEST_ID = 200;

/** `retryAfterMs`: the pause that AWS asks for. */
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

/** What AWS Support asks for first. */
function requestIdsIn(headers: HttpAnswer['headers']): { requestId?: string; extendedRequestId?: string } {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name].slice(0, LONGEST_ID) : undefined);
  const requestId = text('x-amzn-requestid') ?? text('x-amz-request-id');
  const extendedRequestId = text('x-amz-id-2');
  return { ...(requestId ? { requestId } : {}), ...(extendedRequestId ? { extendedRequestId } : {}) };
}

/** Behind the first line of a signature error stands what was signed, with the session token: it must not be logged. */
const errorFields = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, LONGEST_MESSAGE);

/** Without its namespace before `#`, nor an address behind `:`. */
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
    return {}; // a page of something in between; its status tells enough
  }
}

const inXml = (body: string): ErrorAnswer => ({ name: tagIn(body, 'Code'), message: tagIn(body, 'Message') ?? '' });

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The texts of all elements of that name. S3 writes no attributes into those that are read here, and nests none. */
export const tagsIn = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, found = '']) =>
    found.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? ''),
  );

export const tagIn = (xml: string, name: string): string | undefined => tagsIn(xml, name)[0];

/** Tries again what may go better a moment later, as AWS's own clients do: a few times, ever more slowly, within a quota. */
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

const isThrottled = (error: AwsError): boolean => statusOf(error) === 429 || THROTTLED.has(error.name);
const canRetry = (error: AwsError): boolean =>
  (statusOf(error) ?? 0) >= 500 || PASSING.has(error.name) || BROKEN.has(String(error.code));

/** `mended`: what the request failed of is known, and another one will not. `retryAfterMs`: the pause that AWS asks for. */
type RetryVerdict = { error: AwsError; mended?: boolean; retryAfterMs?: number | undefined };

/** What trying again takes out of the quota. */
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
        if (attempt === attempts || cost === 'inVain' || quota < cost) throw thrown;
        quota -= cost;
        paid = cost;
        await wait(pauseBehind(judged, attempt));
      }
    }
  };
}

// Sends a request to AWS: signs, retries, and corrects the clock by the answers.

/** `path` is encoded already, and begins behind that of the place. */
export type AwsRequest = {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};
export type AwsAnswer = { headers: HttpAnswer['headers']; body: string };

type Service = {
  account: Account;
  clock: Clock;
  patience: RequestTimeouts;
  retrying?: Partial<RetryOptions>;
  /** As signatures name it. */
  signingName: string;
  place(region: string): URL;
};

export type AwsRequester = {
  ask(request: AwsRequest): Promise<AwsAnswer>;
  /** Leaves the body to be read. */
  open(request: AwsRequest): Promise<HttpAnswer>;
  /** What a signature needs in addition to the signed request. */
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
    open: (request) => send(request, async (answer) => answer),
    ask: (request) =>
      send(request, async (answer) => {
        const body = await whole(answer, patience.answerMs);
        if (LATE_FAULT.test(body)) throw toAwsError({ statusCode: 500, headers: answer.headers }, body);
        return { headers: answer.headers, body };
      }),
  };
}

/** Names us in CloudTrail and in the access logs of S3. */
const USER_AGENT = `errand/1 node/${process.versions.node}`;

/** S3 may begin to answer well and end in an error. */
const LATE_FAULT = /^(<\?xml[^>]*>)?\s*<Error>/;

/** What a wrong clock comes to; a HEAD has no name for it. */
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
    // Not signed: what lies between may change these.
    headers: { ...headers, 'user-agent': USER_AGENT, ...(trace === undefined ? {} : { 'x-amzn-trace-id': trace }) },
    body,
  };
}

export const pathBehind = ({ pathname }: URL, path: string): string => pathname.replace(/\/$/, '') + path;

// What still fails after the retries: it passes, the operator mends it, or it is our bug.

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
