/** An issuer of ID tokens, independent of the product: a real HTTPS server whose keys rotate. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { authority } from '../../../engines/outbound/certificates.ts';

export type SigningKey = { alg: string; kid: string; privateKey: CryptoKey; jwk: JWK };

let keyCount = 0;

/** RS256 by default. */
export async function signingKey(alg = 'RS256', o: { modulusLength?: number } = {}): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...o });
  const kid = `key-${keyCount++}`;
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export async function startIssuer() {
  const ca = authority('the issuers of the tests');
  const published: { keys: unknown[]; status: number; body?: string } = { keys: [], status: 200 };
  const requestedPaths: string[] = [];
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url = '' }, response) => {
    requestedPaths.push(url);
    response.writeHead(published.status, { 'content-type': 'application/json' });
    response.end(published.body ?? JSON.stringify({ keys: published.keys }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    keysAddress: `${issuer}/jwks`,
    ca: ca.cert,
    published,
    /** How often its keys were fetched. */
    asked: requestedPaths,
    publish(...keys: SigningKey[]) {
      published.keys = keys.map(({ jwk }) => jwk);
    },
    sign: ({ alg, kid, privateKey }: SigningKey, claims: JWTPayload, header: object = {}) =>
      new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey),
    close: () => void server.close(),
  };
}

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;
