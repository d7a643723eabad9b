/** Errors of the background-agent API: an object `error` with exactly five fields. */
import type { BaseIssue } from 'valibot';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import { Problem, type ProblemCode } from '../../shared/core/problem.ts';
import { validSources } from '../../shared/sources/source.ts';
import type { RenderOptions } from '../http/face.ts';
import { reasonsIn } from './reasons.ts';

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
  unsupportedType: [415, 'UNSUPPORTED_MEDIA_TYPE'],
};

/** The same words whatever is wrong with the credential. */
export const badCredential = (): Problem =>
  new Problem('unauthorized', 'Missing or invalid access token or API key: log in again, or check the key.');

export function render(
  problem: Problem | undefined,
  { requestId, at, organization }: RenderOptions,
): { status: number; body: unknown } {
  const [status, code] = problem ? KINDS[problem.code] : [500, 'INTERNAL_ERROR'];
  const shown = status === 500 ? undefined : problem;
  return {
    status,
    body: {
      error: {
        code,
        message: shown?.message ?? 'Something went wrong on our side; quote the request id when you ask about it.',
        details: code === 'TASK_VALIDATION_FAILED' ? validationDetails(shown, organization) : (shown?.details ?? {}),
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

/** All offending fields at once, nested names with dots, and what is wrong with each. */
export const invalid = (issues: readonly BaseIssue<unknown>[]): Problem => invalidFields(reasonsIn(issues));

export const invalidFields = (reasons: Record<string, string>): Problem => {
  const fields = Object.keys(reasons);
  const message = `Correct these fields: ${fields.join(', ')}.`;
  return new Problem('invalid', message, { details: { invalid_fields: fields, reasons } });
};
