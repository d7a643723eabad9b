/** A request as every transport brings it: its body, query, trace, and the credential in its headers. */

import { parseTrace, type Trace } from '../../shared/core/log.ts';
import { bounded, nearestName, Problem, quotedName } from '../../shared/core/problem.ts';

/** A request and an answer as every transport brings them: API Gateway's events and the local server's sockets. */
export type HttpRequestMessage = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Names in lower case; a repeated header joined by a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
  /** The network address at the gateway's own end of the connection. */
  sourceAddress: string;
  /** Where we are reached: what the caller says it is, and what the transport knows it to be. */
  hosts: string[];
  /** Aborted when the caller goes away before the answer. Absent where the transport does not tell. */
  signal?(): AbortSignal;
};

export type HttpResponse = { status: number; headers: Record<string, string>; body: string };

/** The parameters of a request. One that is given twice has no value: it is refused where it is read. */
export type Query = Pick<URLSearchParams, 'get' | 'has'>;

const MAX_NAMED = 10;

/** `warnings` names, once the route has run, the parameters that it did not look at. */
export function queryOf(parameters: URLSearchParams): { query: Query; warnings(): string[] } {
  const known = new Set<string>();
  return {
    query: {
      has(name) {
        known.add(name);
        return parameters.has(name);
      },
      get(name) {
        known.add(name);
        const [value = null, ...more] = parameters.getAll(name);
        if (more.length > 0) throw givenTwice(name);
        return value;
      },
    },
    warnings() {
      const unknown = [...new Set(parameters.keys())].filter((name) => !known.has(name));
      const named = unknown.slice(0, MAX_NAMED);
      return bounded(
        named.map((name) => ignoredWarning(quotedName(name), 'parameter', nearestName(name, known))),
        unknown.length - named.length,
      );
    },
  };
}

const givenTwice = (name: string) =>
  new Problem('invalid', `${name} must be given once`, {
    details: { invalid_fields: [name], reasons: { [name]: 'must be given once' } },
  });

/** The credential in the header `authorization`. */
const BEARER = /^Bearer +(\S+)\s*$/i;

export const bearerIn = ({ headers }: Pick<HttpRequestMessage, 'headers'>): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The trace of a request, for what is kept of it. */
export function tracedBy({ headers }: Pick<HttpRequestMessage, 'headers'>): { trace?: Trace } {
  const trace = parseTrace(headers.traceparent, headers.tracestate);
  return trace ? { trace } : {};
}

/** CORS: which pages in a browser may call, what they may send and what they may read. */
export type Origins = (origin: string) => boolean;

const ALLOWED_HEADERS = 'authorization, x-api-key, content-type, idempotency-key, x-request-id';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, x-errand-warnings';
const PREFLIGHT_SECONDS = 600;

export const isLoopbackOrigin: Origins = (origin) =>
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);

/** Says in the answer's headers what the page that asks may do. */
export function allowPage(
  answer: Record<string, string>,
  { headers, method }: HttpRequestMessage,
  allows: Origins,
): void {
  const { origin } = headers;
  if (!origin || !allows(origin)) return;
  answer['access-control-allow-origin'] = origin;
  answer['access-control-expose-headers'] = EXPOSED_HEADERS;
  if (method !== 'OPTIONS') return;
  answer['access-control-allow-methods'] = 'GET, HEAD, POST, DELETE';
  answer['access-control-allow-headers'] = ALLOWED_HEADERS;
  answer['access-control-max-age'] = String(PREFLIGHT_SECONDS);
}

export const ignoredWarning = (name: string, what: 'field' | 'parameter', nearest: string | undefined): string =>
  `${name} is not a known ${what} and was ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
