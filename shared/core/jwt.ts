/** JSON Web Tokens signed with HS256. The token's own header never chooses the algorithm. */

import { timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { MasterSecret, Secrets } from '../ports.ts';
import { deriveKey, hmac } from './derived-keys.ts';

/** JSON in base64url, as in the parts of a token. */
const toBase64urlJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** `undefined`: not base64url of JSON. */
function parseBase64urlJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** `purpose` derives the key, so that a token of one kind is never valid as another. */
export type TokenKind = { type: string; purpose: string };

const TOKEN = /^([\w-]{1,512})\.([\w-]{1,2048})\.([\w-]{43})$/;

export async function signToken(secrets: Secrets, kind: TokenKind, claims: object): Promise<string> {
  const [master] = await secrets.master();
  const signed = `${toBase64urlJson({ alg: 'HS256', typ: kind.type, kid: master.version })}.${toBase64urlJson(claims)}`;
  return `${signed}.${signatureOf(signed, kind, master)}`;
}

/** Returns the claims, or `undefined` if the token has another kind or signature. Does not check the times. */
export async function verifyToken(secrets: Secrets, kind: TokenKind, text: string): Promise<unknown> {
  const [, header = '', claims = '', signature = ''] = TOKEN.exec(text) ?? [];
  const parsed = v.safeParse(headerOf(kind), parseBase64urlJson(header));
  if (!parsed.success) return undefined;
  const { kid } = parsed.output;
  const master = (await secrets.master(kid)).find(({ version }) => version === kid);
  if (!master) return undefined;
  // Compared as text, so that each signature has only one spelling.
  const right = Buffer.from(signatureOf(`${header}.${claims}`, kind, master));
  return timingSafeEqual(right, Buffer.from(signature)) ? parseBase64urlJson(claims) : undefined;
}

/** Strict: tokens whose header carries a key, a key URL or an extension are rejected. */
const headerOf = ({ type }: TokenKind) =>
  v.strictObject({ alg: v.literal('HS256'), typ: v.literal(type), kid: v.string() });

const signatureOf = (signed: string, { purpose }: TokenKind, master: MasterSecret): string =>
  hmac(deriveKey(purpose, master), signed, 'base64url');
