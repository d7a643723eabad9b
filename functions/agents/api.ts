/** The background-agent API: its callers, errors and context. */

import type { BaseIssue } from 'valibot';
import type { Caller } from '../../shared/accounts/caller.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import type { UsualDuration } from '../../shared/agents/agent-task.ts';
import type { Vault } from '../../shared/core/crypto.ts';
import { Problem, type ProblemCode } from '../../shared/core/problem.ts';
import type { StageLimited } from '../../shared/core/stage.ts';
import type { Downloads, Post, Secrets } from '../../shared/ports.ts';
import { validSources } from '../../shared/sources/source.ts';
import type { Admit } from '../../shared/tasks/admission.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import type { FreshTasks } from '../../shared/tasks/submit.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import { type CredentialOwners, identifyByCredential } from '../http/credentials.ts';
import type { Api, RenderOptions, ShellContext } from '../http/dispatch.ts';
import type { HttpRequestMessage } from '../http/request.ts';
import { contractRoutes, healthRoutes } from '../shared-routes.ts';
import { reasonsIn } from './add-task.ts';
import { type LoginContext, loginRoute } from './login.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { websocketAuth } from './websocket-auth.ts';
import { workRoutes } from './work-routes.ts';

/** What the routes of tasks work with, besides what the shell itself needs. */
export type TasksContext = ShellContext &
  StageLimited & {
    hints: Hints;
    fresh?: Pick<FreshTasks, 'keep'>;
    notifyTask?: NotifyTask;
    /** Throws when the organization, or the lane, has more work than it may. */
    admit: Admit;
    /** Why results cannot be sent to this address; undefined = they may. */
    faultOfEndpoint: (address: string, ownHosts: string[]) => string | undefined;
    /** In milliseconds, from submit to completion. */
    usualDuration: UsualDuration;
    /** Whether anybody set up a sender of mails. */
    sendsMail: boolean;
    /** The files of results, for which addresses are signed. */
    blobs: Downloads;
    /** For the test of a webhook: what it is signed with, and the way to the receiver. */
    vault: Vault;
    post: Post;
  };

/** Errors of the background-agent API: an object `error` with exactly five fields. */
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

function render(
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
const invalid = (issues: readonly BaseIssue<unknown>[]): Problem => invalidFields(reasonsIn(issues));

export const invalidFields = (reasons: Record<string, string>): Problem => {
  const fields = Object.keys(reasons);
  const message = `Correct these fields: ${fields.join(', ')}.`;
  return new Problem('invalid', message, { details: { invalid_fields: fields, reasons } });
};

/**
 * The background-agent API: callers with an access token or an API key. Logging in is a face of its own, answered by a
 * function of its own.
 */
export type AgentsContext = TasksContext & CredentialOwners & { secrets: Secrets };

async function identify(incoming: HttpRequestMessage, owners: CredentialOwners): Promise<Caller> {
  const caller = await identifyByCredential(incoming, owners);
  if (!caller) throw badCredential();
  return caller;
}

const shape = { name: 'agents', render, invalid, takesAnyJson: false };

export const agents: Api<AgentsContext> = {
  ...shape,
  routes: [
    ...healthRoutes<AgentsContext>(),
    ...contractRoutes<AgentsContext>('agents'),
    ...workRoutes,
    websocketAuth,
    ...unsubscribeRoutes,
  ],
  identify,
};

export const login: Api<LoginContext> = {
  ...shape,
  name: 'login',
  routes: [loginRoute],
  identify: async () => {
    throw new Error('Nobody is asked for a credential here.');
  },
};
