/** Requests as every transport brings them, and routes and APIs as data: the dispatcher, the CDK app and the API documents read the same lists. */
import type * as v from 'valibot';
import type { BaseIssue } from 'valibot';
import type { Caller, Organization, Role } from '../../shared/accounts/organizations.ts';
import { type Log, parseTrace, type Trace } from '../../shared/core/log.ts';
import { bounded, nearestName, Problem, quotedName } from '../../shared/core/problem.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Clock, Ids, Table } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';

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
        if (more.length > 0) throw repeatedParameter(name);
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

const repeatedParameter = (name: string) =>
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
  answer['access-control-allow-methods'] = ALLOWED_METHODS;
  answer['access-control-allow-headers'] = ALLOWED_HEADERS;
  answer['access-control-max-age'] = String(PREFLIGHT_SECONDS);
}

export const ignoredWarning = (name: string, what: 'field' | 'parameter', nearest: string | undefined): string =>
  `${name} is not a known ${what} and was ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;

/** `page` is HTML for people, `text` a body that is written already: JSON, unless the headers name another type. */
export type RouteAnswer = {
  status: number;
  body?: unknown;
  page?: string;
  text?: string;
  headers?: Record<string, string>;
};

/** For the text of a stranger: a browser that is led there shows it without running or loading anything. */
export const SANDBOX = { 'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'" };

type RouteRequest<Body, Who> = {
  caller: Who;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Warnings about the body, such as unknown fields. The response carries them in a header as well. */
  warnings: readonly string[];
  /** Where we are reached. */
  hosts: string[];
  /** The id for what a POST makes: the same again when a crashed request is repeated under its idempotency key. */
  id: string;
  /** The request as it came. */
  incoming: HttpRequestMessage;
};

/** Itself, or made for a request: what may stand in a field can depend on where we are reached, and on who asks. */
type RouteSchema<Context, Body> =
  | v.GenericSchema<unknown, Body>
  | ((
      context: Context,
      o: { hosts: string[]; organization?: Organization | undefined },
    ) => v.GenericSchema<unknown, Body>);

/** What a route may be asked with, and whether a body comes along. Pages of other origins may use all of them. */
const METHODS = { GET: false, POST: true, DELETE: false } as const;
type Method = keyof typeof METHODS;
const ALLOWED_METHODS = Object.keys(METHODS).join(', ').replace('GET', 'GET, HEAD');

export const takesBody = (method: string): boolean => Object.hasOwn(METHODS, method) && METHODS[method as Method];

type SharedOptions = {
  method: Method;
  /** Below the face's root, with `:name` for a part that varies. */
  path: `/${string}`;
  about: string;
  /** Replies in addition to the problems that every route may return. */
  replies: Readonly<Record<number, string>>;
  limit?: Limit;
  /** False for a POST that takes no Idempotency-Key. */
  idempotent?: false;
  /** It is called by a form, whose fields it does not read. */
  takesForm?: true;
};

export type Route<Context> = SharedOptions & {
  caller: 'anyone' | Role;
  body?: RouteSchema<Context, unknown>;
  run(request: RouteRequest<unknown, Caller | undefined>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

/** For a response that holds a signed URL: the URL is not stored but signed again for each repeat. */
type Replay<Context> = {
  /** What is stored of the answer's body. */
  kept(body: unknown): unknown;
  again(kept: unknown, caller: Caller, context: Context): Promise<unknown>;
};

type StatedReplies<Context, Who extends 'anyone' | Role, Body> = SharedOptions & {
  /** The least role that may call. It has no default. */
  caller: Who;
  body?: RouteSchema<Context, Body>;
  run(request: RouteRequest<Body, Who extends 'anyone' ? undefined : Caller>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

export const route = <Context, Who extends 'anyone' | Role, Body = undefined>(
  stated: StatedReplies<Context, Who, Body>,
): Route<Context> => stated as Route<Context>;

/** What callers know a route as, such as `GET /tasks/{task_id}`. */
type RouteShape = Pick<Route<never>, 'method' | 'path'>;

const BASE = /^\/api\/v1(?=\/)/;

/** Every call that is counted asks for it. */
const known = new WeakMap<RouteShape, string>();

export function callName(route: RouteShape): string {
  const calls = known.get(route) ?? written(route);
  known.set(route, calls);
  return calls;
}

const written = ({ method, path }: RouteShape): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (character) => `_${character.toLowerCase()}`);

/** Runs the check of the credential, unless the source address is over its limit. */
export type CredentialLimit = <T>(incoming: HttpRequestMessage, check: () => Promise<T>) => Promise<T>;

/** What the shell itself needs; a face's context adds what its routes need. */
export type ShellContext = {
  table: Table;
  clock: Clock;
  ids: Ids;
  log: Log;
  origins: Origins;
  /** At most half a minute old, so that it costs no read on most requests. */
  organizationOf(id: string): Promise<Organization | undefined>;
  /** Refuses source addresses that sent too many bad credentials. Default: none is refused. */
  limitCredentials?: CredentialLimit;
  /** Present if the callers of this API can get notices. */
  notify?: Notify;
  /** The face's own documents, by the names they are asked for. */
  contracts?(name: string): Promise<string>;
};

/** What differs between the two APIs: routes, callers, and the shape of errors. */
export type Api<Context extends ShellContext> = {
  name: string;
  routes: readonly Route<Context>[];
  /** Throws when a credential is there and does not hold, or when none is. */
  identify(incoming: HttpRequestMessage, context: Context): Promise<Caller>;
  /** Of a bug of ours the caller learns nothing but the request id. */
  render(problem: Problem | 'bug', options: RenderOptions): { status: number; body: unknown };
  /** Says in this face's way what is wrong with a body. */
  invalid(issues: readonly BaseIssue<unknown>[]): Problem;
  /** Whether a body that is JSON but no object counts as an empty one. */
  takesAnyJson: boolean;
};

/** `organization`: of the caller, if it is known. */
export type RenderOptions = { requestId: string; at: Date; organization?: Organization | undefined };
