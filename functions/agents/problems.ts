/** Errors of the background-agent API: an object `error` with exactly five fields, and the reasons for each invalid field. */
import type { BaseIssue } from 'valibot';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { TASK_TYPES, validSources } from '../../shared/agents/agent-input.ts';
import { Problem, type ProblemCode } from '../../shared/core/problem.ts';
import { quotedName } from '../../shared/core/warnings.ts';
import type { RenderOptions } from '../http/route.ts';

/** The status and the code of each problem. */
export const KINDS: Record<ProblemCode, [status: number, code: string]> = {
  atCapacity: [503, 'INSUFFICIENT_RESOURCES'],
  badCursor: [400, 'TASK_VALIDATION_FAILED'],
  badSetting: [500, 'INTERNAL_ERROR'],
  busy: [503, 'INSUFFICIENT_RESOURCES'],
  forbidden: [403, 'FORBIDDEN'],
  idempotencyMismatch: [422, 'IDEMPOTENCY_CONFLICT'],
  idempotencyRunning: [409, 'IDEMPOTENCY_CONFLICT'],
  invalid: [400, 'TASK_VALIDATION_FAILED'],
  methodNotAllowed: [405, 'METHOD_NOT_ALLOWED'],
  notCancellable: [409, 'TASK_NOT_CANCELLABLE'],
  notCompleted: [409, 'TASK_NOT_COMPLETED'],
  noStorage: [500, 'INTERNAL_ERROR'],
  noSuchPath: [404, 'NOT_FOUND'],
  notFound: [404, 'TASK_NOT_FOUND'],
  rateLimited: [429, 'RATE_LIMIT_EXCEEDED'],
  tooLarge: [413, 'PAYLOAD_TOO_LARGE'],
  unauthorized: [401, 'UNAUTHORIZED'],
  unreadable: [500, 'INTERNAL_ERROR'],
  unreadableFile: [422, 'FILE_NOT_READABLE'],
  unsupportedType: [415, 'UNSUPPORTED_MEDIA_TYPE'],
};

/** The same message for every invalid credential. */
export const badCredential = (): Problem =>
  new Problem('unauthorized', 'Missing or invalid access token or API key: log in again, or check the key.');

export function render(
  problem: Problem | 'bug',
  { requestId, at, organization }: RenderOptions,
): { status: number; body: unknown } {
  const [status, code] = problem === 'bug' ? [500, 'INTERNAL_ERROR'] : KINDS[problem.code];
  const visibleProblem = problem === 'bug' || status === 500 ? undefined : problem;
  return {
    status,
    body: {
      error: {
        code,
        message: visibleProblem?.message ?? 'Internal error. Retry; if it persists, give the operator the request id.',
        details:
          code === 'TASK_VALIDATION_FAILED'
            ? validationDetails(visibleProblem, organization)
            : (visibleProblem?.details ?? {}),
        request_id: requestId,
        timestamp: at.toISOString(),
      },
    },
  };
}

const validationDetails = (problem: Problem | undefined, organization: Organization | undefined) => ({
  invalid_fields: problem?.code === 'badCursor' ? ['cursor'] : [],
  valid_task_types: TASK_TYPES,
  valid_sources: validSources(organization),
  ...problem?.details,
});

/** A problem that names all invalid fields, nested names with dots, each with its reason, and the lists that contain them. */
export const invalid = (issues: readonly BaseIssue<unknown>[]): Problem => {
  const lists = issues.flatMap((issue) => listOf(issue) ?? []);
  return invalidFields(reasonsIn(issues), lists);
};

/** `lists`: the names of lists that have invalid entries. */
export const invalidFields = (reasons: Record<string, string>, lists: readonly string[] = []): Problem => {
  const fields = Object.keys(reasons);
  const message = `Correct these fields: ${fields.join(', ')}.`;
  return new Problem('invalid', message, { details: { invalid_fields: [...new Set([...fields, ...lists])], reasons } });
};

type BodyIssue = BaseIssue<unknown>;

/** The maximum number of reasons for the entries of one list; `MAX_FIELDS` is the one for a whole body. */
const MAX_ENTRIES = 10;

const MAX_FIELDS = 100;

/** Keeps the first issue of each field, which explains the others. */
function reasonsIn(issues: readonly BodyIssue[]): Record<string, string> {
  const reasons = new Map<string, string>();
  const entries = new Map<string, Set<string>>();
  for (const issue of issues) {
    const keys = (issue.path ?? []).map(({ key }) => quotedName(String(key)));
    const field = keys.join('.');
    const list = listOf(issue);
    if (list !== undefined) {
      const ofList = entries.get(list) ?? new Set();
      entries.set(list, ofList.add(field));
      if (ofList.size > MAX_ENTRIES) continue;
    }
    if (!reasons.has(field)) reasons.set(field, issue.message);
  }
  for (const [list, { size }] of entries) {
    const more = size - MAX_ENTRIES;
    if (more > 0 && !reasons.has(list)) reasons.set(list, `has ${more} more invalid entries`);
  }
  return Object.fromEntries([...reasons].slice(0, MAX_FIELDS));
}

/** The path of the list whose entry the issue is about. */
function listOf({ path }: BodyIssue): string | undefined {
  const at = path?.findIndex(({ type }) => type === 'array') ?? -1;
  return at < 0
    ? undefined
    : path
        ?.slice(0, at)
        .map(({ key }) => String(key))
        .join('.');
}
