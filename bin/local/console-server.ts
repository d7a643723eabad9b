/** Serves the console to browsers on this machine, with its mails and caught webhooks. */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import type { Address } from 'postal-mime';
import { newestMails, OUTBOX_PATH, outbox } from '../../adapters/local/mail-outbox.ts';
import type { Caught } from '../../console/machine/local-answers.ts';
import { CATCHER_PATH } from '../../engines/outbound/ssrf-policy.ts';
import { bearerIn } from '../../functions/http/route.ts';
import { tokenAuthenticator } from '../../shared/accounts/access-tokens.ts';
import { listOrganizations, organizationById } from '../../shared/accounts/organizations.ts';
import { modelConnections as storedOrEnvironment } from '../../shared/accounts/stored-connections.ts';
import { currentSecrets } from '../../shared/accounts/webhook-secrets.ts';
import {
  CONSOLE_CONFIG,
  CONSOLE_FOLDER,
  CONSOLE_PAGE,
  type ConsoleConfig,
  consolePolicy,
  escapeHtml,
} from '../../shared/core/console-page.ts';
import { verifyWebhook } from '../../shared/webhooks/signing.ts';
import { builtFolder } from './built-folder.ts';
import { factsOfModels } from './model-notice.ts';
import { type ConsoleLocal, LOCAL_FOLDER } from './product-options.ts';

const builtConsole = builtFolder({
  name: 'console',
  script: 'scripts/console.ts',
  sources: [
    'console/*.*',
    'console/*/**',
    'client/src/**/*.ts',
    'scripts/console.ts',
    'scripts/console/*.ts',
    'package-lock.json',
  ],
});

/**
 * A webhook receiver for trying the product: it accepts any POST, keeps the newest in memory and verifies the
 * signature. A webhook is shown to the organization whose secret signed it; unsigned webhooks are shown to all.
 */
const MAX_ENTRIES = 100;
const MAX_BYTES = 10_485_760;
const MAX_SHOWN_BYTES = 65_536;
const MAX_HEADERS = 40;
const MAX_HEADER_CHARACTERS = 1_000;

type CaughtDelivery = Caught & { owner: string | undefined };

function catcher({ table, clock, vault }: ConsoleLocal['local']) {
  const deliveries: CaughtDelivery[] = [];
  let seq = 0;

  async function verify(
    received: Parameters<typeof verifyWebhook>[1],
  ): Promise<Pick<CaughtDelivery, 'owner' | 'signatures'>> {
    const organizations = await listOrganizations(table);
    const candidates = await Promise.all(
      organizations.map(async ({ id }) => {
        const secrets = await currentSecrets({ table, clock, vault }, id);
        const texts = secrets.map(({ secret }) => secret);
        return { owner: id, signatures: verifyWebhook(texts, received) };
      }),
    );
    return candidates.find(({ signatures }) => signatures.length > 0) ?? { owner: undefined, signatures: [] };
  }

  async function keep({ headers, url = '' }: IncomingMessage, body: Buffer, answered: number): Promise<void> {
    const now = clock.now();
    const { owner, signatures } = await verify({ headers, body: body.toString(), now });
    deliveries.unshift({
      owner,
      seq: ++seq,
      at: new Date(now).toISOString(),
      path: url.slice(0, MAX_HEADER_CHARACTERS),
      signatures,
      headers: headerEntries(headers),
      body: body.subarray(0, MAX_SHOWN_BYTES).toString(),
      bytes: body.byteLength,
      isCut: body.byteLength > MAX_SHOWN_BYTES,
      answered,
    });
    deliveries.length = Math.min(deliveries.length, MAX_ENTRIES);
  }

  return {
    /** Newest first: webhooks of the organization, and those of no organization. */
    arrivals: (organization: string | undefined): Caught[] =>
      deliveries.flatMap(({ owner, ...caught }) => (owner === undefined || owner === organization ? [caught] : [])),
    async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (request.method !== 'POST') return respond(response, 405, 'The catcher takes POST.', { allow: 'POST' });
      const body = await bodyOf(request);
      if (body === undefined) return respond(response, 413, 'Too much.', { connection: 'close' });
      const status = requestedStatus(request.url);
      await keep(request, body, status);
      respond(response, status, status < 400 ? 'Received.' : 'Rejected, as the URL asks.');
    },
  };
}

function respond(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff', ...headers });
  response.end(status === 204 || status === 304 ? undefined : text);
}

/** The status that the URL requests, such as `?answer=503`, to see how a failed delivery is handled. */
function requestedStatus(url = ''): number {
  const requested = new URLSearchParams(url.split('?')[1]).get('answer') ?? '';
  return /^[2-5]\d\d$/.test(requested) ? Number(requested) : 200;
}

const headerEntries = (headers: IncomingMessage['headers']): Caught['headers'] =>
  Object.entries(headers)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [name, String(value).slice(0, MAX_HEADER_CHARACTERS)]);

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Limits the text of a mail in the console's list; the outbox has a page for each mail. */
const MAX_CHARACTERS = 300;

const namesOf = (to: Address[] = []): string => to.map(({ address, name }) => address ?? name).join(', ');

const mailsIn = (folder: string) => async () =>
  (await newestMails(folder)).map(({ name, mail: { subject, to, date, text, html } }) => ({
    name,
    subject: (subject ?? '').slice(0, MAX_CHARACTERS),
    to: namesOf(to).slice(0, MAX_CHARACTERS),
    at: date ?? null,
    text: (text ?? '').trim().slice(0, MAX_CHARACTERS),
    htmlPath: html === undefined ? null : `${OUTBOX_PATH}${name}/html`,
    rawPath: `${OUTBOX_PATH}${name}/raw`,
  }));

type Answer = { status: number; type: string; body: string | Buffer; isKept?: boolean };

/** Only these hosts, because a foreign site may point its own domain at this machine (DNS rebinding). */
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

export function consoleServer({ local, ports: [files, agents], organizations, modelConnections }: ConsoleLocal) {
  const [filesOrigin, agentsOrigin, socketOrigin] = [
    `http://127.0.0.1:${files}`,
    `http://127.0.0.1:${agents}`,
    `ws://127.0.0.1:${agents}`,
  ];
  const headers = {
    'content-security-policy': consolePolicy([filesOrigin, agentsOrigin, socketOrigin]),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };
  const config: ConsoleConfig & { local: object } = {
    filesUrl: `${filesOrigin}/api/v1`,
    agentsUrl: agentsOrigin,
    wsUrl: socketOrigin,
    local: {
      catcherUrl: filesOrigin + CATCHER_PATH,
      demoUsers: organizations.flatMap(({ name, username, password }) =>
        password === null ? [] : [{ organization: name, username, password }],
      ),
    },
  };
  const caught = catcher(local);
  const tokenOwner = tokenAuthenticator(local);
  const mails = mailsIn(local.folder.mail);
  const pages = outbox(local.folder.mail);
  const connections = { ...local, environment: modelConnections };
  const finding = { connectionOf: storedOrEnvironment(connections), ownProfiles: local.models.table };

  async function organizationOf({ headers: { authorization } }: IncomingMessage): Promise<string | undefined> {
    const token = bearerIn({ headers: { authorization } });
    return token === undefined ? undefined : (await tokenOwner(token))?.organization;
  }

  /** By path, what the pages ask of this machine; for nobody in particular if they are not logged in. */
  const forPages: Record<string, (organization: string | undefined) => Promise<object>> = {
    [`${LOCAL_FOLDER}webhooks`]: async (organization) => ({ webhooks: caught.arrivals(organization) }),
    [`${LOCAL_FOLDER}mails`]: async () => ({ mails: await mails() }),
    async [`${LOCAL_FOLDER}models`](id) {
      const organization = await organizationById(local.table, id ?? '');
      return { models: organization ? await factsOfModels(organization, finding) : [] };
    },
  };

  async function answerTo(request: IncomingMessage, path: string): Promise<Answer> {
    const {
      method,
      headers: { host = '' },
    } = request;
    if (!LOOPBACK.test(host)) return REFUSED;
    if (method !== 'GET' && method !== 'HEAD') return NOT_FOUND;
    if (path === CONSOLE_PAGE) return pageWith(config);
    const answerFor = Object.hasOwn(forPages, path) ? forPages[path] : undefined;
    if (answerFor) return jsonOf(await answerFor(await organizationOf(request)));
    const name = path.slice(CONSOLE_FOLDER.length);
    return path.startsWith(CONSOLE_FOLDER) && FILE.test(name) ? fileAt(join('assets', name)) : NOT_FOUND;
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.startsWith(CATCHER_PATH)) return caught.take(request, response);
    if (path.startsWith(OUTBOX_PATH)) return pages(request, response);
    const { status, type, body, isKept } = await answerTo(request, path);
    const cacheControl = isKept ? 'public, max-age=31536000, immutable' : 'no-store';
    const sized = { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': cacheControl };
    response.writeHead(status, { ...headers, ...sized }).end(request.method === 'HEAD' ? undefined : body);
  };
}

const jsonOf = (value: object): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(value) });

async function pageWith(config: ConsoleConfig): Promise<Answer> {
  const { body, ...page } = await fileAt('index.html');
  const message = body.toString().replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  return { ...page, body: message, isKept: false };
}

/** File names contain a hash of the content, so clients may cache files for ever. */
async function fileAt(path: string): Promise<Answer> {
  try {
    const body = await readFile(join(await builtConsole(), path));
    return { status: 200, type: TYPES[extname(path)] ?? 'application/octet-stream', body, isKept: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? NOT_FOUND : { status: 503, type: 'text/plain', body: message };
  }
}
