/** Serves the mails of this machine, a folder of .eml files, without running their content. */

import { createReadStream, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Email } from 'postal-mime';
import { type ListedMail, listPage, mailPage, missingPage, toPreviewHtml } from './mail-pages.ts';
import { durableFiles } from './state-folder.ts';

export const OUTBOX_PATH = '/mail/';

const MAX_LISTED = 200;
const NAME = /^[\dTZ-]+-[\da-f-]{36}\.eml$/;
/** Only these hosts, because a foreign site may point its own domain at this machine (DNS rebinding). */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'";
/** The policy of our own pages: lists, links and the frame of a mail. */
const OWN = `${NOTHING}; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'none'`;
/** The policy of a mail: no scripts, no external files, no access to the page around it; links open in a new window. */
const STRANGE = `sandbox allow-popups allow-popups-to-escape-sandbox; ${NOTHING}; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'`;

type Answer = { status?: number; page: string; policy?: string };

export function outbox(folder: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!LOOPBACK.test(request.headers.host ?? '')) return send(response, { status: 403, page: missingPage() });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, { status: 405, page: missingPage() });
    }
    const path = (request.url ?? '').split('?')[0] ?? '';
    const [name = '', part] = path.slice(OUTBOX_PATH.length).split('/');
    if (name === '') return send(response, { page: listPage(await newestMails(folder)) });
    if (!NAME.test(name)) return send(response, { status: 404, page: missingPage() });
    if (part === 'raw') return sendRaw(response, join(folder, name));
    return send(response, await mailAnswer(folder, name, part));
  };
}

async function mailAnswer(folder: string, name: string, part: string | undefined): Promise<Answer> {
  const mail = await read(folder, name);
  if (!mail || (part !== undefined && part !== 'html')) return { status: 404, page: missingPage() };
  return part === 'html' ? { page: toPreviewHtml(mail), policy: STRANGE } : { page: mailPage(name, mail) };
}

/** Newest first. */
export async function newestMails(folder: string): Promise<ListedMail[]> {
  const names = namesIn(folder).toSorted().toReversed().slice(0, MAX_LISTED);
  const mails = await Promise.all(names.map(async (name) => ({ name, mail: await read(folder, name) })));
  return mails.filter((entry): entry is ListedMail => entry.mail !== undefined);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch (error) {
    return durableFiles.absentAs<string[]>([])(error as NodeJS.ErrnoException);
  }
}

async function read(folder: string, name: string): Promise<Email | undefined> {
  const bytes = await readFile(join(folder, name)).catch(durableFiles.absentAs(undefined));
  if (!bytes) return undefined;
  // Only the pages of the mails need it.
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(bytes, { attachmentEncoding: 'base64' });
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

function send(response: ServerResponse, { status = 200, page, policy = OWN }: Answer): void {
  response
    .writeHead(status, { ...COMMON, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .end(page);
}

/** Sent as a download, never displayed. */
async function sendRaw(response: ServerResponse, file: string): Promise<void> {
  const stats = await stat(file).catch(durableFiles.absentAs(undefined));
  if (!stats) return send(response, { status: 404, page: missingPage() });
  response.writeHead(200, {
    ...COMMON,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="mail.eml"',
    'content-length': stats.size,
  });
  createReadStream(file).pipe(response);
}
