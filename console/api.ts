/** Both APIs, called as the signed-in user. */

import { type Agents, agents, ErrandError, type FilesAndTasks, filesAndTasks } from '../client/src/index.ts';
import { config } from './config.ts';
import { endSession, session } from './session.ts';

/** Calls both APIs as the signed-in user. */
type Apis = Pick<FilesAndTasks, 'files' | 'tasks' | 'models' | 'workflows' | 'rulesets'> & { agents: Agents };

/** Somebody is waiting: what takes longer is said, with when to come back. */
const PATIENCE = { retries: 2, maxWaitMs: 2_000 };

let made: { token: string; apis: Apis } | undefined;

export function api(): Apis {
  const token = session.get()?.token ?? '';
  if (made?.token === token) return made.apis;
  const { filesUrl, agentsUrl, wsUrl } = config;
  const people = agents({ rootUrl: agentsUrl, wsUrl, accessToken: token, ...PATIENCE });
  // Without a token every call is answered with 401, which ends the session.
  made = {
    token,
    apis: { ...filesAndTasks({ baseUrl: filesUrl, apiKey: token || 'none', ...PATIENCE }), agents: people },
  };
  return made.apis;
}

/** Whatever was thrown, as an error that says what to do; a refused token ends the session. */
export function faultOf(error: unknown): ErrandError {
  if (!(error instanceof ErrandError)) {
    return new ErrandError('INTERNAL_ERROR', error instanceof Error ? error.message : String(error), { cause: error });
  }
  if (error.code === 'UNAUTHORIZED') endSession('expired');
  return error;
}
