/** Serves the console to this machine's own browser, and beside it what only this machine has: its mails, caught webhooks. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { CATCHER_PATH } from '../../../engines/outbound/policy.ts';
import { bearerIn } from '../../../functions/http/bearer.ts';
import type { LocalContext } from '../../../local/context.ts';
import { OUTBOX_PATH, outbox } from '../../../local/outbox.ts';
import { tokenAuthenticator } from '../../../shared/accounts/access-tokens.ts';
import {
  CONSOLE_CONFIG,
  CONSOLE_FOLDER,
  CONSOLE_PAGE,
  type ConsoleConfig,
  consolePolicy,
  escapeHtml,
} from '../../../shared/core/console.ts';
import type { ProductOptions } from '../product.ts';
import { builtConsole } from './built-console.ts';
import { catcher } from './catcher.ts';
import { LOCAL_FOLDER } from './console-at.ts';
import { mailsIn } from './mails.ts';

export type ConsoleLocal = Pick<ProductOptions, 'ports' | 'organizations'> & {
  local: Pick<LocalContext, 'table' | 'clock' | 'vault' | 'folder' | 'secrets'>;
};

type Answer = { status: number; type: string; body: string | Buffer; isKept?: boolean };

/** A name that somebody else points at this machine must read nothing of it. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/;
const FILE = /^[\w-]+\.\w+$/;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const NOT_FOUND: Answer = { status: 404, type: 'text/plain', body: 'There is nothing here.' };
const REFUSED: Answer = { status: 403, type: 'text/plain', body: 'This is for this machine alone.' };

export function consoleServer({ local, ports: [files, agents], organizations }: ConsoleLocal) {
  const [own, people, socket] = [`http://127.0.0.1:${files}`, `http://127.0.0.1:${agents}`, `ws://127.0.0.1:${agents}`];
  const headers = {
    'content-security-policy': consolePolicy([own, people, socket]),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };
  const config: ConsoleConfig & { local: object } = {
    filesUrl: `${own}/api/v1`,
    agentsUrl: people,
    wsUrl: socket,
    local: {
      catcherUrl: own + CATCHER_PATH,
      people: organizations.flatMap(({ name, username, password }) =>
        password === null ? [] : [{ organization: name, username, password }],
      ),
    },
  };
  const caught = catcher(local);
  const tokenOwner = tokenAuthenticator(local);
  const mails = mailsIn(local.folder.mail);
  const pages = outbox(local.folder.mail);

  async function organizationOf({ headers: { authorization } }: IncomingMessage): Promise<string | undefined> {
    const token = bearerIn({ headers: { authorization } });
    return token === undefined ? undefined : (await tokenOwner(token))?.organization;
  }

  async function answerTo(request: IncomingMessage, path: string): Promise<Answer> {
    const {
      method,
      headers: { host = '' },
    } = request;
    if (!LOOPBACK.test(host)) return REFUSED;
    if (method !== 'GET' && method !== 'HEAD') return NOT_FOUND;
    if (path === CONSOLE_PAGE) return pageWith(config);
    if (path === `${LOCAL_FOLDER}webhooks`) return jsonOf({ webhooks: caught.arrivals(await organizationOf(request)) });
    if (path === `${LOCAL_FOLDER}mails`) return jsonOf({ mails: await mails() });
    const name = path.slice(CONSOLE_FOLDER.length);
    return path.startsWith(CONSOLE_FOLDER) && FILE.test(name) ? fileAt(join('assets', name)) : NOT_FOUND;
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.startsWith(CATCHER_PATH)) return caught.take(request, response);
    if (path.startsWith(OUTBOX_PATH)) return pages(request, response);
    const { status, type, body, isKept } = await answerTo(request, path);
    const kept = isKept ? 'public, max-age=31536000, immutable' : 'no-store';
    const sized = { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': kept };
    response.writeHead(status, { ...headers, ...sized }).end(request.method === 'HEAD' ? undefined : body);
  };
}

const jsonOf = (value: object): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(value) });

async function pageWith(config: ConsoleConfig): Promise<Answer> {
  const { body, ...page } = await fileAt('index.html');
  const told = body.toString().replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  return { ...page, body: told, isKept: false };
}

/** Names below the folder say what is in them: whoever has a file need never ask for it again. */
async function fileAt(path: string): Promise<Answer> {
  try {
    const body = await readFile(join(await builtConsole(), path));
    return { status: 200, type: TYPES[extname(path)] ?? 'application/octet-stream', body, isKept: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? NOT_FOUND : { status: 503, type: 'text/plain', body: message };
  }
}
