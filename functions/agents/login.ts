/** The login API, `POST /auth/login`: an access token for a name and a password, or for a token of the organization's single sign-on. */

import * as v from 'valibot';
import type { KeysAt } from '../../shared/accounts/issuer-keys.ts';
import { logIn, logInBySso } from '../../shared/accounts/login.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import type { Passwords, Secrets } from '../../shared/ports.ts';
import type { AddressOf } from '../http/caller-address.ts';
import { type Api, type ApiContext, type Route, route } from '../http/route.ts';
import { invalid, render } from './problems.ts';

export type LoginContext = ApiContext & {
  secrets: Secrets;
  passwords: Passwords;
  /** Limits concurrent password checks, fairly by organization. */
  passwordSlots: Semaphore;
  /** The signing keys of the issuers that organizations trust. */
  keysAt: KeysAt;
  /** The source address of a request, from a trusted header or the connection. */
  addressOf: AddressOf;
  /** Waits for a random time of at most `maxMs`. */
  pause(maxMs: number): Promise<void>;
};

const MAX_NAME = 256;
const MAX_PASSWORD = 1_024;

const credential = (max = Number.POSITIVE_INFINITY) =>
  v.nullish(v.pipe(v.string('must be a string'), v.maxLength(max, 'is too long')), '');
type Field = 'username' | 'password' | 'sso_token';

/** Empty and null count as absent. */
const body = v.pipe(
  v.object({ username: credential(MAX_NAME), password: credential(MAX_PASSWORD), sso_token: credential() }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    for (const key of invalidFieldsOf(value)) {
      const path = [{ type: 'object', origin: 'value', input: value, key, value: value[key] }] as const;
      addIssue({ message: 'Give username and password, or sso_token.', path: [path[0]] });
    }
  }),
);

/** The invalid fields: all of them if both ways are used, and the missing one if a way is incomplete. */
function invalidFieldsOf({ username, password, sso_token }: Record<Field, string>): Field[] {
  const [hasUsername, hasPassword, hasSsoToken] = [username, password, sso_token].map((text) => text !== '');
  if (hasSsoToken) return hasUsername || hasPassword ? ['username', 'password', 'sso_token'] : [];
  if (!hasUsername && !hasPassword) return ['username', 'password', 'sso_token'];
  return [...(hasUsername ? [] : (['username'] as const)), ...(hasPassword ? [] : (['password'] as const))];
}

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const credentialTexts = () => ({
  username: `The user name with its organization, such as \`admin@demo-one\`; at most ${MAX_NAME} characters.`,
  password: `The password of that user; at most ${MAX_PASSWORD} characters. Not together with \`sso_token\`.`,
  sso_token: 'An ID token of the identity provider that the operator configured; instead of a password.',
});

const loginRoute: Route<LoginContext> = route<LoginContext, 'anyone', v.InferOutput<typeof body>>({
  method: 'POST',
  path: '/auth/login',
  about: 'Issues an access token for a user name and a password, or for an ID token of single sign-on (SSO).',
  caller: 'anyone',
  body,
  replies: { 200: 'The token, and the seconds until it expires.' },
  idempotent: false,
  async run({ body: { username: name, password, sso_token: ssoToken }, incoming }, context) {
    const from = await context.addressOf(incoming);
    const { accessToken, seconds } = await (ssoToken === ''
      ? logIn(context, { name, password, from, signal: incoming.signal?.() })
      : logInBySso(context, { ssoToken, from }));
    return { status: 200, body: { access_token: accessToken, token_type: 'Bearer', expires_in: seconds } };
  },
});

/** A separate API, so that the agents' function does not load the code that checks passwords and ID tokens. */
export const login: Api<LoginContext> = {
  name: 'login',
  routes: [loginRoute],
  identify: async () => {
    throw new Error('The login route takes no credential.');
  },
  render,
  invalid,
  takesAnyJson: false,
};
