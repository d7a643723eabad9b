/** Runs a POST once for each idempotency key, and replays its first answer to every repeat. */

import type { Caller } from '../../shared/accounts/caller.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import { claim, type End, type StoredAnswer, settle } from '../../shared/idempotency/claim.ts';
import type { ShellContext } from './api.ts';

import type { HttpRequestMessage } from './request.ts';
import type { Route, RouteAnswer } from './route.ts';

const MAX_KEY_LENGTH = 255;
/** Statuses that are replayed, in addition to 2xx. */
const KEPT_STATUSES = new Set([404, 409, 422]);

export function idempotencyKey(route: Route<never>, { headers }: HttpRequestMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || route.method !== 'POST' || route.idempotent === false) return undefined;
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw new Problem('invalid', `An Idempotency-Key has 1 to ${MAX_KEY_LENGTH} characters.`);
  }
  return key;
}

type IdempotentCall<C> = {
  route: Route<C>;
  caller: Caller;
  incoming: HttpRequestMessage;
  key: string;
  context: C;
  statusOf(problem: Problem): number;
  /** The headers of the answer to be: a replay is marked there. */
  headers: Record<string, string>;
};

export async function runOnce<C extends ShellContext>(
  call: IdempotentCall<C>,
  run: (id: string) => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const { route, caller, incoming, key, context } = call;
  const { method, path, body: bytes } = incoming;
  const found = await claim(context, { organization: caller.organization, method, path, key, body: bytes });
  if ('kept' in found) return replayAnswer(call, found.kept);

  let end: End = 'unknown';
  try {
    const answer = await run(found.held.id);
    const { status, body, headers } = answer;
    end = { kept: { status, body: route.replay ? route.replay.kept(body) : body, ...(headers ? { headers } : {}) } };
    return answer;
  } catch (error) {
    end = endOf(call, error);
    throw error;
  } finally {
    // The answer stands without it: behind the lease a repeat does the same work under the same id.
    await settle(context.table, found.held, end).catch((error) =>
      context.log.warn('an answer was not kept', { error }),
    );
  }
}

function endOf<C>({ statusOf }: IdempotentCall<C>, error: unknown): End {
  if (!isProblem(error) || statusOf(error) >= 500) return 'unknown';
  const { code, message, details } = error;
  return KEPT_STATUSES.has(statusOf(error)) ? { kept: { problem: { code, message, details } } } : 'refused';
}

async function replayAnswer<C>(
  { route, caller, context, headers }: IdempotentCall<C>,
  kept: StoredAnswer,
): Promise<RouteAnswer> {
  headers['idempotent-replayed'] = 'true';
  if ('problem' in kept) throw new Problem(kept.problem.code, kept.problem.message, { details: kept.problem.details });
  const body = route.replay ? await route.replay.again(kept.body, caller, context) : kept.body;
  return { status: kept.status, body, ...(kept.headers ? { headers: kept.headers } : {}) };
}
