/** Dispatches a request: path, credential, role, rate limit, idempotency, validation, run, and the response. */
import { type Caller, mayAct, type Role } from '../../shared/accounts/caller.ts';
import { limitOf } from '../../shared/accounts/caps.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { isProblem, Problem, type ProblemCode } from '../../shared/core/problem.ts';
import {
  type Limit,
  type LimitResult,
  limitNotices,
  limitSpender,
  type Window,
} from '../../shared/limits/rate-limit.ts';
import { readLimiter } from '../../shared/limits/reads-without-state.ts';

import { bodyOf, checkTransport } from './body.ts';
import { idempotencyKey, runOnce } from './idempotency.ts';
import {
  type Api,
  type ApiContext,
  allowPage,
  callName,
  type HttpRequestMessage,
  type HttpResponse,
  queryOf,
  type Route,
  type RouteAnswer,
  traceFields,
} from './route.ts';

// The state of a request, and its conversion to a response: common headers and rendered problems.

type RequestContext<C> = {
  incoming: HttpRequestMessage;
  requestId: string;
  route?: Route<C>;
  caller?: Caller;
  /** The task or file that the request is about. */
  subject?: string | undefined;
  organization?: Organization | undefined;
  /** The code of the problem, if the request failed. */
  problem?: ProblemCode | undefined;
  /** The response's headers: one shared object, because copying it costs more than the rest of the response. */
  headers: Record<string, string>;
};

function requestContext<C extends ApiContext>(incoming: HttpRequestMessage, { ids, origins }: C): RequestContext<C> {
  const header = incoming.headers['x-request-id'];
  const requestId = header && SANE_REQUEST_ID.test(header) ? header : ids.uuid();
  const headers: Record<string, string> = {
    vary: 'origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  allowPage(headers, incoming, origins);
  return { incoming, requestId, headers };
}

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;
const UNAUTHORIZED = 401;
const UNAVAILABLE = 503;
const COME_BACK_SECONDS = 5;

function renderFailure<C extends ApiContext>(
  api: Api<C>,
  exchange: RequestContext<C>,
  error: unknown,
  { log, clock }: C,
): RouteAnswer {
  const { requestId, organization } = exchange;
  const problem = isProblem(error) ? error : undefined;
  exchange.problem = problem?.code;
  const rendered = api.render(problem ?? 'bug', { requestId, at: new Date(clock.now()), organization });
  if (rendered.status === 500) log.error('request failed', { requestId, error });
  // The caller gets a remedy; the cause is logged for the operator only.
  if (rendered.status === UNAVAILABLE && problem?.cause) log.warn('request put off', { requestId, error });
  const retryAfter = problem?.retryAfterSeconds ?? (rendered.status === UNAVAILABLE ? COME_BACK_SECONDS : undefined);
  return {
    ...rendered,
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(rendered.status === UNAUTHORIZED ? { 'www-authenticate': 'Bearer' } : {}),
      ...(problem?.code === 'methodNotAllowed' ? { allow: String(problem.details.allow) } : {}),
    },
  };
}

/** Pages load and run nothing, cannot be framed, and send no referrer. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

function toResponse(
  { status, body, page, text: written, headers: ownHeaders }: RouteAnswer,
  { headers }: RequestContext<never>,
): HttpResponse {
  const text = page ?? written ?? (body === undefined ? '' : JSON.stringify(body));
  if (ownHeaders) Object.assign(headers, ownHeaders);
  if (page !== undefined) Object.assign(headers, PAGE_HEADERS);
  else if (text !== '') headers['content-type'] ??= 'application/json; charset=utf-8';
  return { status, headers, body: text };
}

/** For the log: caller, route, task or file, and trace, but nothing of the content. */
const renderOptions = ({ requestId, incoming, route, caller, subject, problem }: RequestContext<never>) => ({
  requestId,
  method: incoming.method,
  route: route?.path,
  subject,
  trace: traceFields(incoming).trace?.id,
  organization: caller?.organization,
  by: caller?.by,
  problem,
});

/** A timeout before the transport's own, so that the caller gets our error. */
type ResponseDeadline = { withinMs: number; onLateFailure: (error: unknown) => void };

/** After the timeout the work continues; the caller can get its result with the same idempotency key. */
async function withDeadline<T>(work: Promise<T>, { withinMs, onLateFailure }: ResponseDeadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      work.catch((error) => isProblem(error) || onLateFailure(error));
      reject(new Problem('busy', 'The service took too long; try again.'));
    }, withinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The remaining rate limit, in the headers of IETF draft-ietf-httpapi-ratelimit-headers-11. */
function setLimitHeaders(headers: Record<string, string>, windows: readonly Window[]): void {
  headers['ratelimit-policy'] = windows.map((w) => `"${w.name}";q=${w.max};w=${w.seconds}`).join(', ');
  headers.ratelimit = windows.map((w) => `"${w.name}";r=${w.remaining};t=${w.resetSeconds}`).join(', ');
}

function rateLimited(windows: Window[]): Problem {
  const spent = windows.filter((window) => window.remaining === 0);
  const seconds = Math.max(1, ...spent.map((window) => window.resetSeconds));
  const names = spent.map((window) => `${window.max} a ${window.name}`).join(' and ');
  return new Problem('rateLimited', `The limit of ${names} is reached; try again in ${seconds} s.`, {
    details: { retry_after_seconds: seconds },
    retryAfterSeconds: seconds,
  });
}

/** Finds the route of a request, or reports an unknown path or method. HEAD uses the route of GET. */
type PathShape = Pick<Route<never>, 'method' | 'path'>;
type MatchedRoute<R> = { route: R; params: Record<string, string> };

type CompiledRoute<R> = { route: R; parts: string[]; names: (string | undefined)[] };

export function matcher<R extends PathShape>(routes: readonly R[]) {
  const byLength = Map.groupBy(routes.map(compileRoute), ({ parts }) => parts.length);

  return function find(method: string, path: string): MatchedRoute<R> {
    const parts = path.split('/');
    const matches = (byLength.get(parts.length) ?? []).filter((candidate) => fits(candidate, parts));
    if (matches.length === 0) throw new Problem('noSuchPath', 'Not found.');
    const routeMethod = method === 'HEAD' ? 'GET' : method;
    const chosen = matches.find(({ route }) => route.method === routeMethod);
    if (!chosen) throw methodNotAllowed(matches.map(({ route }) => route.method));
    return { route: chosen.route, params: paramsOf(chosen.names, parts) };
  };
}

function compileRoute<R extends PathShape>(route: R): CompiledRoute<R> {
  const parts = route.path.split('/');
  return { route, parts, names: parts.map((part) => (part.startsWith(':') ? part.slice(1) : undefined)) };
}

const fits = ({ parts: pattern, names }: CompiledRoute<unknown>, parts: string[]): boolean =>
  pattern.every((part, at) => (names[at] === undefined ? part === parts[at] : parts[at] !== ''));

function paramsOf(names: (string | undefined)[], parts: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  names.forEach((name, at) => {
    if (name !== undefined) params[name] = decodeSegment(parts[at] ?? '');
  });
  return params;
}

/** A segment that cannot be decoded stays as it is; no id equals it. */
function decodeSegment(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function methodNotAllowed(routes: string[]) {
  const methods = routes.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new Problem('methodNotAllowed', `This path accepts ${methods}.`, { details: { allow: methods } });
}

/** The header for the parts of a request that had no effect: a JSON array of texts, in ASCII. */
const WARNINGS_HEADER = 'x-errand-warnings';

function withWarnings(answer: RouteAnswer, warnings: readonly string[]): RouteAnswer {
  if (warnings.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, [WARNINGS_HEADER]: inAscii(JSON.stringify(warnings)) } };
}

const inAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

// Handles a request: path, credential, role, rate limit, idempotency, validation, run.

/** `withinMs`: how long the transport can wait for the response. */
export type Dispatch = (incoming: HttpRequestMessage, o?: { withinMs: number }) => Promise<HttpResponse>;

const schemaFor = <C>({ body }: Route<C>, context: C, { incoming: { hosts }, organization }: RequestContext<C>) =>
  typeof body === 'function' ? body(context, { hosts, organization }) : body;

const limitFor = (organization: Organization | undefined, limit: Limit): Limit =>
  organization ? limitOf(organization, limit) : limit;

function checkRole(caller: Caller, minRole: Role): Caller {
  if (mayAct(caller, minRole)) return caller;
  throw new Problem('forbidden', `This call needs the role ${minRole}; yours is ${caller.role}.`);
}

function identifyCaller<C extends ApiContext>(api: Api<C>, incoming: HttpRequestMessage, context: C): Promise<Caller> {
  const identify = () => api.identify(incoming, context);
  return context.limitCredentials ? context.limitCredentials(incoming, identify) : identify();
}

export function dispatcher<C extends ApiContext>(api: Api<C>, context: C): Dispatch {
  const find = matcher(api.routes);
  const spendLimit = limitSpender(context);
  const countRead = context.readsWithoutState ? readLimiter(context) : undefined;

  const statusOf = (problem: Problem) => api.render(problem, { requestId: '', at: new Date(0) }).status;

  async function answerTo(exchange: RequestContext<C>): Promise<RouteAnswer> {
    const { incoming } = exchange;
    if (incoming.method === 'OPTIONS') return { status: 204 };
    const { route, params } = find(incoming.method, incoming.path);
    exchange.route = route;
    for (const name in params) exchange.subject ??= params[name];
    const minRole = route.caller;
    const caller = minRole === 'anyone' ? undefined : checkRole(await identifyCaller(api, incoming, context), minRole);
    if (caller) {
      exchange.caller = caller;
      exchange.organization = await context.organizationOf(caller.organization);
      if (route.limit) {
        const limit = limitFor(exchange.organization, route.limit);
        withinLimit(limit, await spentOf(caller.organization, limit, route), exchange);
      }
    }
    checkTransport(incoming, route);
    return await answerOf(exchange, { route, params });
  }

  async function spentOf(organization: string, limit: Limit, { method }: Route<C>): Promise<LimitResult> {
    try {
      return await spendLimit(organization, limit);
    } catch (error) {
      if (!countRead || method !== 'GET' || !isProblem(error, 'busy')) throw error;
      return countRead(organization, limit);
    }
  }

  function answerOf(exchange: RequestContext<C>, { route, params }: MatchedRoute<Route<C>>): Promise<RouteAnswer> {
    const { incoming, caller, headers } = exchange;
    const run = async (id: string) => {
      if (id !== '') exchange.subject ??= id;
      const { body, warnings } = bodyOf(api, schemaFor(route, context, exchange), incoming, route);
      const { query, warnings: warningsOfQuery } = queryOf(incoming.query);
      const { hosts } = incoming;
      const answer = await route.run({ caller, params, query, body, warnings, id, hosts, incoming }, context);
      return withWarnings(answer, [...warnings, ...warningsOfQuery()]);
    };
    const key = idempotencyKey(route, incoming);
    return caller && key !== undefined
      ? runOnce({ route, caller, incoming, key, context, statusOf, headers }, run)
      : run(route.method === 'POST' ? context.ids.uuid() : '');
  }

  function withinLimit(
    limit: Limit,
    { allowed, windows }: LimitResult,
    { headers, caller, route }: RequestContext<C>,
  ): void {
    setLimitHeaders(headers, windows);
    if (!allowed) throw rateLimited(windows);
    const { notify } = context;
    if (!notify || !caller || !route) return;
    for (const notice of limitNotices(callName(route), limit, windows)) notify(caller.organization, notice);
  }

  const logLateFailure =
    ({ requestId }: RequestContext<C>) =>
    (error: unknown) =>
      context.log.error('request failed after its response', { requestId, error });

  return async (incoming, deadline) => {
    const startedAt = context.clock.now();
    const exchange = requestContext(incoming, context);
    const work = answerTo(exchange);
    const answered = deadline ? withDeadline(work, { ...deadline, onLateFailure: logLateFailure(exchange) }) : work;
    const answer = await answered.catch((error) => renderFailure(api, exchange, error, context));
    const outgoing = toResponse(answer, exchange);
    const ms = context.clock.now() - startedAt;
    context.log.info('request', { ...renderOptions(exchange), status: outgoing.status, ms });
    return outgoing;
  };
}
