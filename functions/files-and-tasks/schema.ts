/** The schemas, limits and errors that the routes of this API share. */
import type { BaseIssue } from 'valibot';
import * as v from 'valibot';
import { Problem, type ProblemCode } from '../../shared/core/problem.ts';
import type { StageLimited } from '../../shared/core/stage-limits.ts';
import type { Vault } from '../../shared/core/vault.ts';
import type { Admit } from '../../shared/lanes/admission.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Blobs, Outbound, Post } from '../../shared/ports.ts';
import type { HasPrice } from '../../shared/tasks/budget-fields.ts';
import type { FreshTasks } from '../../shared/tasks/fresh-tasks.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import type { CredentialOwners } from '../http/credentials.ts';
import type { ApiContext, Query } from '../http/route.ts';

/** All reads of the API share this limit. */
export const READS: Limit = { name: 'reads', minute: 600, inBlocks: true };

/** Writes that have no limit of their own. */
export const WRITES: Limit = { name: 'writes', minute: 120 };

/** A text that must be there: absent, null and empty are all missing. */
export const required = (field: string, missing: string) =>
  v.nullish(v.pipe(v.string(`${field} must be a string`), v.minLength(1, missing)), '');

export const DEFAULT_PAGE = 20;
export const MAX_PAGE = 100;

/** `limit` and `cursor` of a list. An invalid value is rejected, never adjusted. */
export function pageIn(query: Query): { limit: number; after?: string } {
  const text = query.get('limit');
  const limit = text === null ? DEFAULT_PAGE : Number(text);
  if ((text !== null && !/^\d{1,3}$/.test(text)) || limit < 1 || limit > MAX_PAGE) {
    throw new Problem('invalid', `limit must be a whole number from 1 to ${MAX_PAGE}`);
  }
  const after = query.get('cursor');
  return { limit, ...(after ? { after } : {}) };
}

/** The status of each problem. The body of an error is an object with the one field `error`. */
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
  unreadableFile: 422,
  unsupportedType: 415,
};

export function render(problem: Problem | 'bug'): { status: number; body: { error: string } } {
  const status = problem === 'bug' ? 500 : STATUS[problem.code];
  // The specification exposes missing storage, and no other internal error.
  const isShown = problem !== 'bug' && (status !== 500 || problem.code === 'noStorage');
  return { status, body: { error: isShown ? problem.message : 'Internal server error' } };
}

/** Returns one message: the first in the specification's order, otherwise the first in the schema's. */
export function invalid(issues: readonly BaseIssue<unknown>[]): Problem {
  const messages = issues.map(({ message }) => message);
  const message = FIRST_FAULTS.find((fault) => messages.includes(fault)) ?? messages[0];
  return new Problem('invalid', message ?? 'Missing required fields');
}

/** Callers have an API key, in either of two headers. */
export type FilesContext = ApiContext &
  StageLimited &
  CredentialOwners & {
    blobs: Blobs;
    outbound: Outbound;
    hints: Hints;
    fresh?: Pick<FreshTasks, 'keep'>;
    /** Throws if the organization or the lane is over its limit of work. */
    admit: Admit;
    /** The reason why results cannot be sent to this URL; `undefined`: they can. */
    faultOfEndpoint: (address: string, ownHosts: string[]) => string | undefined;
    /** The root URLs of both APIs, whose `/webhooks/discard` takes the place of a receiver. */
    serviceUrls: readonly string[];
    hasPrice: HasPrice;
    /** For the webhook test: `vault` has the signing secret, and `post` sends to the receiver. */
    vault: Vault;
    post: Post;
  };

/** These faults are reported first, in this order, one at a time. */
export const FIRST_FAULTS = [
  'delivery.type must be "webhook"',
  'delivery.config.endpoint is required',
  'input.type must be "chat"',
  'input.prompt is required',
  'namespace is required',
  'input.model must be a non-empty string if provided',
] as const;
