/** A command line as data: nouns with their verbs, and the texts of its help. */
import type { parseArgs } from 'node:util';
import { ROLES } from '../../shared/accounts/caller.ts';
import type { Vault } from '../../shared/core/crypto.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Blobs, Clock, Everything, Ids, Passwords, Sockets, Table } from '../../shared/ports.ts';
import type { ShownValue } from './command-line.ts';
import { NOUNS } from './nouns.ts';

// What the command line is made of: nouns with their verbs, as data.

/** One meaning for each option in the whole command line, so that a line can be read before its verb is known. */
export const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean' },
  stage: { type: 'string' },
  name: { type: 'string' },
  file: { type: 'string' },
  expires: { type: 'string' },
  org: { type: 'string' },
  role: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  minute: { type: 'string' },
  hour: { type: 'string' },
  most: { type: 'string' },
  clear: { type: 'boolean' },
  confirm: { type: 'string' },
  limit: { type: 'string' },
  port: { type: 'string' },
  secret: { type: 'string' },
  issuer: { type: 'string' },
  audience: { type: 'string' },
  keys: { type: 'string' },
  admit: { type: 'boolean' },
  'allow-private': { type: 'boolean' },
  'max-age': { type: 'string' },
  level: { type: 'string' },
  again: { type: 'boolean' },
} as const;

export type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
export type OptionName = keyof typeof OPTIONS;

/** The product an operator works on, wherever it lives. */
export type State = {
  table: Table;
  clock: Clock;
  ids: Ids;
  vault: Vault;
  blobs: Pick<Blobs, 'remove'>;
  everything: Everything;
  sockets: Sockets;
  /** The models of a new organization. */
  models: readonly string[];
  /** What models need that is not set up here; throws for one that can never answer here. */
  noteOnModels(models: readonly string[]): string | undefined;
  /** Who the audit rows name. */
  by: string;
  inspect(): Promise<ShownValue>;
  close(): void;
};

export type Operator = State & {
  passwords: Passwords;
  readStdin(): Promise<string>;
  /** For a verb that goes on: shows something before it ends, and ends when somebody stops it. */
  out(text: string): void;
  untilStopped(): Promise<void>;
};

export type CommandLine = { args: string[]; options: Options };

export type Verb = {
  /** What follows the noun. */
  usage: string;
  about: string;
  args: readonly [least: number, most: number];
  options?: readonly OptionName[];
  needs?: readonly OptionName[];
  /** Makes a state where there is none. */
  founds?: true;
  run(operator: Operator, line: CommandLine): Promise<ShownValue>;
};

/** The verb of a noun that stands alone is the empty word. */
export type Noun = Readonly<Record<string, Verb>>;

/** The words of the line do not fit: answered with the usage of what was meant, as far as it is known. */
export class UsageFault extends Error {
  readonly noun: string | undefined;
  readonly verb: Verb | undefined;
  constructor(message: string, noun?: string, verb?: Verb) {
    super(message);
    this.noun = noun;
    this.verb = verb;
  }
}

/** The page that tells what can be said, for all nouns or one. */
const MOST_WORDS = 32;
const HELP = '  --help  shows what each of them does';

const FOOT = `  ORG      an organization's id, or its exact name
  DELIVERY the webhook-id of an event, as "delivery list" shows it
  ROLE     ${ROLES.join(', ')}
  --stage  the name of a deployed stage, instead of the product on this machine
  --json   only JSON on standard output (with npm run -s errand, or npm writes lines of its own there)
  --help   this page`;

export function usage(noun?: string): string {
  const names = noun === undefined ? [...NOUNS.keys()] : [noun];
  return `${headOf(noun)}\n\n${names.flatMap((name) => linesOf(name)).join('\n')}\n\n${FOOT}`;
}

/** No more than fits under a fault without hiding it. */
export function briefUsage({ noun, verb }: Pick<UsageFault, 'noun' | 'verb'>): string {
  const lines = noun === undefined ? [`  <noun>  ${[...NOUNS.keys()].join(', ')}`, HELP] : linesOf(noun, verb);
  return `${headOf(noun)}\n\n${lines.join('\n')}`;
}

const headOf = (noun = '<noun>'): string =>
  `Usage: npm run errand -- ${noun}${isSaidAlone(noun) ? '' : ' [<verb>]'} [--stage NAME] [--json]`;

function isSaidAlone(noun: string): boolean {
  const verbs = NOUNS.get(noun);
  return verbs !== undefined && Object.keys(verbs).every((verb) => verb === '');
}

const linesOf = (noun: string, only?: Verb): string[] =>
  Object.values(NOUNS.get(noun) ?? {})
    .filter((verb) => only === undefined || verb === only)
    .map((verb) => lineOf(`${noun} ${verb.usage}`.trim(), verb.about));

const lineOf = (words: string, about: string): string =>
  words.length <= MOST_WORDS
    ? `  ${words.padEnd(MOST_WORDS)}  ${about}`
    : `  ${words}\n${' '.repeat(MOST_WORDS + 4)}${about}`;

/** Reads a figure from the words of a line. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem('invalid', `--${option} takes a whole number, not ${JSON.stringify(text.slice(0, 80))}.`);
}
