/** The possible answers of an operation: its own replies and every problem that it may return. */
import type { Operation } from '../../functions/http/contract.ts';
import { type Route, takesBody } from '../../functions/http/route.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';
import type { ApiDocument } from './api-document.ts';
import { refTo } from './json-schema.ts';

type Json = Record<string, unknown>;

/** What each problem means, and what to do about it. */
const PROBLEMS: Record<ProblemCode, string> = {
  atCapacity: 'The service has too much unfinished work: retry after `Retry-After`.',
  badCursor: 'The cursor is not one that a list returned: omit it to start from the first page.',
  badSetting: 'A fault of the service: retry, and quote the `X-Request-Id` if it persists.',
  busy: 'The service is at capacity: retry after `Retry-After`.',
  forbidden: 'The role of the caller does not allow this: use a key or a user with a higher role.',
  idempotencyMismatch: 'This `Idempotency-Key` was used with another body: use a key for one body only.',
  idempotencyRunning: 'The first call with this `Idempotency-Key` is still running: wait, then send the same again.',
  invalid: 'The body or a parameter is invalid: the message says which field and what is expected.',
  methodNotAllowed: 'The path does not accept this method: use one that the `Allow` header names.',
  notCancellable: 'The task has completed or failed, so nothing is left to cancel.',
  notCompleted: 'The task has no results yet: poll again after `Retry-After`.',
  noStorage: 'The storage of files is missing or closed: tell the operator.',
  noSuchPath: 'The path does not exist: check the base URL.',
  notFound: 'The id is unknown, expired or belongs to another organization: check it.',
  rateLimited: 'A rate limit is exceeded: retry after `Retry-After`, and more slowly.',
  tooLarge: 'The body is larger than 1 MB: send less in one call, and large content as a file.',
  unauthorized: 'The credential is missing, invalid or expired: check the key, or log in again.',
  unreadable: 'A stored secret cannot be read: tell the operator.',
  unreadableFile: 'The file cannot be used, for the reason in the message.',
  unsupportedType: 'The body is not JSON: send it as `application/json`.',
};

/** A repeated request with the same idempotency key gets these answers again. */
const KEPT = new Set([200, 201, 202, 204, 404, 409, 422]);

export const isRepeatable = ({ method, idempotent, caller }: Route<never>): boolean =>
  method === 'POST' && idempotent !== false && caller !== 'anyone';

export function answersOf(api: ApiDocument, route: Route<never>, operation: Operation): Json {
  const replies = Object.entries(operation.answers).map(([status, schema]) => {
    const name =
      typeof schema === 'string'
        ? schema
        : schema && Object.entries(api.answers).find(([, candidate]) => candidate === schema)?.[0];
    if (schema && !name) throw new Error(`The answer ${status} of ${operation.id} has no name among the schemas.`);
    const description = route.replies[Number(status)];
    if (!description) throw new Error(`${operation.id} has no reply ${status}.`);
    return [
      status,
      answer(api, {
        route,
        operation,
        status: Number(status),
        description,
        name: name || undefined,
      }),
    ] as const;
  });
  for (const status of Object.keys(route.replies)) {
    if (Number(status) < 400 && !(Number(status) in operation.answers))
      throw new Error(`${operation.id}: no schema of ${status}.`);
  }
  return Object.fromEntries([...replies, ...problemsOf(api, route, operation)]);
}

function problemsOf(api: ApiDocument, route: Route<never>, operation: Operation) {
  const met = problemCodes(route, operation)
    .map((problem) => ({ ...api.statusOf(problem), text: PROBLEMS[problem] }))
    .filter(({ status }) => !(status in operation.answers));
  const byStatus = Map.groupBy(met, ({ status }) => status);
  return [...byStatus].map(([status, problems]) => {
    const codes = [...new Set(problems.flatMap(({ code }) => code ?? []))].map((code) => `\`${code}\``);
    const texts = [...new Set(problems.map(({ text }) => text))].join(' ');
    const description = codes.length > 0 ? `${codes.join(', ')}: ${texts}` : texts;
    return [String(status), answer(api, { route, operation, status, description, name: 'Error' })] as const;
  });
}

function problemCodes(route: Route<never>, { body, query, problems = [] }: Operation): ProblemCode[] {
  const hasBody = takesBody(route.method);
  const common: [ProblemCode, unknown][] = [
    ['invalid', body || query || hasBody],
    ['unauthorized', route.caller !== 'anyone'],
    ['forbidden', route.caller !== 'anyone'],
    ['notFound', route.path.includes(':')],
    ['idempotencyRunning', isRepeatable(route)],
    ['tooLarge', hasBody],
    ['unsupportedType', hasBody],
    ['idempotencyMismatch', isRepeatable(route)],
    ['rateLimited', route.limit],
    ['badSetting', true], // stands for every internal error
    ['busy', true],
  ];
  return [...common.filter(([, may]) => may).map(([code]) => code), ...problems];
}

/** Answers that ask the caller to come back have `Retry-After`. */
const isTimed = ({ isPolled, problems = [] }: Operation, status: number): boolean =>
  status === 429 ||
  status === 503 ||
  (status === 200 && isPolled === true) ||
  status === 202 ||
  (status === 409 && problems.includes('notCompleted'));

const MARKDOWN = { 'text/markdown': { schema: { type: 'string' } } };
/** Answers without a schema, keyed by the name that operations use. */
const PLAIN: Record<string, Json> = {
  page: { 'text/html': { schema: { type: 'string' } } },
  text: { 'text/plain': { schema: { type: 'string' } } },
};

type DocumentedAnswer = {
  route: Route<never>;
  operation: Operation;
  status: number;
  description: string;
  name: string | undefined;
};

function answer(api: ApiDocument, { route, operation, status, description, name }: DocumentedAnswer): Json {
  const names = [
    'X-Request-Id',
    ...(route.limit && status !== 401 && status !== 403 ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(isTimed(operation, status) ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(isRepeatable(route) && KEPT.has(status) ? ['Idempotent-Replayed'] : []),
    ...(status < 300 ? ['X-Errand-Warnings'] : []),
  ];
  const example = api.examples.find(
    (candidate) =>
      candidate.operation === `${route.method} ${route.path}` &&
      candidate.status === status &&
      candidate.answer !== undefined,
  );
  const plain = name === undefined ? undefined : PLAIN[name];
  if (plain) return { ...answer(api, { route, operation, status, description, name: undefined }), content: plain };
  const schema = name && {
    content: {
      ...(operation.isMarkdown && status === 200 ? MARKDOWN : {}),
      'application/json': { schema: { $ref: refTo(name) }, ...(example ? { example: example.answer } : {}) },
    },
  };
  const refs = names.map((header) => [header, { $ref: `#/components/headers/${header}` }]);
  return { description, headers: Object.fromEntries(refs), ...schema };
}
