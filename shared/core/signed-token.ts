/** JSON Web Tokens signed by HS256 with a key from the master secret. What a token says of itself never chooses how it is checked. */
import { timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { MasterSecret, Secrets } from '../ports.ts';
import { parseBase64urlJson, toBase64urlJson } from './base64url-json.ts';
import { hmac } from './hmac.ts';
import { deriveKey } from './keys.ts';

/** `purpose` draws the key, so that no token of one kind can stand in for another. */
export type TokenKind = { type: string; purpose: string };

const TOKEN = /^([\w-]{1,512})\.([\w-]{1,2048})\.([\w-]{43})$/;

export async function signToken(secrets: Secrets, kind: TokenKind, claims: object): Promise<string> {
  const [master] = await secrets.master();
  const signed = `${toBase64urlJson({ alg: 'HS256', typ: kind.type, kid: master.version })}.${toBase64urlJson(claims)}`;
  return `${signed}.${signatureOf(signed, kind, master)}`;
}

/** What the token claims; undefined = it is not one of this kind, or not signed by us. Whether it still holds is not judged. */
export async function verifyToken(secrets: Secrets, kind: TokenKind, text: string): Promise<unknown> {
  const [, header = '', claims = '', signature = ''] = TOKEN.exec(text) ?? [];
  const parsed = v.safeParse(headerOf(kind), parseBase64urlJson(header));
  if (!parsed.success) return undefined;
  const { kid } = parsed.output;
  const master = (await secrets.master(kid)).find(({ version }) => version === kid);
  if (!master) return undefined;
  // As text, so that each signature has one spelling only.
  const right = Buffer.from(signatureOf(`${header}.${claims}`, kind, master));
  return timingSafeEqual(right, Buffer.from(signature)) ? parseBase64urlJson(claims) : undefined;
}

/** Strict: a header that brings a key, an address of one or an extension is none of ours. */
const headerOf = ({ type }: TokenKind) =>
  v.strictObject({ alg: v.literal('HS256'), typ: v.literal(type), kid: v.string() });

const signatureOf = (signed: string, { purpose }: TokenKind, master: MasterSecret): string =>
  hmac(deriveKey(purpose, master), signed, 'base64url');
