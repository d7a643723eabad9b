/** Where the console and what it shows of this machine are served. Their programs are loaded when somebody asks for them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CATCHER_PATH } from '../../../engines/outbound/policy.ts';
import { OUTBOX_PATH } from '../../../local/outbox.ts';
import type { Mount } from '../../../local/server.ts';
import { CONSOLE_FOLDER, CONSOLE_PAGE } from '../../../shared/core/console.ts';
import type { ConsoleLocal } from './serve-console.ts';

/** What the console asks of this machine alone, not part of any contract. */
export const LOCAL_FOLDER = '/console/';

export function consoleAt(local: ConsoleLocal): Mount[] {
  const load = async () => (await import('./serve-console.ts')).consoleServer(local);
  let serving: ReturnType<typeof load> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  const folders = [CONSOLE_FOLDER, LOCAL_FOLDER, CATCHER_PATH, OUTBOX_PATH].map((prefix) => ({ prefix, serve }));
  return [{ prefix: CONSOLE_PAGE, isPage: true, serve }, ...folders];
}
