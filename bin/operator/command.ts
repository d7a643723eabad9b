/** The command line as data: nouns with their verbs, and the texts of its help. */
import { userInfo } from 'node:os';
import type { parseArgs } from 'node:util';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CopiedRows } from '../../adapters/aws/table-copy.ts';
import type { OwnProfiles } from '../../engines/models/profile.ts';
import type { OutboundRequest } from '../../engines/outbound/request.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Vault } from '../../shared/core/vault.ts';
import type { Blobs, Clock, Everything, Ids, Passwords, Sockets, Table } from '../../shared/ports.ts';

/** Each option has one meaning for all commands, so that a line can be parsed before its verb is known. */
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
  url: { type: 'string' },
  'key-stdin': { type: 'boolean' },
  'max-age': { type: 'string' },
  level: { type: 'string' },
  again: { type: 'boolean' },
  provider: { type: 'string' },
  strong: { type: 'string' },
  cheap: { type: 'string' },
  verify: { type: 'string' },
  anyway: { type: 'boolean' },
  before: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  continue: { type: 'boolean' },
} as const;

export type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
type OptionName = keyof typeof OPTIONS;

type ConnectBedrock = (request: OutboundRequest) => (name: string) => Promise<LanguageModelV4>;

type CopyRequest = {
  from: string;
  isWanted: (row: { pk: string; value: unknown }) => boolean;
  progress: (counts: CopiedRows) => void;
};

/** The product that a command works on, local or deployed. */
export type State = {
  table: Table;
  clock: Clock;
  ids: Ids;
  vault: Vault;
  blobs: Blobs;
  everything: Everything;
  sockets: Sockets;
  /** The models of a new organization. */
  models: readonly string[];
  /** A note on what these models need that is not configured here; throws for a model that can never answer here. */
  noteOnModels(models: readonly string[], organization?: string): Promise<string | undefined>;
  /** The connections to models that the environment of this command sets, to try them. */
  environmentConnections: EnvironmentConnections;
  /** The names of those that the running product has; undefined where that is not known. */
  runningConnections(): readonly string[] | undefined;
  /** The operator's own model table. */
  ownProfiles: OwnProfiles;
  /** Connects models of Amazon Bedrock with the credentials of the shell, where there are any. */
  bedrock?: ConnectBedrock;
  /** Copies rows out of another table of the account, on a deployed stage. */
  copyMissingRows?(o: CopyRequest): Promise<CopiedRows>;
  /** The actor in audit rows. */
  by: string;
  inspect(): Promise<ShownValue>;
  close(): void;
};

export type Operator = State & {
  passwords: Passwords;
  readStdin(): Promise<string>;
  /** For verbs that keep running: prints before the end; `untilStopped` resolves when the user stops the command. */
  out(text: string): void;
  /** For progress, which is no part of the result. */
  err(text: string): void;
  untilStopped(): Promise<void>;
};

/** The name of the system's user. In a container the user may have only a number. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export type CommandLine = { args: string[]; options: Options };

export type Verb = {
  /** The usage after the noun. */
  usage: string;
  about: string;
  args: readonly [least: number, most: number];
  options?: readonly OptionName[];
  needs?: readonly OptionName[];
  /** Creates the state if there is none. */
  founds?: true;
  /** The option with which the command needs no product, only `examineAccount`. */
  withoutState?: OptionName;
  run(operator: Operator, line: CommandLine): Promise<ShownValue>;
};

/** A noun without verbs has the empty string as its verb. */
export type Noun = Readonly<Record<string, Verb>>;

/** The arguments are wrong: the command line prints the usage of the command, as far as it was recognized. */
export class UsageFault extends Error {
  readonly noun: string | undefined;
  readonly verb: Verb | undefined;
  constructor(message: string, noun?: string, verb?: Verb) {
    super(message);
    this.noun = noun;
    this.verb = verb;
  }
}

/** Parses a number of the command line. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem('invalid', `--${option} takes a whole number, not ${JSON.stringify(text.slice(0, 80))}.`);
}

/** How many entries `--limit` asks for. */
export function listLimit(text: string, most: number): number {
  const limit = wholeNumber('limit', text);
  if (limit >= 1 && limit <= most) return limit;
  throw new Problem('invalid', `--limit is from 1 to ${most}.`);
}

/** The result of a verb, shown as JSON or as aligned text. */
export type CommandOutput = Record<string, unknown>;

/** `failed`: the report shows a fault, and the command exits with 1. */
export type ShownValue = { report: CommandOutput | CommandOutput[]; note?: string; failed?: true };

/** The note on every output that contains a secret. */
export const SHOWN_ONCE = 'Keep the secrets above now: they are not shown again.';

export const jsonOf = ({ report }: ShownValue): string => JSON.stringify(report);

export function textOf({ report, note }: ShownValue): string {
  const table = Array.isArray(report) ? listText(report) : recordText(report);
  return note === undefined ? table : `${table}\n\n${note}`;
}

function recordText(report: CommandOutput): string {
  return aligned(Object.entries(report).map(([name, value]) => [name, cell(value)]));
}

function listText(rows: CommandOutput[]): string {
  const [firstRow] = rows;
  if (!firstRow) return '  none';
  const names = Object.keys(firstRow);
  return aligned([names, ...rows.map((row) => names.map((name) => cell(row[name])))]);
}

function aligned(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines
    .map((line) => line.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text))))
    .map((line) => `  ${line.join('  ')}`.trimEnd())
    .join('\n');
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

const widthOf = (text: string): number =>
  Array.from(text.replace(/[\p{M}\p{Cf}]/gu, '')).reduce((width, sign) => width + (WIDE.test(sign) ? 2 : 1), 0);

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value !== 'object') return plain(String(value));
  const parts = Object.entries(value).map(([name, inner]) =>
    typeof inner === 'object' ? `${plain(name)} (${cell(inner)})` : `${plain(name)} ${cell(inner)}`,
  );
  return parts.join(', ') || '-';
}

/** Escapes control characters, so that stored text can neither move the cursor nor colour the terminal. */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

export const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
