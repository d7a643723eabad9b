/** The arguments of `npm start` and `npm run dev`. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Problem } from '../../shared/core/problem.ts';

const USAGE = `Usage: npm start -- [--reset] [--no-model] [--allow-source ORIGIN ...] [--source-ca FILE]

  --reset                 wipes the state and the demo credentials, then starts
  --no-model              does not look for a language model: Ollama on this machine, or the key of a provider
  --allow-source ORIGIN   lets files and pages be fetched from this origin too, such as https://127.0.0.1:4443
  --source-ca FILE        the certificate authority (PEM) of these origins, and of issuers of single sign-on
  --help                  this page`;

const OPTIONS = {
  reset: { type: 'boolean' },
  help: { type: 'boolean' },
  'no-model': { type: 'boolean' },
  'allow-source': { type: 'string', multiple: true },
  'source-ca': { type: 'string' },
} as const;

export type StartArguments = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Throws the error of parseArgs for unknown arguments. */
export const parseStartArguments = (args: string[]): StartArguments => parseArgs({ args, options: OPTIONS }).values;

const USAGE_EXIT_CODE = 2;

/** Undefined if the usage was printed instead: because it was asked for, or because of wrong arguments. */
export function readStartArguments(): StartArguments | undefined {
  try {
    const values = parseStartArguments(process.argv.slice(2));
    if (!values.help) return values;
    console.log(USAGE);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = USAGE_EXIT_CODE;
  }
  return undefined;
}

/** Private origins from which files may be fetched, and the certificate authority (PEM) that signs their certificates. */
export type Sources = { allowSources: string[]; ca: string | undefined };

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
