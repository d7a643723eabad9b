/** Serves the reference page at `/docs`, with the demo credentials in it: to this machine's own browser only. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Standing } from '../demo.ts';
import { type Contract, referencePage } from './page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/;

export type DocsLocal = {
  /** Of each API: scheme, host and port. */
  roots: Record<'files' | 'agents', string>;
  organizations: Pick<Standing, 'name' | 'apiKey' | 'username' | 'password'>[];
};

type Page = { type: string; text: () => Promise<string> };

const fromFile = (path: string) => () => readFile(join(ROOT, path), 'utf8');
const contractIn = async (path: string): Promise<Contract> => JSON.parse(await fromFile(path)()) as Contract;

async function wholePage(): Promise<string> {
  const [files, agents] = await Promise.all(
    ['files-and-tasks', 'agents'].map((name) => contractIn(`contracts/${name}.openapi.json`)),
  );
  return referencePage([
    { name: 'files', contract: files as Contract },
    { name: 'agents', contract: agents as Contract },
  ]);
}

export function docsServer(local: DocsLocal) {
  let page: Promise<string> | undefined;
  const pages: Record<string, Page> = {
    '/docs': { type: 'text/html', text: () => (page ??= wholePage()) },
    '/docs/docs.css': { type: 'text/css', text: fromFile('assets/docs/docs.css') },
    '/docs/docs.js': { type: 'text/javascript', text: fromFile('assets/docs/docs.js') },
    '/docs/local.json': { type: 'application/json', text: async () => JSON.stringify(local) },
    '/llms.txt': { type: 'text/plain', text: fromFile('contracts/llms.txt') },
  };
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${local.roots.files} ${local.roots.agents}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  return async ({ url = '', method, headers: { host = '' } }: IncomingMessage, response: ServerResponse) => {
    const found = pages[(url.split('?')[0] ?? '').replace(/(?<=.)\/$/, '')];
    // A name that somebody else points at this machine must not read the credentials.
    const status = LOOPBACK.test(host) ? (found && (method === 'GET' || method === 'HEAD') ? 200 : 404) : 403;
    const text = status === 200 && found ? await found.text() : '';
    response
      .writeHead(status, {
        'content-type': `${status === 200 && found ? found.type : 'text/plain'}; charset=utf-8`,
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      .end(text);
  };
}
