/** The access token of a client: one login for all calls, repeated before the token expires or after it was rejected. */
import type { AccessToken, Credentials } from './contracts/agents.ts';
import { ErrandError } from './errors.ts';
import type { Caller, Credential } from './requests/caller.ts';
import { endedBy } from './requests/pause.ts';

/** One of the two; a function as `ssoToken` is called at each login. */
export type Login = { username: string; password: string } | { ssoToken: string | (() => Promise<string>) };

export type Session = {
  login(login?: Login, signal?: AbortSignal): Promise<AccessToken>;
  credential: NonNullable<Credential>;
};

/** A token that expires within this time is not used any more. */
const MARGIN_MS = 60_000;
const SECOND_MS = 1_000;

export function sessionOver(call: Caller, o: { login: Login | undefined; accessToken: string | undefined }): Session {
  let { login } = o;
  let token = o.accessToken;
  let endsAt = token === undefined ? 0 : Infinity;
  let pendingLogin: Promise<AccessToken> | undefined;

  async function logIn(): Promise<AccessToken> {
    if (!login) throw new ErrandError('UNAUTHORIZED', 'There is no access token and no credentials to log in with.');
    const { body } = await call<AccessToken>('/auth/login', {
      method: 'POST',
      isKeyless: true,
      body: await bodyOf(login),
    });
    token = body.access_token;
    endsAt = Date.now() + body.expires_in * SECOND_MS;
    return body;
  }

  /** Concurrent callers share one login. A signal aborts only its own caller's wait. */
  function sharedLogin(signal: AbortSignal | undefined): Promise<AccessToken> {
    pendingLogin ??= logIn().finally(() => {
      pendingLogin = undefined;
    });
    return endedBy(signal, pendingLogin);
  }

  return {
    login(credentials, signal) {
      if (credentials) login = credentials;
      return sharedLogin(signal);
    },
    credential: {
      async token(signal) {
        const isGood = token !== undefined && Date.now() < endsAt - MARGIN_MS;
        return isGood ? (token as string) : (await sharedLogin(signal)).access_token;
      },
      renew(refused) {
        if (!login) return false;
        if (refused === token) token = undefined;
        return true;
      },
    },
  };
}

async function bodyOf(login: Login): Promise<Credentials> {
  if (!('ssoToken' in login)) return { username: login.username, password: login.password };
  return { sso_token: typeof login.ssoToken === 'string' ? login.ssoToken : await login.ssoToken() };
}
