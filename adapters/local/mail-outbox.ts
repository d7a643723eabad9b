/** The mails of this machine: a folder of .eml files, and pages that show them in a browser without running their content. */

import { createReadStream, readdirSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Address, Attachment, Email } from 'postal-mime';
import { escapeHtml } from '../../shared/core/console.ts';
import { faultOf } from '../../shared/mail/mail.ts';
import type { Clock, Ids, Mailer } from '../../shared/ports.ts';
import { durableFiles } from './state-folder.ts';

/** Writes each mail to a file in a folder. Files appear only when they are complete. */
type Options = { folder: string; sender: string; clock: Clock; ids: Ids };

export function folderMailer({ folder, sender, clock, ids }: Options): Mailer {
  return {
    async send(mail) {
      const fault = faultOf(mail);
      if (fault) return { refused: fault };
      // SES also rejects senders that it does not know.
      if (mail.from !== sender) return { refused: 'badSender' };
      const id = ids.uuid();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(folder, `${nameOf(clock.now())}-${id}.eml`, mail.raw);
      return { accepted: id };
    },
  };
}

/** Names sort by time. */
const nameOf = (at: number): string => new Date(at).toISOString().replaceAll(/[:.]/g, '-');

async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const partial = join(folder, `.${name}.partial`);
  try {
    const handle = await open(partial, 'wx', 0o600);
    await handle
      .writeFile(bytes)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(partial, join(folder, name));
    await durableFiles.syncFolder(folder);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

// The local mails as web pages. Nothing in a mail can run.

const SHOWN_HEADERS = ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'];

export function listPage(mails: readonly ListedMail[]): string {
  const rows = mails.map(
    ({
      name,
      mail,
    }) => `<li><a href="/mail/${escapeHtml(name)}"><strong>${escapeHtml(mail.subject || 'No subject')}</strong>
<span>to ${escapeHtml(namesOf(mail.to))} · ${escapeHtml(mail.date ?? '')}</span></a></li>`,
  );
  const none = '<p>No e-mails yet. A notification task sends one to each of its recipients.</p>';
  return page('E-mails on this machine', rows.length === 0 ? none : `<ul>${rows.join('\n')}</ul>`);
}

const missingPage = (): string => page('This e-mail does not exist', '<p><a href="/mail/">All mails</a></p>');

function mailPage(name: string, mail: Email): string {
  const headers = mail.headers
    .filter(({ key }) => SHOWN_HEADERS.includes(key))
    .map(({ key, value }) => `<tr><th scope="row">${escapeHtml(key)}</th><td>${escapeHtml(value)}</td></tr>`);
  const frame = `<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/mail/${escapeHtml(name)}/html"></iframe>`;
  return page(
    mail.subject || 'No subject',
    `<p><a href="/mail/">All mails</a> · <a href="/mail/${escapeHtml(name)}/raw">As a file</a></p>
<table>${headers.join('\n')}</table>
${mail.html === undefined ? '' : `<h2>HTML part</h2>${frame}`}
<h2>Text part</h2><pre>${escapeHtml(mail.text ?? '')}</pre>
${mail.attachments.length === 0 ? '' : `<h2>Pictures and files</h2><ul class="files">${mail.attachments.map(fileHtml).join('')}</ul>`}`,
  );
}

const namesOf = (to: Address[] = []): string => to.map(({ address, name }) => address ?? name).join(', ');

const isPng = ({ mimeType }: Attachment): boolean => mimeType === 'image/png';
const dataOf = ({ content }: Attachment): string => `data:image/png;base64,${String(content)}`;

function fileHtml(file: Attachment): string {
  const name = escapeHtml(`${file.filename ?? 'file'} (${file.mimeType})`);
  return `<li>${isPng(file) ? `<img alt="${name}" src="${escapeHtml(dataOf(file))}">` : ''}${name}</li>`;
}

/** The HTML part with its images inlined and its links opening in a new window. */
export function toPreviewHtml({ html = '', attachments }: Email): string {
  const pictures = new Map(
    attachments.filter(isPng).map((file) => [file.contentId?.replace(/^<|>$/g, ''), dataOf(file)]),
  );
  const withPictures = html.replaceAll(/cid:([\w.@-]+)/g, (whole, cid) => pictures.get(cid) ?? whole);
  return withPictures.replace(/<head>/i, '<head><base target="_blank">');
}

const page = (title: string, inner: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${inner}
</main></body>
</html>
`;

const STYLE = [
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  'body{margin:0;background:light-dark(#eef1f5,#12161c);color:light-dark(#1b2430,#edf1f6)}',
  'main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem;overflow-wrap:anywhere}',
  'h1{font-size:1.5rem;line-height:1.3}h2{font-size:1.1rem;margin:1.75rem 0 .5rem}',
  'a{color:light-dark(#1f5fbf,#8cb8ff)}',
  'ul{list-style:none;margin:0;padding:0}',
  'li a{display:block;padding:.85rem 1rem;margin:0 0 .5rem;border-radius:10px;background:light-dark(#fff,#1c222b);text-decoration:none}',
  'li a span{display:block;color:light-dark(#566273,#a5b0be);font-size:.9rem}',
  'table{border-collapse:collapse;font-size:.9rem}th{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0;white-space:nowrap;font-weight:600}',
  'iframe{width:100%;height:46rem;border:1px solid light-dark(#dfe4ea,#36404d);border-radius:10px;background:#fff}',
  'pre{white-space:pre-wrap;padding:1rem;border-radius:10px;background:light-dark(#fff,#1c222b);font-size:.88rem}',
  '.files img{display:block;max-width:100%;border-radius:8px;margin:0 0 .25rem}',
].join('\n');

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

type ListedMail = { name: string; mail: Email };

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
