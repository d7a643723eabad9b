/** The state of a request, and its conversion to a response: common headers and rendered problems. */

import type { Caller } from '../../shared/accounts/caller.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { isProblem, type ProblemCode } from '../../shared/core/problem.ts';
import type { Window } from '../../shared/limits/rate-limit.ts';
import {
  type Api,
  type ApiContext,
  allowPage,
  type HttpRequestMessage,
  type HttpResponse,
  type Route,
  type RouteAnswer,
  traceFields,
} from './route.ts';

export type RequestContext<C> = {
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

export function requestContext<C extends ApiContext>(
  incoming: HttpRequestMessage,
  { ids, origins }: C,
): RequestContext<C> {
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

export function renderFailure<C extends ApiContext>(
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

export function toResponse(
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
export const renderOptions = ({ requestId, incoming, route, caller, subject, problem }: RequestContext<never>) => ({
  requestId,
  method: incoming.method,
  route: route?.path,
  subject,
  trace: traceFields(incoming).trace?.id,
  organization: caller?.organization,
  by: caller?.by,
  problem,
});

/** The remaining rate limit, in the headers of IETF draft-ietf-httpapi-ratelimit-headers-11. */
export function setLimitHeaders(headers: Record<string, string>, windows: readonly Window[]): void {
  headers['ratelimit-policy'] = windows.map((w) => `"${w.name}";q=${w.max};w=${w.seconds}`).join(', ');
  headers.ratelimit = windows.map((w) => `"${w.name}";r=${w.remaining};t=${w.resetSeconds}`).join(', ');
}

/** The header for the parts of a request that had no effect: a JSON array of texts, in ASCII. */
const WARNINGS_HEADER = 'x-errand-warnings';

export function withWarnings(answer: RouteAnswer, warnings: readonly string[]): RouteAnswer {
  if (warnings.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, [WARNINGS_HEADER]: inAscii(JSON.stringify(warnings)) } };
}

const inAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
