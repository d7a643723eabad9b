/** Requests, and routes and APIs as data: the dispatcher, the CDK app and the API documents read the same lists. */
import type * as v from 'valibot';
import type { Caller, Role } from '../../shared/accounts/caller.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { Problem } from '../../shared/core/problem.ts';
import { parseTrace, type Trace } from '../../shared/core/trace.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Clock, Ids, Table } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';

/** A request and a response, independent of the transport: API Gateway or the local server. */
export type HttpRequestMessage = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Names are in lower case; repeated headers are joined by a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
  /** The address of the client's connection to the gateway. */
  sourceAddress: string;
  /** The host names under which we are reached: the request's own and the one that the transport knows. */
  hosts: string[];
  /** Aborted when the caller disconnects before the response. Absent if the transport does not report that. */
  signal?(): AbortSignal;
};

export type HttpResponse = { status: number; headers: Record<string, string>; body: string };

/** The query parameters. A repeated parameter has no value and is rejected where it is read. */
export type Query = Pick<URLSearchParams, 'get' | 'has'>;

const MAX_NAMED = 10;

/** `warnings` lists, after the route has run, the parameters that it did not read. */
export function queryOf(parameters: URLSearchParams): { query: Query; warnings(): string[] } {
  const readNames = new Set<string>();
  return {
    query: {
      has(name) {
        readNames.add(name);
        return parameters.has(name);
      },
      get(name) {
        readNames.add(name);
        const [value = null, ...more] = parameters.getAll(name);
        if (more.length > 0) throw repeatedParameter(name);
        return value;
      },
    },
    warnings() {
      const unknown = [...new Set(parameters.keys())].filter((name) => !readNames.has(name));
      const listedNames = unknown.slice(0, MAX_NAMED);
      return limitWarnings(
        listedNames.map((name) => ignoredWarning(quotedName(name), 'parameter', nearestName(name, readNames))),
        unknown.length - listedNames.length,
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

/** The trace of a request, for logs and stored rows. */
export function traceFields({ headers }: Pick<HttpRequestMessage, 'headers'>): { trace?: Trace } {
  const trace = parseTrace(headers.traceparent, headers.tracestate);
  return trace ? { trace } : {};
}

/** CORS: whether pages of an origin may call. */
export type Origins = (origin: string) => boolean;

const ALLOWED_HEADERS = 'authorization, x-api-key, content-type, idempotency-key, x-request-id';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, x-errand-warnings';
const PREFLIGHT_SECONDS = 600;

export const isLoopbackOrigin: Origins = (origin) =>
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);

/** Sets the CORS headers for the origin of the request. */
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

/** `page` is HTML; `text` is a serialized body: JSON, unless the headers name another type. */
export type RouteAnswer = {
  status: number;
  body?: unknown;
  page?: string;
  text?: string;
  headers?: Record<string, string>;
};

/** For untrusted text: a browser shows it without running or loading anything. */
export const SANDBOX = { 'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'" };

export type RouteRequest<Body, Who> = {
  caller: Who;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Warnings about the body, such as unknown fields, which are also sent in a header. */
  warnings: readonly string[];
  /** The host names under which we are reached. */
  hosts: string[];
  /** The id of the object that a POST creates. It stays the same when a crashed request is repeated with its idempotency key. */
  id: string;
  /** The original request. */
  incoming: HttpRequestMessage;
};

/** A schema, or a function that makes one for a request: valid values may depend on our host names and on the caller. */
type RouteSchema<Context, Body> =
  | v.GenericSchema<unknown, Body>
  | ((
      context: Context,
      o: { hosts: string[]; organization?: Organization | undefined },
    ) => v.GenericSchema<unknown, Body>);

/** The methods of routes, and whether they have a body. Pages of other origins may use all of them. */
const METHODS = { GET: false, POST: true, DELETE: false } as const;
type Method = keyof typeof METHODS;
const ALLOWED_METHODS = Object.keys(METHODS).join(', ').replace('GET', 'GET, HEAD');

export const takesBody = (method: string): boolean => Object.hasOwn(METHODS, method) && METHODS[method as Method];

type SharedOptions = {
  method: Method;
  /** The path below the API's root, with `:name` for a variable segment. */
  path: `/${string}`;
  about: string;
  /** Responses in addition to the problems that every route may return. */
  replies: Readonly<Record<number, string>>;
  limit?: Limit;
  /** False for a POST that ignores Idempotency-Key. */
  idempotent?: false;
  /** True for a route that forms post to; it does not read their fields. */
  takesForm?: true;
};

export type Route<Context> = SharedOptions & {
  caller: 'anyone' | Role;
  body?: RouteSchema<Context, unknown>;
  run(request: RouteRequest<unknown, Caller | undefined>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

/** For a response with a signed URL: the URL is not stored but signed again for each repeat. */
type Replay<Context> = {
  /** The part of the response's body that is stored. */
  toStored(body: unknown): unknown;
  renew(stored: unknown, caller: Caller, context: Context): Promise<unknown>;
};

type TypedRoute<Context, Who extends 'anyone' | Role, Body> = SharedOptions & {
  /** The lowest role that may call; required. */
  caller: Who;
  body?: RouteSchema<Context, Body>;
  run(request: RouteRequest<Body, Who extends 'anyone' ? undefined : Caller>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

export const route = <Context, Who extends 'anyone' | Role, Body = undefined>(
  definition: TypedRoute<Context, Who, Body>,
): Route<Context> => definition as Route<Context>;

/** The public name of a route, such as `GET /tasks/{task_id}`. */
type RouteShape = Pick<Route<never>, 'method' | 'path'>;

const BASE = /^\/api\/v1(?=\/)/;

/** Cached, because every counted call needs the name. */
const callNames = new WeakMap<RouteShape, string>();

export function callName(route: RouteShape): string {
  const calls = callNames.get(route) ?? toCallName(route);
  callNames.set(route, calls);
  return calls;
}

const toCallName = ({ method, path }: RouteShape): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (character) => `_${character.toLowerCase()}`);

/** Runs the check of the credential, unless the source address is over its limit. */
export type CredentialLimit = <T>(incoming: HttpRequestMessage, check: () => Promise<T>) => Promise<T>;

/** What the dispatcher needs; an API's context adds what its routes need. */
export type ApiContext = {
  table: Table;
  clock: Clock;
  ids: Ids;
  log: Log;
  origins: Origins;
  /** Cached for at most half a minute, so that most requests cost no read. */
  organizationOf(id: string): Promise<Organization | undefined>;
  /** Rejects source addresses that sent too many invalid credentials. Default: no limit. */
  limitCredentials?: CredentialLimit;
  /** Whether this is the only process, which may count reads in memory while the state cannot be written. */
  readsWithoutState?: true;
  /** Present if callers of this API can receive notices. */
  notify?: Notify;
  /** Reads the API's own documents by name. */
  contracts?(name: string): Promise<string>;
};

/** An API as data: its routes, its check of callers, and its format of errors. */
export type Api<Context extends ApiContext> = {
  name: string;
  routes: readonly Route<Context>[];
  /** Throws if the credential is missing or invalid. */
  identify(incoming: HttpRequestMessage, context: Context): Promise<Caller>;
  /** For a bug the caller learns only the request id. */
  render(problem: Problem | 'bug', options: RenderOptions): { status: number; body: unknown };
  /** Converts the issues of a body into this API's problem. */
  invalid(issues: readonly v.BaseIssue<unknown>[]): Problem;
  /** Whether a JSON body that is not an object counts as an empty object. */
  takesAnyJson: boolean;
};

/** `organization`: the caller's, if known. */
export type RenderOptions = { requestId: string; at: Date; organization?: Organization | undefined };
