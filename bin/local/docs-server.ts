/** Serves the documentation of the local product: the built guides, and the reference of the APIs as a page. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { builtFolder } from './built-folder.ts';
import type { DemoOrganization } from './demo-organizations.ts';
import { type Contract, referencePage } from './reference-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/;
/** The paths of the site; none leads out of its folder. */
const SITE_PATH = /^\/docs\/((?:[a-z0-9][\w-]*\/)*)([a-z0-9][\w-]*\.(?:html|css|js|json|png|svg))?$/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

export type DocsLocal = {
  /** The origin of each API: scheme, host and port. */
  roots: Record<'files' | 'agents', string>;
  organizations: Pick<DemoOrganization, 'name' | 'apiKey' | 'username' | 'password'>[];
};

type Answer = { status: number; type?: string | undefined; body: string | Uint8Array; location?: string };
const NOT_FOUND: Answer = { status: 404, body: '' };

const builtSite = builtFolder({
  name: 'docs',
  script: 'scripts/docs-site.ts',
  sources: [
    'docs/**/*',
    '*.md',
    'client/README.md',
    'assets/docs-site/*',
    'scripts/docs-site.ts',
    'scripts/docs-site/*',
    'engines/retrieval/{words.ts,stop-words.json}',
  ],
});

const fileAt = async (path: string): Promise<Answer> => ({
  status: 200,
  type: TYPES[extname(path)],
  body: await readFile(join(ROOT, path)),
});

async function siteFile(path: string): Promise<Answer> {
  const [, folder = '', name = 'index.html'] = SITE_PATH.exec(path) ?? [];
  try {
    return { status: 200, type: TYPES[extname(name)], body: await readFile(join(await builtSite(), folder, name)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOT_FOUND;
    throw error;
  }
}

async function tryPage(): Promise<Answer> {
  const contractOf = async (name: string): Promise<Contract> =>
    JSON.parse(await readFile(join(ROOT, `contracts/${name}.openapi.json`), 'utf8'));
  const [files, agents] = await Promise.all([contractOf('files-and-tasks'), contractOf('agents')]);
  const apis = [
    { name: 'files', contract: files },
    { name: 'agents', contract: agents },
  ] as const;
  return { status: 200, type: TYPES['.html'], body: referencePage([...apis]) };
}

export function docsServer(local: DocsLocal) {
  let page: Promise<Answer> | undefined;
  const pages: Record<string, () => Promise<Answer> | Answer> = {
    '/docs': () => ({ status: 302, body: '', location: '/docs/' }),
    '/docs/try': () => (page ??= tryPage()),
    '/docs/docs.css': () => fileAt('assets/docs/docs.css'),
    '/docs/docs.js': () => fileAt('assets/docs/docs.js'),
    '/docs/local.json': () => ({ status: 200, type: TYPES['.json'], body: JSON.stringify(local) }),
    '/llms.txt': () => fileAt('contracts/llms.txt'),
  };
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${local.roots.files} ${local.roots.agents}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  async function answerTo({ url = '', method, headers: { host = '' } }: IncomingMessage): Promise<Answer> {
    // Only these hosts: a foreign site that points its domain here (DNS rebinding) must not read the credentials.
    if (!LOOPBACK.test(host)) return { status: 403, body: '' };
    if (method !== 'GET' && method !== 'HEAD') return NOT_FOUND;
    const path = url.split('?')[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page) return page();
    return SITE_PATH.test(path) ? siteFile(path) : NOT_FOUND;
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type = 'text/plain; charset=utf-8', body, location } = await answerTo(request);
    response
      .writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        ...(location === undefined ? {} : { location }),
      })
      .end(body);
  };
}
