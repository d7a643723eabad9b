/** Keys derived from the master secret, the vault that seals secrets with them, and HMAC-signed tokens. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import * as v from 'valibot';
import type { MasterSecret, Secrets } from '../ports.ts';
import { lruCache } from './cache.ts';
import { Problem } from './problem.ts';

/** HMAC with SHA-256 (RFC 2104). */
export const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64' | 'base64url'): string =>
  createHmac('sha256', key).update(text).digest(encoding);

// Keys derived from the master secret, one for each purpose, so that none works for another.

/** Deriving a key costs more than signing with it. Cached keys live as long as the secret they derive from. */
const drawn = new WeakMap<MasterSecret, Map<string, KeyObject>>();

/** Returns a key object, because signing with plain bytes takes six times as long. */
export function deriveKey(purpose: string, master: MasterSecret): KeyObject {
  const keys = drawn.get(master) ?? new Map<string, KeyObject>();
  drawn.set(master, keys);
  const key = keys.get(purpose) ?? draw(purpose, master);
  keys.set(purpose, key);
  return key;
}

const draw = (purpose: string, { key }: MasterSecret): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, 'errand', purpose, 32)));

/** Seals small texts that must be read back, such as webhook secrets. The context (an organization's id) is authenticated too. */
const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Vault = {
  seal(text: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
};

export function vault(secrets: Secrets): Vault {
  return {
    async seal(text, context) {
      const [current] = await secrets.master();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', deriveKey('vault', current), nonce);
      cipher.setAAD(Buffer.from(context, 'utf8'));
      const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [FORMAT, current.version, body.toString('base64url')].join('.');
    },

    async open(sealed, context) {
      const [format, version, body, ...rest] = sealed.split('.');
      const master = (await secrets.master(version)).find((known) => known.version === version);
      if (format !== FORMAT || !body || rest.length > 0 || !master) {
        throw new Problem('unreadable', 'This text was sealed under a master secret that is no longer kept.');
      }
      const bytes = Buffer.from(body, 'base64url');
      // The decoder ignores characters outside base64url; only the canonical spelling is accepted.
      if (bytes.toString('base64url') !== body) throw altered();
      return unseal(bytes, master, context);
    },
  };
}

function unseal(body: Buffer, master: MasterSecret, context: string): string {
  try {
    const key = deriveKey('vault', master);
    const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    const text = body.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw altered(cause);
  }
}

const altered = (cause?: unknown) =>
  new Problem('unreadable', 'This sealed text was altered, or belongs to another context.', { cause });

/** A vault that caches opened texts, for callers that open the same few again and again. */
const MAX_ENTRIES = 1_000;

/** A sealed text always stands for the same text, so cached texts never become stale. */
export function cachedVault(vault: Vault): Vault {
  const opened = lruCache<string, Promise<string>>({ max: MAX_ENTRIES });
  return {
    seal: vault.seal,
    open(sealed, context) {
      const name = `${context} ${sealed}`;
      const known = opened.get(name);
      if (known) return known;
      const text = vault.open(sealed, context);
      opened.set(name, text);
      text.catch(() => opened.delete(name));
      return text;
    },
  };
}

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

// JSON Web Tokens signed with HS256. The token's own header never chooses the algorithm.

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
