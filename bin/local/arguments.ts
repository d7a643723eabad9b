/** The words behind `npm start --`. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { LocalContext } from '../../adapters/local/context.ts';
import type { Log } from '../../shared/core/log.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import type { Standing } from './demo.ts';

export const USAGE = `Usage: npm start -- [--reset] [--allow-source ORIGIN ...] [--source-ca FILE]

  --reset                 wipes the state and the demo credentials, then starts
  --allow-source ORIGIN   lets files be fetched from this origin too, such as https://127.0.0.1:4443
  --source-ca FILE        the certificate authority (PEM) of these origins, and of issuers of single sign-on
  --help                  this page`;

const OPTIONS = {
  reset: { type: 'boolean' },
  help: { type: 'boolean' },
  'allow-source': { type: 'string', multiple: true },
  'source-ca': { type: 'string' },
} as const;

export type StartArguments = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Throws what parseArgs says of words it does not know. */
export const wordsOf = (args: string[]): StartArguments => parseArgs({ args, options: OPTIONS }).values;

export function sourcesIn({ 'allow-source': origins = [], 'source-ca': file }: StartArguments): Sources {
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin && origin.startsWith('https://')) continue;
    throw new Problem(
      'badSetting',
      `--allow-source ${origin} is not a valid origin: use one such as https://127.0.0.1:4443.`,
    );
  }
  return { allowSources: origins, ca: file === undefined ? undefined : authorityIn(file) };
}

function authorityIn(file: string): string {
  const pem = textOf(file);
  try {
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw new Problem('badSetting', `--source-ca ${file} holds no certificate: give a PEM file.`, { cause });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Problem('badSetting', `--source-ca ${file} cannot be read: give a PEM file.`, { cause });
  }
}

export type ProductOptions = {
  ports: [number, number];
  log: Log;
  sources: Sources;
  passwords: Passwords;
  maxBadCredentials: number;
  organizations: Standing[];
};

/** Origins files may be fetched from though they are not public, and the authority (PEM) that vouches for them. */
export type Sources = { allowSources: string[]; ca: string | undefined };

// The local pages: the console, caught webhooks and mails. Their code is loaded on first use.

/** What the console asks of this machine alone, not part of any contract. */
export const LOCAL_FOLDER = '/console/';

/** Serves the console to this machine's own browser, and beside it what only this machine has: its mails, caught webhooks. */
export type ConsoleLocal = Pick<ProductOptions, 'ports' | 'organizations'> & {
  local: Pick<LocalContext, 'table' | 'clock' | 'vault' | 'folder' | 'secrets'>;
};
