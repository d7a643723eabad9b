/** Runs one line of the operator's command line: parses it, runs its command, and prints the result or the help. */

import { parseArgs } from 'node:util';
import { damageIn } from '../../adapters/local/state-folder.ts';
import { ROLES } from '../../shared/accounts/caller.ts';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import { announce } from './announce.ts';
import { audit } from './audit.ts';
import {
  type CommandLine,
  jsonOf,
  type Noun,
  OPTIONS,
  type Options,
  type ShownValue,
  type State,
  textOf,
  UsageFault,
  type Verb,
} from './command.ts';
import { delivery } from './delivery.ts';
import { doctor } from './doctor.ts';
import { key } from './key.ts';
import { ruleset, workflow } from './knowledge.ts';
import { model } from './model.ts';
import { org } from './org.ts';
import { source } from './source.ts';
import { sso } from './sso.ts';
import { suppression } from './suppression.ts';
import { table } from './table.ts';
import { task } from './task.ts';
import { transferVerbs } from './transfer.ts';
import { usage } from './usage.ts';
import { user } from './user.ts';
import { webhookSecret } from './webhook-secret.ts';
import { webhooks } from './webhooks.ts';

/** A map, because an object also has properties such as "constructor". */
export const NOUNS: ReadonlyMap<string, Noun> = new Map(
  Object.entries({
    org: { ...org, ...transferVerbs },
    model,
    key,
    user,
    sso,
    'webhook-secret': webhookSecret,
    workflow,
    ruleset,
    source,
    usage,
    task,
    delivery,
    webhooks,
    suppression,
    announce,
    audit,
    table,
    doctor,
  }),
);

/** The result of parsing: a request for help, or a subcommand with its arguments. */
type Parsed = { help: true; noun?: string } | { help: false; verb: Verb; noun: string; line: CommandLine };

/** A recipient's mark may look like an option; it is the last argument. */
const MARK = /^-[\w-]{21}$/;

const ALWAYS: readonly string[] = ['json', 'help', 'stage'];

function parse(words: string[]): Parsed {
  const { values: options, positionals } = read(words);
  const [noun, ...remaining] = positionals;
  const verbs = noun === undefined ? undefined : NOUNS.get(noun);
  if (options.help && (noun === undefined || verbs)) return { help: true, ...definedFields({ noun }) };
  if (noun === undefined) throw new UsageFault('No command given.');
  if (!verbs) throw new UsageFault(`Unknown command ${quoted(noun)}.${suggestion(noun, NOUNS.keys())}`);

  const alone = Object.hasOwn(verbs, '');
  const name = alone ? '' : remaining.shift();
  const subcommands = Object.keys(verbs);
  if (name === undefined) throw new UsageFault(`Missing subcommand of ${noun}: ${subcommands.join(', ')}.`, noun);
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb)
    throw new UsageFault(`Unknown subcommand ${quoted(name)} of ${noun}.${suggestion(name, subcommands)}`, noun);
  const message = `${noun} ${name}`.trim();
  const line = withOrganization(verb, { args: remaining, options });
  check(verb, { noun, message, line });
  return { help: false, verb, noun, line };
}

const suggestion = (word: string, candidates: Iterable<string>, mark = ''): string => {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? '' : ` Did you mean ${mark}${nearest}?`;
};

function read(words: string[]) {
  try {
    const marks = words.filter((word) => MARK.test(word));
    const args = marks.length > 0 ? [...words.filter((word) => !MARK.test(word)), '--', ...marks] : words;
    return parseArgs({ args: withNegativeValues(args), allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const option = /'(?:-\w, )?--?([^' =]*)/.exec(message)?.[1] ?? '';
    const text =
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
        ? `Unknown option --${option}.${suggestion(option, Object.keys(OPTIONS), '--')}`
        : code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && /ambiguous/.test(message)
          ? `--${option} needs a value. Write one that starts with a dash as --${option}=VALUE.`
          : String(message.split('\n')[0]);
    throw new UsageFault(
      text,
      words.find((word) => NOUNS.has(word)),
    );
  }
}

/** Joins `--limit -5` to `--limit=-5`: otherwise `-5` counts as an option, and the check of the number never runs. */
function withNegativeValues(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of args) {
    const option = joined.at(-1) ?? '';
    if (/^-\d+$/.test(word) && VALUE_OPTIONS.has(option)) joined[joined.length - 1] = `${option}=${word}`;
    else joined.push(word);
  }
  return joined;
}

const VALUE_OPTIONS = new Set(
  Object.entries(OPTIONS).flatMap(([name, { type }]) => (type === 'string' ? [`--${name}`] : [])),
);

/** The names of a subcommand's arguments, from its usage. */
function argumentsOf({ usage }: Verb, isAlone: boolean): string[] {
  const words = usage.split(' ').slice(isAlone ? 0 : 1);
  const end = words.findIndex((word) => word.includes('--'));
  return (end < 0 ? words : words.slice(0, end)).filter(Boolean);
}

const isAlone = (verb: Verb): boolean => [...NOUNS.values()].some((verbs) => verbs[''] === verb);

/** An organization may be given by position or by `--org`, for all subcommands alike. */
function withOrganization(verb: Verb, { args, options }: CommandLine): CommandLine {
  const at = argumentsOf(verb, isAlone(verb)).findIndex((name) => /^\[?ORG\]?$/.test(name));
  if (at < 0 || options.org === undefined) return { args, options };
  const { org, ...otherOptions } = options;
  return { args: [...args.slice(0, at), org, ...args.slice(at)], options: otherOptions };
}

function check(verb: Verb, o: { noun: string; message: string; line: CommandLine }) {
  const {
    args: [min, max],
    options = [],
    needs = [],
  } = verb;
  const { args, options: parsed } = o.line;
  const fault = (message: string) => new UsageFault(message, o.noun, verb);
  if (args.length < min) throw fault(`Missing argument: ${argumentsOf(verb, isAlone(verb))[args.length]}.`);
  if (args.length > max) throw fault(`Unexpected argument ${quoted(args[max] ?? '')}.`);
  const accepted = [...ALWAYS, ...options, ...needs];
  const foreign = Object.keys(parsed).find((option) => !accepted.includes(option));
  if (foreign) throw fault(`${o.message} has no option --${foreign}.${suggestion(foreign, accepted, '--')}`);
  const missing = needs.find((option) => parsed[option] === undefined);
  if (missing) throw fault(`Missing option: --${missing}.`);
}

const quoted = (word: string): string => JSON.stringify(word.slice(0, 80));

/** The exit codes. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The environment of a line; `open` decides which product it works on. */
export type CommandEnvironment = {
  open(options: Options, verb: Verb): Promise<State>;
  /** Checks the AWS account of the shell, before there is a stage. */
  examineAccount(): Promise<ShownValue>;
  passwords: Passwords;
  readStdin(): Promise<string>;
  untilStopped(): Promise<void>;
  out(text: string): void;
  err(text: unknown): void;
};

export async function commandLine(words: string[], environment: CommandEnvironment): Promise<number> {
  try {
    const { text, failed } = await answer(words, environment);
    environment.out(text);
    return failed ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (error instanceof UsageFault) {
      environment.err(`${error.message}\n\n${briefUsage(error)}`);
      return EXIT.usage;
    }
    // An error that the operator can fix is one line; any other is a bug and shown whole.
    const message = isProblem(error) ? error.message : damageIn(error);
    environment.err(message === undefined ? error : `errand: ${message}`);
    return EXIT.failed;
  }
}

type Answer = { text: string; failed?: boolean | undefined };

async function answer(words: string[], { open, examineAccount, ...around }: CommandEnvironment): Promise<Answer> {
  const parsed = parse(words);
  if (parsed.help) return { text: helpText(parsed.noun) };
  const { verb, noun, line } = parsed;
  if (verb.withoutState && line.options[verb.withoutState]) return toAnswer(await examineAccount(), line);
  const state = await open(line.options, verb);
  try {
    return toAnswer(await verb.run({ ...state, ...around }, line), line);
  } catch (error) {
    throw error instanceof UsageFault ? new UsageFault(error.message, noun, verb) : error;
  } finally {
    state.close();
  }
}

const toAnswer = (value: ShownValue, { options }: CommandLine): Answer => ({
  text: options.json ? jsonOf(value) : textOf(value),
  failed: value.failed,
});

/** The maximum width of usage; a longer usage has its description on the next line. */
const MAX_WORDS = 32;
const HELP = '  --help  describes each command';

/** The placeholders of usages. */
const PLACEHOLDERS: Record<string, string> = {
  ORG: "an organization's id or its exact name; --org ORG works in its place",
  TASK: 'the id of a task, with or without task_',
  DELIVERY: 'the webhook-id of an event, as "delivery list" shows it',
  ROLE: ROLES.join(', '),
  LIMIT: 'the name of a limit, as "org limits ORG" lists them',
};

const FOOT = `Options of every command
  --stage NAME  works on a deployed stage, with your AWS credentials; the default is the product on this machine
  --json        prints only JSON on standard output
  --help        prints this page

Environment
  ERRAND_STATE  the folder of the product on this machine (default .errand)
  AWS_REGION, AWS_PROFILE and the other variables of AWS's tools, with --stage`;

const EXAMPLES = `Examples
  npx errand org create "Acme"
  npx errand key create Acme --name ci --expires 90
  npx errand usage --org Acme --stage production --json`;

function helpText(noun?: string): string {
  const names = noun === undefined ? [...NOUNS.keys()] : [noun];
  const lines = names.flatMap((name) => linesOf(name)).join('\n');
  const explained = Object.entries(PLACEHOLDERS).filter(([name]) => new RegExp(`\\b${name}\\b`).test(lines));
  const values = explained.map(([name, text]) => `  ${name.padEnd(9)} ${text}`);
  return [
    headOf(noun),
    lines,
    ...(values.length > 0 ? [`Values\n${values.join('\n')}`] : []),
    FOOT,
    ...(noun === undefined ? [EXAMPLES] : []),
  ].join('\n\n');
}

/** A usage that is short enough not to hide the error above it. */
function briefUsage({ noun, verb }: Pick<UsageFault, 'noun' | 'verb'>): string {
  const lines = noun === undefined ? [`  <command>  ${[...NOUNS.keys()].join(', ')}`, HELP] : linesOf(noun, verb);
  return `${headOf(noun)}\n\n${lines.join('\n')}`;
}

const headOf = (noun = '<command>'): string =>
  `Usage: npx errand ${noun}${hasNoSubcommands(noun) ? '' : ' <subcommand>'} [--stage NAME] [--json]`;

function hasNoSubcommands(noun: string): boolean {
  const verbs = NOUNS.get(noun);
  return verbs !== undefined && Object.keys(verbs).every((verb) => verb === '');
}

const linesOf = (noun: string, only?: Verb): string[] =>
  Object.values(NOUNS.get(noun) ?? {})
    .filter((verb) => only === undefined || verb === only)
    .map((verb) => lineOf(`${noun} ${verb.usage}`.trim(), verb.about));

const lineOf = (words: string, about: string): string =>
  words.length <= MAX_WORDS
    ? `  ${words.padEnd(MAX_WORDS)}  ${about}`
    : `  ${words}\n${' '.repeat(MAX_WORDS + 4)}${about}`;
