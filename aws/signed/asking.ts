/** Asks a service of AWS: signs, sends, tries again, and corrects the clock by what the answers say. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../shared/ports.ts';
import type { Account } from './account.ts';
import { whole } from './body.ts';
import { correctedClock } from './corrected-clock.ts';
import { type HttpAnswer, type HttpRequest, type RequestTimeouts, sendHttp } from './exchange.ts';
import { type AwsErrorDetails, toAwsError } from './refusal.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { hashOf, queryText, type Signing, signedHeaders } from './signature.ts';

/** `path` is encoded already, and begins behind that of the place. */
export type AwsRequest = {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};
export type AwsAnswer = { headers: HttpAnswer['headers']; body: string };

export type Service = {
  account: Account;
  clock: Clock;
  patience: RequestTimeouts;
  retrying?: Partial<RetryOptions>;
  /** As signatures name it. */
  signingName: string;
  place(region: string): URL;
};

export type AwsRequester = {
  ask(asked: AwsRequest): Promise<AwsAnswer>;
  /** Leaves the body to be read. */
  open(asked: AwsRequest): Promise<HttpAnswer>;
  /** What a signature needs besides what is signed. */
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

  async function send<T>(asked: AwsRequest, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    const by = await signing();
    let at = 0;
    async function once(): Promise<T> {
      at = clock.now();
      const answer = await sendHttp(toWire(asked, { ...by, at }, account.trace()), patience);
      clock.hear(answer.headers.date);
      if ((answer.statusCode ?? 0) >= 300) throw toAwsError(answer, await whole(answer, patience.answerMs));
      return read(answer);
    }
    return tryOften(once, (thrown) => {
      const error = thrown as AwsErrorDetails;
      return { error, mended: MISTIMED.has(error.name) && clock.isWrong(at), askedMs: error.askedMs };
    });
  }

  return {
    signing,
    open: (asked) => send(asked, async (answer) => answer),
    ask: (asked) =>
      send(asked, async (answer) => {
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

function toWire(asked: AwsRequest, by: Signing & { url: URL }, trace: string | undefined): HttpRequest {
  const { method, query = {}, body } = asked;
  const { url } = by;
  const path = pathBehind(url, asked.path);
  const bodyHash = hashOf(body ?? '');
  const wanted = {
    host: url.host,
    ...asked.headers,
    ...(by.service === 's3' ? { 'x-amz-content-sha256': bodyHash } : {}),
  };
  const headers = signedHeaders({ method, path, query, headers: wanted, bodyHash }, by);
  const text = queryText(query);
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
