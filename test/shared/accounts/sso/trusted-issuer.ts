/** Single sign-on against a real issuer on this machine, whose keys rotate, over HTTPS. */
import type { JWTPayload } from 'jose';
import { afterEach, beforeEach } from 'vitest';
import { keysFetcher } from '../../../../engines/outbound/clients.ts';
import { outbound } from '../../../../engines/outbound/request.ts';
import { tokenAuthenticator } from '../../../../shared/accounts/access-tokens.ts';
import { issuerKeys } from '../../../../shared/accounts/issuer-keys.ts';
import { setIssuer } from '../../../../shared/accounts/issuers.ts';
import { logInBySso } from '../../../../shared/accounts/login.ts';
import { listUsers } from '../../../../shared/accounts/users.ts';
import { logger } from '../../../../shared/core/log.ts';
import { isProblem } from '../../../../shared/core/problem.ts';
import { organization, useLogin } from '../login/setup.ts';
import { type SigningKey, signingKey, startIssuer, type TestIssuer } from './issuer.ts';

export const audience = 'errand-at-acme';
export const REFUSED = 'unauthorized: Invalid or expired sso_token.';

/** The fixture, created before each test. */
type TrustFixture = {
  at: ReturnType<ReturnType<typeof useLogin>>;
  issuing: TestIssuer;
  key: SigningKey;
  keysAt: ReturnType<typeof issuerKeys>;
};

/** An organization that trusts an issuer and admits its users. */
export function useTrustedIssuer() {
  const state = useLogin();
  const its = {} as TrustFixture;
  let from = 0;

  beforeEach(async () => {
    const [at, issuing, key] = [state(), await startIssuer(), await signingKey()];
    Object.assign(its, { at, issuing, key });
    issuing.publish(key);
    useKeysFrom(issuing.ca);
    await trust({ admits: true });
  });
  afterEach(() => its.issuing.close());

  /** Over TLS connections with this certificate authority. */
  function useKeysFrom(ca?: string) {
    const { clock } = its.at;
    const log = logger({ clock, minLevel: 'error', write: () => undefined });
    const fetchKeys = keysFetcher({ request: outbound(), log, ...(ca === undefined ? {} : { ca }) });
    its.keysAt = issuerKeys({ clock, fetchKeys });
  }

  const trust = ({ admits = false, of = organization, issuer = its.issuing.issuer } = {}) =>
    setIssuer(its.at, of, { issuer, audience, keysAddress: its.issuing.keysAddress, admits });

  const now = () => Math.floor(its.at.clock.now() / 1_000);
  const validClaims = (): JWTPayload => ({
    iss: its.issuing.issuer,
    aud: audience,
    sub: 'subject-1',
    iat: now(),
    exp: now() + 300,
    preferred_username: 'zoe@acme.org',
  });

  return {
    its,
    trust,
    takeKeys: useKeysFrom,
    now,
    right: validClaims,
    token: (changes: Record<string, unknown> = {}, header: object = {}, by = its.key) =>
      its.issuing.sign(by, { ...validClaims(), ...changes }, header),
    /** The user that the token admits, or the refusal. */
    async signIn(ssoToken: string): Promise<unknown> {
      try {
        const { at, keysAt } = its;
        const { accessToken } = await logInBySso({ ...at, keysAt }, { ssoToken, from: `address ${from++}` });
        return await tokenAuthenticator(at)(accessToken);
      } catch (error) {
        if (isProblem(error)) return `${error.code}: ${error.message}`;
        throw error;
      }
    },
    names: async (of = organization) => (await listUsers(its.at.table, of)).map(({ name }) => name),
  };
}
