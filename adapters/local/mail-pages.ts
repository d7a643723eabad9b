/** The mails of this machine as web pages. Nothing in a mail can run. */
import type { Address, Attachment, Email } from 'postal-mime';
import { escapeHtml } from '../../shared/core/console-page.ts';

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

export const missingPage = (): string => page('This e-mail does not exist', '<p><a href="/mail/">All mails</a></p>');

export function mailPage(name: string, mail: Email): string {
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

export type ListedMail = { name: string; mail: Email };
