/** The signed-in user. The token is kept in memory and in the tab's session storage. */

import { agents, type Login } from '../client/src/index.ts';
import { config } from './config.ts';
import { store } from './store.ts';
import { type ClaimedRole, claimsIn } from './token-claims.ts';

export type Session = { token: string; endsAt: number; name: string; role: ClaimedRole | undefined };

const KEY = 'errand.session';
const SECOND_MS = 1_000;
/** The token must stay valid during a call in progress. */
const MARGIN_MS = 5_000;

export const session = store<Session | undefined>(storedSession());
/** Shown on the sign-in page. */
export const endReason = store<'expired' | 'signed-out' | undefined>(undefined);

let ending: ReturnType<typeof setTimeout> | undefined;
scheduleExpiry(session.get());

export async function signIn(login: Login, name: string): Promise<void> {
  const { access_token: token, expires_in: seconds } = await agents({
    rootUrl: config.agentsUrl,
    retries: 1,
    maxWaitMs: 3_000,
  }).login(login);
  const { role, name: message } = claimsIn(token);
  const begun = { token, endsAt: Date.now() + seconds * SECOND_MS, name: name || message || 'Signed in', role };
  storeSession(begun);
  scheduleExpiry(begun);
  endReason.set(undefined);
  session.set(begun);
}

/** Tokens cannot be refreshed: the user signs in again and stays on the page. */
export function endSession(why: 'expired' | 'signed-out'): void {
  if (!session.get()) return;
  clearTimeout(ending);
  storeSession(undefined);
  endReason.set(why);
  session.set(undefined);
}

export const maySubmit = (): boolean => session.get()?.role !== 'viewer';

function scheduleExpiry(begun: Session | undefined): void {
  clearTimeout(ending);
  if (begun) ending = setTimeout(() => endSession('expired'), Math.max(0, begun.endsAt - MARGIN_MS - Date.now()));
}

function storedSession(): Session | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null;
    return stored && stored.endsAt - MARGIN_MS > Date.now() ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** If storage is forbidden, the token is lost when the page is reloaded. */
function storeSession(begun: Session | undefined): void {
  try {
    if (begun) sessionStorage.setItem(KEY, JSON.stringify(begun));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage the token is in memory only.
  }
}
