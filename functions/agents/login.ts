/** `POST /auth/login`: an access token for a name and a password. */
import * as v from 'valibot';
import { logIn } from '../../shared/login/log-in.ts';
import type { Passwords, Secrets } from '../../shared/ports.ts';
import type { AddressOf } from '../http/caller-address.ts';
import type { ShellContext } from '../http/face.ts';
import { type Route, route } from '../http/route.ts';

export type LoginContext = ShellContext & {
  secrets: Secrets;
  passwords: Passwords;
  /** Where a request came from, as far as somebody trustworthy says so. */
  addressOf: AddressOf;
};

const MOST_NAME = 256;
const MOST_PASSWORD = 1_024;

const body = v.object({
  username: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_NAME)),
  password: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_PASSWORD)),
});

export const loginRoute: Route<LoginContext> = route<LoginContext, 'anyone', v.InferOutput<typeof body>>({
  method: 'POST',
  path: '/auth/login',
  about: 'Gives an access token for a user name and a password.',
  caller: 'anyone',
  body,
  replies: { 200: 'The token, and for how many seconds it holds.' },
  idempotent: false,
  async run({ body: { username, password }, incoming }, context) {
    const from = await context.addressOf(incoming);
    const { accessToken, seconds } = await logIn(context, { name: username, password, from });
    return { status: 200, body: { access_token: accessToken, token_type: 'Bearer', expires_in: seconds } };
  },
});
