/** The link in every mail: a page on GET, which changes nothing, and the end of these mails on POST, by one click. */
import { isUnsubscribed, parseSubscriber, unsubscribe } from '../../shared/mail/recipient.ts';
import { type Route, type RouteAnswer, route } from '../http/route.ts';
import type { AgentsContext } from './face.ts';
import { askPage, donePage, unknownPage } from './unsubscribe-page.ts';

const shared = {
  path: '/unsubscribe/:token',
  caller: 'anyone',
  replies: { 200: 'A page.', 404: 'A page: the link is none of ours.' },
} as const;

type Known = { organization: string; name: string; mark: string; hint: string };

/** Whatever is wrong with a link, its answer is the same. */
async function known(
  token: string | undefined,
  { secrets, organizationOf }: AgentsContext,
): Promise<Known | undefined> {
  const subscriber = await parseSubscriber({ secrets }, token ?? '');
  const organization = subscriber && (await organizationOf(subscriber.organization));
  return organization && { ...subscriber, name: organization.name };
}

const UNKNOWN: RouteAnswer = { status: 404, page: unknownPage() };

const ask = route<AgentsContext, 'anyone'>({
  ...shared,
  method: 'GET',
  about: 'Shows a page that asks whether to end the mails of an organization to one address.',
  async run({ params: { token } }, context) {
    const found = await known(token, context);
    if (!found) return UNKNOWN;
    const page = (await isUnsubscribed(context.table, found)) ? donePage(found) : askPage(found);
    return { status: 200, page };
  },
});

/** Mail programs post here by themselves, after RFC 8058. */
const end = route<AgentsContext, 'anyone'>({
  ...shared,
  method: 'POST',
  about: 'Ends the mails of an organization to one address.',
  idempotent: false,
  takesForm: true,
  async run({ params: { token } }, context) {
    const found = await known(token, context);
    if (!found) return UNKNOWN;
    await unsubscribe(context, found);
    return { status: 200, page: donePage(found) };
  },
});

export const unsubscribeRoutes: Route<AgentsContext>[] = [ask, end];
