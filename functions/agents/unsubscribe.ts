/** The unsubscribe link of every mail: a page on GET, which changes nothing, and the unsubscription on POST. */

import { escapeHtml } from '../../shared/core/console-page.ts';
import { isUnsubscribed, parseSubscriber, unsubscribe } from '../../shared/mail/unsubscribe.ts';
import { type Route, type RouteAnswer, route } from '../http/route.ts';
import type { AgentsContext } from './context.ts';

/** The pages of the unsubscribe link. They need no script, image or other file. */
type PageSubject = { name: string; hint: string };

export const askPage = ({ name, hint }: PageSubject): string =>
  page(
    'Unsubscribe',
    `<p>${escapeHtml(name)} sends notifications to <strong>${escapeHtml(hint)}</strong>. Do you want no more of them?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  );

export const donePage = ({ name, hint }: PageSubject): string =>
  page(
    'You are unsubscribed',
    `<p role="status">${escapeHtml(name)} sends no more notifications to <strong>${escapeHtml(hint)}</strong>.</p>
<p class="quiet">If that was a mistake, ask ${escapeHtml(name)} to let them put you back.</p>`,
  );

export const unknownPage = (): string =>
  page(
    'This link is not valid',
    '<p>It may be incomplete. Open it again from the e-mail, or use the unsubscribe button of your mail program.</p>',
  );

const page = (title: string, inner: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${inner}
</main>
</body>
</html>
`;

const STYLE = [
  ':root{color-scheme:light dark;font:17px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  'body{margin:0;background:light-dark(#eef1f5,#12161c);color:light-dark(#1b2430,#edf1f6)}',
  'main{max-width:30rem;margin:8vh auto;padding:1.75rem;border-radius:12px;background:light-dark(#fff,#1c222b);overflow-wrap:anywhere}',
  '@media (max-width:34rem){main{margin:1rem;padding:1.25rem}}',
  'h1{font-size:1.45rem;line-height:1.3;margin:0 0 .75rem}',
  'button{font:inherit;font-weight:600;padding:.7rem 1.4rem;min-height:44px;border:0;border-radius:8px;background:#1f5fbf;color:#fff;cursor:pointer}',
  'button:hover{background:#184d9c}',
  'button:focus-visible{outline:3px solid light-dark(#1b2430,#fff);outline-offset:2px}',
  '.quiet{color:light-dark(#566273,#a5b0be);font-size:.95rem}',
].join('\n');

const shared = {
  path: '/unsubscribe/:token',
  caller: 'anyone',
  replies: { 200: 'A page for people, in HTML.', 404: 'A page that says that the link is not valid.' },
} as const;

type LinkSubscriber = { organization: string; name: string; mark: string; hint: string };

/** Finds the mails of a link. Every invalid link gets the same answer. */
async function findSubscriber(
  token: string | undefined,
  { secrets, organizationOf }: AgentsContext,
): Promise<LinkSubscriber | undefined> {
  const subscriber = await parseSubscriber({ secrets }, token ?? '');
  const organization = subscriber && (await organizationOf(subscriber.organization));
  return organization && { ...subscriber, name: organization.name };
}

const UNKNOWN: RouteAnswer = { status: 404, page: unknownPage() };

const ask = route<AgentsContext, 'anyone'>({
  ...shared,
  method: 'GET',
  about: 'Shows a page that asks whether to stop the e-mails of an organization to one address.',
  async run({ params: { token } }, context) {
    const subscriber = await findSubscriber(token, context);
    if (!subscriber) return UNKNOWN;
    const page = (await isUnsubscribed(context.table, subscriber)) ? donePage(subscriber) : askPage(subscriber);
    return { status: 200, page };
  },
});

/** Mail clients post here by themselves (RFC 8058). */
const end = route<AgentsContext, 'anyone'>({
  ...shared,
  method: 'POST',
  about: 'Stops the e-mails of an organization to one address.',
  idempotent: false,
  takesForm: true,
  async run({ params: { token } }, context) {
    const subscriber = await findSubscriber(token, context);
    if (!subscriber) return UNKNOWN;
    await unsubscribe(context, subscriber);
    return { status: 200, page: donePage(subscriber) };
  },
});

export const unsubscribeRoutes: Route<AgentsContext>[] = [ask, end];
