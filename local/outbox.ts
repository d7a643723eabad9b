/** The mails of this machine, as pages in a browser: a list, and each mail with its parts. Nothing in a mail can act. */
import { createReadStream, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { absentAs } from './durable.ts';
import { listPage, mailPage, missingPage, shownHtml } from './outbox-pages.ts';

export const OUTBOX_PATH = '/mail/';

const MOST_LISTED = 200;
const NAME = /^[\dTZ-]+-[\da-f-]{36}\.eml$/;
/** A page of a stranger's may give this machine a name of its own. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'";
/** Ours: lists, links and the frame of a mail. */
const OWN = `${NOTHING}; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'none'`;
/** A mail's: no script, no file of anybody's, no page around it that it could reach; its links open elsewhere. */
const STRANGE = `sandbox allow-popups allow-popups-to-escape-sandbox; ${NOTHING}; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'`;

type Answer = { status?: number; page: string; policy?: string };

export function outbox(folder: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!LOOPBACK.test(request.headers.host ?? '')) return send(response, { status: 403, page: missingPage() });
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
  return part === 'html' ? { page: shownHtml(mail), policy: STRANGE } : { page: mailPage(name, mail) };
}

export type ListedMail = { name: string; mail: Email };

/** Newest first. */
export async function newestMails(folder: string): Promise<ListedMail[]> {
  const names = namesIn(folder).toSorted().toReversed().slice(0, MOST_LISTED);
  const mails = await Promise.all(names.map(async (name) => ({ name, mail: await read(folder, name) })));
  return mails.filter((one): one is ListedMail => one.mail !== undefined);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch (error) {
    return absentAs<string[]>([])(error as NodeJS.ErrnoException);
  }
}

async function read(folder: string, name: string): Promise<Email | undefined> {
  const bytes = await readFile(join(folder, name)).catch(absentAs(undefined));
  return bytes && PostalMime.parse(bytes, { attachmentEncoding: 'base64' });
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

function send(response: ServerResponse, { status = 200, page, policy = OWN }: Answer): void {
  response
    .writeHead(status, { ...COMMON, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .end(page);
}

/** To be kept, never to be shown. */
async function sendRaw(response: ServerResponse, file: string): Promise<void> {
  const found = await stat(file).catch(absentAs(undefined));
  if (!found) return send(response, { status: 404, page: missingPage() });
  response.writeHead(200, {
    ...COMMON,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="mail.eml"',
    'content-length': found.size,
  });
  createReadStream(file).pipe(response);
}
