/** Where the reference page is served. Its program is loaded when somebody asks for it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mount } from '../../../local/server.ts';
import type { ProductOptions } from '../product.ts';
import type { DocsLocal } from './serve-docs.ts';

export function docsAt({
  ports: [files, agents],
  organizations,
}: Pick<ProductOptions, 'ports' | 'organizations'>): Mount[] {
  const local: DocsLocal = {
    roots: { files: `http://127.0.0.1:${files}`, agents: `http://127.0.0.1:${agents}` },
    organizations: organizations.map(({ name, apiKey, username, password }) => ({ name, apiKey, username, password })),
  };
  let serving: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./serve-docs.ts')).docsServer(local);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  return ['/docs', '/llms.txt'].map((prefix) => ({ prefix, serve }));
}
