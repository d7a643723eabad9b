/** Seals texts that must be read back, such as webhook secrets, with a key derived from the master secret. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterSecret, Secrets } from '../ports.ts';
import { lruCache } from './cache.ts';
import { deriveKey } from './derived-keys.ts';
import { Problem } from './problem.ts';

const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Vault = {
  seal(text: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
};

/** Seals small texts. The context (an organization's id) is authenticated too. */
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
      const [format, version, body, ...extraParts] = sealed.split('.');
      const master = (await secrets.master(version)).find((candidate) => candidate.version === version);
      if (format !== FORMAT || !body || extraParts.length > 0 || !master) {
        throw new Problem('unreadable', 'This text was sealed under a master secret that is no longer kept.');
      }
      const bytes = Buffer.from(body, 'base64url');
      // The decoder ignores characters outside base64url; only the canonical spelling is accepted.
      if (bytes.toString('base64url') !== body) throw alteredProblem();
      return unseal(bytes, master, context);
    },
  };
}

const MAX_ENTRIES = 1_000;

/** A sealed text always stands for the same text, so cached texts never become stale. */
export function cachedVault(vault: Vault): Vault {
  const opened = lruCache<string, Promise<string>>({ max: MAX_ENTRIES });
  return {
    seal: vault.seal,
    open(sealed, context) {
      const name = `${context} ${sealed}`;
      const cached = opened.get(name);
      if (cached) return cached;
      const text = vault.open(sealed, context);
      opened.set(name, text);
      text.catch(() => opened.delete(name));
      return text;
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
    throw alteredProblem(cause);
  }
}

const alteredProblem = (cause?: unknown) =>
  new Problem('unreadable', 'This sealed text was altered, or belongs to another context.', { cause });
