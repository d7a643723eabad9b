/** Where the console and the reference are served. Their code is loaded on the first request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OUTBOX_PATH } from '../../adapters/local/mail-pages.ts';
import type { Mount } from '../../adapters/local/server.ts';
import { CATCHER_PATH } from '../../engines/outbound/ssrf-policy.ts';
import { CONSOLE_FOLDER, CONSOLE_PAGE } from '../../shared/core/console.ts';
import type { ConsoleLocal } from './console-server.ts';
import type { ProductOptions } from './product.ts';
import type { DocsLocal } from './reference-page.ts';

// Where the console and what it shows of this machine are served. Their programs are loaded when somebody asks for them.

/** What the console asks of this machine alone, not part of any contract. */
export const LOCAL_FOLDER = '/console/';

export function consoleAt(local: ConsoleLocal): Mount[] {
  const load = async () => (await import('./console-server.ts')).consoleServer(local);
  let serving: ReturnType<typeof load> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  const folders = [CONSOLE_FOLDER, LOCAL_FOLDER, CATCHER_PATH, OUTBOX_PATH].map((prefix) => ({ prefix, serve }));
  return [{ prefix: CONSOLE_PAGE, isPage: true, serve }, ...folders];
}

/** Where the reference page is served. Its program is loaded when somebody asks for it. */
export function docsAt({
  ports: [files, agents],
  organizations,
}: Pick<ProductOptions, 'ports' | 'organizations'>): Mount[] {
  const local: DocsLocal = {
    roots: { files: `http://127.0.0.1:${files}`, agents: `http://127.0.0.1:${agents}` },
    organizations: organizations.map(({ name, apiKey, username, password }) => ({ name, apiKey, username, password })),
  };
  let serving: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./reference-page.ts')).docsServer(local);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  return ['/docs', '/llms.txt'].map((prefix) => ({ prefix, serve }));
}
