/** The clients of both APIs for the signed-in user. */

import { type Agents, agents, ErrandError, type FilesAndTasks, filesAndTasks } from '../client/src/index.ts';
import { config } from './config.ts';
import { endSession, session } from './session.ts';

/** The parts of both clients that the console uses. */
type Apis = Pick<FilesAndTasks, 'files' | 'tasks' | 'models' | 'workflows' | 'rulesets'> & { agents: Agents };

/** A user is waiting: longer retries are shown as an error with the time to try again. */
const PATIENCE = { retries: 2, maxWaitMs: 2_000 };

let cached: { token: string; apis: Apis } | undefined;

export function api(): Apis {
  const token = session.get()?.token ?? '';
  if (cached?.token === token) return cached.apis;
  const { filesUrl, agentsUrl, wsUrl } = config;
  const agentsApi = agents({ rootUrl: agentsUrl, wsUrl, accessToken: token, ...PATIENCE });
  // Without a token every call returns 401, which ends the session.
  cached = {
    token,
    apis: { ...filesAndTasks({ baseUrl: filesUrl, apiKey: token || 'none', ...PATIENCE }), agents: agentsApi },
  };
  return cached.apis;
}

/** Converts any thrown value into an error with a remedy. A rejected token ends the session. */
export function faultOf(error: unknown): ErrandError {
  if (!(error instanceof ErrandError)) {
    return new ErrandError('INTERNAL_ERROR', error instanceof Error ? error.message : String(error), { cause: error });
  }
  if (error.code === 'UNAUTHORIZED') endSession('expired');
  return error;
}
