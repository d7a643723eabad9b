/** The WebSocket channel over the local state and a real port, with a clock that a test moves; tasks run beside it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openLocal } from '../../../adapters/local/context.ts';
import { openConnections } from '../../../bin/local/socket-connections.ts';
import { isLoopbackOrigin } from '../../../functions/http/route.ts';
import type { Role } from '../../../shared/accounts/caller.ts';
import type { Organization } from '../../../shared/accounts/organizations.ts';
import { type User, userDraft } from '../../../shared/accounts/users.ts';
import { issueWebsocketToken } from '../../../shared/accounts/websocket-tokens.ts';
import { logger } from '../../../shared/core/log.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { hintsOver } from '../../../shared/tasks/hints.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { setClock } from '../../ports/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export type SocketSetup = Awaited<ReturnType<typeof openSockets>>;

/** Tasks that finish at once. */
export const THREE_STAGES: Stage[] = ['one', 'two', 'three'].map((name) => ({
  name,
  run: async () => ({ text: name }),
}));

export async function openSockets() {
  const folder = temporaryFolder();
  const clock = setClock();
  const local = openLocal({ ERRAND_STATE: join(folder.path, 'state') }, { clock });
  const { table, ids, secrets } = local;
  const lines: string[] = [];
  const log = logger({ clock, write: (line) => lines.push(line), minLevel: 'info' });
  const limits: Organization['limits'] = {};
  const organizationOf = async (id: string): Promise<Organization> => ({
    id,
    name: id,
    createdAt: 0,
    models: [],
    limits,
  });
  const connections = openConnections(local, { log, organizationOf });
  const http = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  connections.serve(http, isLoopbackOrigin);
  const wsUrl = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const hints = hintsOver({ ...local.queues, log });
  const organization = ids.uuid();

  async function user(of = organization, role: Role = 'member'): Promise<User> {
    const id = ids.uuid();
    const created: User = { id, name: id, organization: of, role, disabled: false, createdAt: clock.now() };
    await table.insert(userDraft(created));
    return created;
  }

  async function token(of?: string, who?: User): Promise<string> {
    const { id, organization: theirs, role } = who ?? (await user(of));
    const caller = { organization: theirs, role, by: `user:${id}` };
    return (await issueWebsocketToken({ table, clock, ids, secrets }, caller)).token;
  }

  const ports = { table, clock, hints, log, ...connections.options };

  return {
    ...local,
    ...ports,
    ports,
    wsUrl,
    lines,
    limits,
    organization,
    connections,
    user,
    token,
    async submit(more: { metadata?: Record<string, string> } = {}, of = organization): Promise<TaskAddress> {
      const address = { organization: of, taskId: ids.uuid() };
      const about = { input: {}, ...more };
      await submitTask(ports, address, { face: 'agents', type: 'research_agent', priority: 5, about });
      return address;
    },
    run: (address: TaskAddress, stages: Stage[] = THREE_STAGES) => {
      const agents = { research_agent: { stages: () => stages } };
      const every = () => () => undefined;
      return runTask({ ...ports, every, agents }, address, new AbortController().signal);
    },
    async close() {
      connections.stop();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      local.close();
      folder.remove();
    },
  };
}
