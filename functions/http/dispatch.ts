/** From a request to its answer: path, credential, role, rate limit, idempotency, validation, run, in this order. */
import { type Caller, mayAct } from '../../shared/accounts/caller.ts';
import { limitOf } from '../../shared/accounts/organization.ts';
import { Problem } from '../../shared/core/problem.ts';
import { limitSpender } from '../../shared/limits/spend-limit.ts';
import { limitNotices } from '../../shared/sockets/limit-notice.ts';
import { bodyOf, checkTransport } from './body.ts';
import { callsOf } from './calls-of.ts';
import { corsHeaders } from './cors.ts';
import { type Exchange, failed, outgoingOf, toldOf } from './exchange.ts';
import type { Face, ShellContext } from './face.ts';
import { idempotencyKey, once } from './idempotent.ts';
import { inTime } from './in-time.ts';
import { limitHeaders, rateLimited } from './limit-headers.ts';
import { matcher } from './match.ts';
import type { Incoming, Outgoing } from './message.ts';
import { queryOf } from './query.ts';
import type { Answer, Route } from './route.ts';

/** `withinMs`: how long the transport can wait for the answer. */
export type Dispatch = (incoming: Incoming, o?: { withinMs: number }) => Promise<Outgoing>;

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

const schemaFor = <C>({ body }: Route<C>, context: C, { incoming: { hosts }, organization }: Exchange<C>) =>
  typeof body === 'function' ? body(context, { hosts, organization }) : body;

export function dispatcher<C extends ShellContext>(face: Face<C>, context: C): Dispatch {
  const find = matcher(face.routes);
  const spendLimit = limitSpender(context);

  const statusOf = (problem: Problem) => face.render(problem, { requestId: '', at: new Date(0) }).status;

  async function answerTo(exchange: Exchange<C>): Promise<Answer> {
    const { incoming } = exchange;
    if (incoming.method === 'OPTIONS') return { status: 204 };
    const { route, params } = find(incoming.method, incoming.path);
    exchange.route = route;
    exchange.subject = Object.values(params)[0];
    const caller = route.caller === 'anyone' ? undefined : await permitted(route.caller, incoming);
    if (caller) {
      exchange.caller = caller;
      exchange.organization = await context.organizationOf(caller.organization);
      await withinLimit(caller, route, exchange);
    }
    checkTransport(incoming, route);
    const run = (id: string) => {
      if (id !== '') exchange.subject ??= id;
      const body = bodyOf(face, schemaFor(route, context, exchange), incoming, route);
      const query = queryOf(incoming.query);
      return route.run({ caller, params, query, body, id, hosts: incoming.hosts, incoming }, context);
    };
    const key = idempotencyKey(route, incoming);
    return caller && key !== undefined
      ? once({ route, caller, incoming, key, context, statusOf, headers: exchange.headers }, run)
      : run(route.method === 'POST' ? context.ids.uuid() : '');
  }

  async function permitted(least: Caller['role'], incoming: Incoming): Promise<Caller> {
    const caller = await face.identify(incoming, context);
    if (!mayAct(caller, least))
      throw new Problem('forbidden', `This needs the role ${least}; yours is ${caller.role}.`);
    return caller;
  }

  async function withinLimit(caller: Caller, route: Route<C>, exchange: Exchange<C>) {
    const { organization } = exchange;
    const { limit } = route;
    if (!limit) return;
    const own = organization ? limitOf(organization, limit) : limit;
    const { allowed, windows } = await spendLimit(caller.organization, own);
    Object.assign(exchange.headers, limitHeaders(windows));
    if (!allowed) throw rateLimited(windows);
    const { notify } = context;
    if (notify) for (const notice of limitNotices(callsOf(route), own, windows)) notify(caller.organization, notice);
  }

  return async (incoming, patience) => {
    const startedAt = context.clock.now();
    const asked = incoming.headers['x-request-id'];
    const requestId = asked && SANE_REQUEST_ID.test(asked) ? asked : context.ids.uuid();
    const exchange: Exchange<C> = { incoming, requestId, headers: corsHeaders(incoming, context.origins) };
    const failedLater = (error: unknown) => context.log.error('request failed behind its answer', { requestId, error });
    const work = answerTo(exchange);
    const answered = patience ? inTime(work, { ...patience, failedLater }) : work;
    const answer = await answered.catch((error) => failed(face, exchange, error, context));
    const outgoing = outgoingOf(answer, exchange);
    const ms = context.clock.now() - startedAt;
    context.log.info('request', { ...toldOf(exchange), face: face.name, status: outgoing.status, ms });
    return outgoing;
  };
}
