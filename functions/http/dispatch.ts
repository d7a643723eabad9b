/** From a request to its answer: path, credential, role, rate limit, idempotency, validation, run, in this order. */
import { type Caller, mayAct, type Role } from '../../shared/accounts/caller.ts';
import { limitOf, type Organization } from '../../shared/accounts/organizations.ts';
import { Problem } from '../../shared/core/problem.ts';
import { type Limit, type LimitResult, limitSpender } from '../../shared/limits/rate-limit.ts';
import { limitNotices } from '../../shared/realtime/notifier.ts';
import { bodyOf, checkTransport } from './body.ts';
import { callName } from './calls-of.ts';
import { type RequestContext, renderFailure, renderOptions, requestContext, toResponse } from './exchange.ts';
import type { Api, ShellContext } from './face.ts';
import { idempotencyKey, runOnce } from './idempotent.ts';
import { withDeadline } from './in-time.ts';
import { rateLimited, setLimitHeaders } from './limit-headers.ts';
import { type MatchedRoute, matcher } from './match.ts';
import type { HttpRequestMessage, HttpResponse } from './message.ts';
import { queryOf } from './query.ts';
import type { Route, RouteAnswer } from './route.ts';
import { withWarnings } from './warning-header.ts';

/** `withinMs`: how long the transport can wait for the answer. */
export type Dispatch = (incoming: HttpRequestMessage, o?: { withinMs: number }) => Promise<HttpResponse>;

const schemaFor = <C>({ body }: Route<C>, context: C, { incoming: { hosts }, organization }: RequestContext<C>) =>
  typeof body === 'function' ? body(context, { hosts, organization }) : body;

const limitFor = (organization: Organization | undefined, limit: Limit): Limit =>
  organization ? limitOf(organization, limit) : limit;

function checkRole(caller: Caller, least: Role): Caller {
  if (mayAct(caller, least)) return caller;
  throw new Problem('forbidden', `This needs the role ${least}; yours is ${caller.role}.`);
}

function identifyCaller<C extends ShellContext>(
  face: Api<C>,
  incoming: HttpRequestMessage,
  context: C,
): Promise<Caller> {
  const identify = () => face.identify(incoming, context);
  return context.limitCredentials ? context.limitCredentials(incoming, identify) : identify();
}

export function dispatcher<C extends ShellContext>(face: Api<C>, context: C): Dispatch {
  const find = matcher(face.routes);
  const spendLimit = limitSpender(context);

  const statusOf = (problem: Problem) => face.render(problem, { requestId: '', at: new Date(0) }).status;

  async function answerTo(exchange: RequestContext<C>): Promise<RouteAnswer> {
    const { incoming } = exchange;
    if (incoming.method === 'OPTIONS') return { status: 204 };
    const { route, params } = find(incoming.method, incoming.path);
    exchange.route = route;
    for (const name in params) exchange.subject ??= params[name];
    const least = route.caller;
    const caller = least === 'anyone' ? undefined : checkRole(await identifyCaller(face, incoming, context), least);
    if (caller) {
      exchange.caller = caller;
      exchange.organization = await context.organizationOf(caller.organization);
      if (route.limit) {
        const limit = limitFor(exchange.organization, route.limit);
        withinLimit(limit, await spendLimit(caller.organization, limit), exchange);
      }
    }
    checkTransport(incoming, route);
    return await answerOf(exchange, { route, params });
  }

  function answerOf(exchange: RequestContext<C>, { route, params }: MatchedRoute<Route<C>>): Promise<RouteAnswer> {
    const { incoming, caller, headers } = exchange;
    const run = async (id: string) => {
      if (id !== '') exchange.subject ??= id;
      const { body, warnings } = bodyOf(face, schemaFor(route, context, exchange), incoming, route);
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

  const failedLater =
    ({ requestId }: RequestContext<C>) =>
    (error: unknown) =>
      context.log.error('request failed behind its answer', { requestId, error });

  return async (incoming, patience) => {
    const startedAt = context.clock.now();
    const exchange = requestContext(incoming, context);
    const work = answerTo(exchange);
    const answered = patience ? withDeadline(work, { ...patience, failedLater: failedLater(exchange) }) : work;
    const answer = await answered.catch((error) => renderFailure(face, exchange, error, context));
    const outgoing = toResponse(answer, exchange);
    const ms = context.clock.now() - startedAt;
    context.log.info('request', { ...renderOptions(exchange), status: outgoing.status, ms });
    return outgoing;
  };
}
