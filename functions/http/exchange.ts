/** What is known of a request on its way, and how it becomes the answer: headers every answer has, problems in words. */
import type { Caller } from '../../shared/accounts/caller.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { isProblem, type ProblemCode } from '../../shared/core/problem.ts';
import { allowPage } from './cors.ts';
import type { Api, ShellContext } from './face.ts';
import type { HttpRequestMessage, HttpResponse } from './message.ts';
import type { Route, RouteAnswer } from './route.ts';
import { tracedBy } from './traced-by.ts';

export type RequestContext<C> = {
  incoming: HttpRequestMessage;
  requestId: string;
  route?: Route<C>;
  caller?: Caller;
  /** The task or file it is about. */
  subject?: string | undefined;
  organization?: Organization | undefined;
  /** Why it was answered with something else than what was asked for. */
  problem?: ProblemCode | undefined;
  /** Of the answer to be: one object on all of its way, because copying it costs more than the rest of the answer. */
  headers: Record<string, string>;
};

export function requestContext<C extends ShellContext>(
  incoming: HttpRequestMessage,
  { ids, origins }: C,
): RequestContext<C> {
  const asked = incoming.headers['x-request-id'];
  const requestId = asked && SANE_REQUEST_ID.test(asked) ? asked : ids.uuid();
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

export function renderFailure<C extends ShellContext>(
  face: Api<C>,
  exchange: RequestContext<C>,
  error: unknown,
  { log, clock }: C,
): RouteAnswer {
  const { requestId, organization } = exchange;
  const problem = isProblem(error) ? error : undefined;
  exchange.problem = problem?.code;
  const rendered = face.render(problem, { requestId, at: new Date(clock.now()), organization });
  if (rendered.status === 500) log.error('request failed', { requestId, error });
  // The caller reads what to do; only the operator can learn why.
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

/** A page loads nothing, runs nothing, is framed by nobody, and tells no other place of itself. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export function toResponse(
  { status, body, page, json, headers: own }: RouteAnswer,
  { headers }: RequestContext<never>,
): HttpResponse {
  const text = page ?? json ?? (body === undefined ? '' : JSON.stringify(body));
  if (own) Object.assign(headers, own);
  if (page !== undefined) Object.assign(headers, PAGE_HEADERS);
  else if (text !== '') headers['content-type'] = 'application/json; charset=utf-8';
  return { status, headers, body: text };
}

/** For the log: who asked for what, about which task or file, in whose trace. Nothing of what was said. */
export const renderOptions = ({ requestId, incoming, route, caller, subject, problem }: RequestContext<never>) => ({
  requestId,
  method: incoming.method,
  route: route?.path,
  subject,
  trace: tracedBy(incoming).trace?.id,
  organization: caller?.organization,
  by: caller?.by,
  problem,
});
