/** What the command line is made of: nouns with their verbs, as data. */
import type { parseArgs } from 'node:util';
import type { Vault } from '../../shared/core/crypto.ts';
import type { Blobs, Clock, Everything, Ids, Passwords, Sockets, Table } from '../../shared/ports.ts';
import type { ShownValue } from './show.ts';

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
