/** All operations of both APIs, from their route tables: a new one is attacked automatically, or the run fails. */
import { agents } from '../../../functions/agents/api.ts';
import { login } from '../../../functions/agents/login.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { takesBody } from '../../../functions/http/route.ts';
import type { Role } from '../../../shared/accounts/caller.ts';
import type { Belongings } from '../../functions/both-apis/belongings.ts';
import type { FaceName, Sent } from './attack-target.ts';
import type { Tenant } from './tenants.ts';

export type Operation = {
  face: FaceName;
  name: string;
  method: string;
  path: string;
  caller: 'anyone' | Role;
  /** The name of the limit that the operation counts against. */
  limit: string | undefined;
};
export type Ids = Record<string, string>;

const TABLES = { files: filesAndTasks.routes, agents: [...agents.routes, ...login.routes] } as const;

export const OPERATIONS: readonly Operation[] = (['files', 'agents'] as const).flatMap((face) =>
  TABLES[face].map(({ method, path, caller, limit }) => {
    return { face, name: `${face} ${method} ${path}`, method, path, caller, limit: limit?.name };
  }),
);

const RANDOM = '01900000-0000-7000-8000-00000000abcd';

const shownId = (face: FaceName, id: string): string => (face === 'agents' ? `task_${id}` : id);

export const idsOf = (face: FaceName, { fileId, tasks }: Belongings): Ids => {
  const { taskId, deliveryId } = tasks[face === 'files' ? 'files-and-tasks' : 'agents'];
  // The link of a mail names its organization itself and is valid for no other one.
  return { fileId, taskId: shownId(face, taskId), deliveryId, source: '1', token: RANDOM };
};

export const unknownIds = (face: FaceName): Ids => ({
  fileId: RANDOM,
  taskId: shownId(face, RANDOM),
  deliveryId: `evt_${RANDOM}_cancelled`,
  source: '1',
  token: 'x',
});

/** An operation with an id in its body. */
export const ID_IN_BODY = 'agents POST /api/v1/tasks';

const BODIES: Record<string, (ids: Ids) => object> = {
  [ID_IN_BODY]: ({ taskId }) => ({
    task_type: 'research_agent',
    input: { query: 'How high is the tide?', previous_task_id: taskId },
  }),
  'files POST /api/v1/files/:fileId/complete': () => ({
    fileName: 'a.txt',
    mimeType: 'a/b',
    size: 1,
    storagePath: 'uploads/x',
  }),
};

/** Throws when a path parameter has no id. */
export function requestOf({ name, method, path }: Operation, ids: Ids): Sent {
  const filled = path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const id = ids[part];
    if (id === undefined) throw new Error(`${name}: no id is known for :${part}; add one in operations.ts`);
    return id;
  });
  return { method, path: filled, ...(takesBody(method) ? { json: BODIES[name]?.(ids) ?? {} } : {}) };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export type Credential = { name: string; headers: Record<string, string>; role: Role | undefined };

/** `role` on both APIs; `undefined`: the credential is invalid. */
export function credentialsOf({ apiKey, tokens }: Tenant): Credential[] {
  const role = (name: Role): Credential => ({ name, headers: bearer(tokens[name]), role: name });
  return [
    { name: 'nothing', headers: {}, role: undefined },
    { name: 'an API key', headers: bearer(apiKey), role: 'member' },
    { name: 'an API key in x-api-key', headers: { 'x-api-key': apiKey }, role: 'member' },
    { name: 'an access token in x-api-key', headers: { 'x-api-key': tokens.admin }, role: undefined },
    { name: 'a bad Bearer before a good x-api-key', headers: { ...bearer('x'), 'x-api-key': apiKey }, role: undefined },
    { name: 'half an API key', headers: bearer(apiKey.slice(0, -6)), role: undefined },
    ...(['viewer', 'member', 'admin'] as const).map(role),
  ];
}
