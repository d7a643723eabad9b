/** Dispatches a request: path, credential, role, rate limit, idempotency, validation, run, and the response. */

import { type Caller, mayAct, type Role } from '../../shared/accounts/caller.ts';
import { limitOf } from '../../shared/accounts/caps.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
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
import { type MatchedRoute, matcher } from './matcher.ts';
import {
  type RequestContext,
  renderFailure,
  renderOptions,
  requestContext,
  setLimitHeaders,
  toResponse,
  withWarnings,
} from './response.ts';
import {
  type Api,
  type ApiContext,
  callName,
  type HttpRequestMessage,
  type HttpResponse,
  queryOf,
  type Route,
  type RouteAnswer,
} from './route.ts';

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

function rateLimited(windows: Window[]): Problem {
  const spent = windows.filter((window) => window.remaining === 0);
  const seconds = Math.max(1, ...spent.map((window) => window.resetSeconds));
  const names = spent.map((window) => `${window.max} a ${window.name}`).join(' and ');
  return new Problem('rateLimited', `The limit of ${names} is reached; try again in ${seconds} s.`, {
    details: { retry_after_seconds: seconds },
    retryAfterSeconds: seconds,
  });
}

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
