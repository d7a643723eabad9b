/** Errors of the Files & Tasks API: an object with the one field `error`. */
import type { BaseIssue } from 'valibot';
import { Problem, type ProblemCode } from '../../shared/core/problem.ts';
import { FIRST_FAULTS } from './task-schema.ts';

export const STATUS: Record<ProblemCode, number> = {
  atCapacity: 503,
  badCursor: 400,
  badSetting: 500,
  busy: 503,
  forbidden: 403,
  idempotencyMismatch: 422,
  idempotencyRunning: 409,
  invalid: 400,
  methodNotAllowed: 405,
  notCancellable: 409,
  notCompleted: 409,
  noStorage: 500,
  noSuchPath: 404,
  notFound: 404,
  rateLimited: 429,
  tooLarge: 413,
  unauthorized: 401,
  unreadable: 500,
  unsupportedType: 415,
};

export function render(problem: Problem | undefined): { status: number; body: { error: string } } {
  const status = problem ? STATUS[problem.code] : 500;
  // The specification names the missing storage, and nothing else of the inside.
  const isTold = problem && (status !== 500 || problem.code === 'noStorage');
  return { status, body: { error: isTold ? problem.message : 'Internal server error' } };
}

/** One message at a time: the first in the specification's order, then the first in the schema's. */
export function invalid(issues: readonly BaseIssue<unknown>[]): Problem {
  const messages = issues.map(({ message }) => message);
  const first = FIRST_FAULTS.find((fault) => messages.includes(fault)) ?? messages[0];
  return new Problem('invalid', first ?? 'Missing required fields');
}
