/** Runs one line of the operator's command line: parses it, runs its command, prints the answer or the help. */

import { parseArgs } from 'node:util';
import { damageIn } from '../../adapters/local/state-folder.ts';
import { ROLES } from '../../shared/accounts/caller.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import { announce } from './announce.ts';
import { audit } from './audit.ts';
import {
  type CommandLine,
  jsonOf,
  MAX_WORDS,
  type Noun,
  OPTIONS,
  type OptionName,
  type Options,
  type State,
  textOf,
  UsageFault,
  type Verb,
} from './command.ts';
import { delivery } from './delivery.ts';
import { doctor } from './doctor.ts';
import { key } from './key.ts';
import { ruleset, workflow } from './knowledge.ts';
import { org } from './org.ts';
import { source } from './source.ts';
import { sso } from './sso.ts';
import { suppression } from './suppression.ts';
import { task } from './task.ts';
import { user } from './user.ts';
import { webhookSecret } from './webhook-secret.ts';
import { webhooks } from './webhooks.ts';

// Every noun of the command line.

/** A map, because an object would also know words like "constructor". */
export const NOUNS: ReadonlyMap<string, Noun> = new Map(
  Object.entries({
    org,
    key,
    user,
    sso,
    'webhook-secret': webhookSecret,
    workflow,
    ruleset,
    source,
    task,
    delivery,
    webhooks,
    suppression,
    announce,
    audit,
    doctor,
  }),
);

// Runs one line of the operator's command line: parses it, runs its command, prints the answer.

/** From the words of a line to the verb they name. */
type Parsed = { help: true; noun?: string } | { help: false; verb: Verb; noun: string; line: CommandLine };

/** A recipient's mark may begin as an option does, and is the last word of its line. */
const MARK = /^-[\w-]{21}$/;

const ALWAYS: readonly string[] = ['json', 'help', 'stage'];

function parse(words: string[]): Parsed {
  const { values: options, positionals } = read(words);
  const [noun, ...rest] = positionals;
  const verbs = noun === undefined ? undefined : NOUNS.get(noun);
  if (options.help && (noun === undefined || verbs)) return { help: true, ...definedFields({ noun }) };
  if (noun === undefined) throw new UsageFault('Say what to work on.');
  if (!verbs) throw new UsageFault(`${quoted(noun)} is not a noun of this command line.`);

  const alone = Object.hasOwn(verbs, '');
  const name = alone ? '' : rest.shift();
  if (name === undefined) throw new UsageFault(`Say what to do with ${noun}.`, noun);
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) throw new UsageFault(`${noun} has no verb ${quoted(name)}.`, noun);
  const line = { args: rest, options };
  check(verb, { noun, said: `${noun} ${name}`.trim(), line });
  return { help: false, verb, noun, line };
}

function read(words: string[]) {
  try {
    const marks = words.filter((word) => MARK.test(word));
    const args = marks.length > 0 ? [...words.filter((word) => !MARK.test(word)), '--', ...marks] : words;
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageFault(
      String((error as Error).message.split('\n')[0]),
      words.find((word) => NOUNS.has(word)),
    );
  }
}

function check(verb: Verb, o: { noun: string; said: string; line: CommandLine }) {
  const {
    args: [least, most],
    options = [],
    needs = [],
  } = verb;
  const { args, options: given } = o.line;
  const fault = (message: string) => new UsageFault(`${o.said} ${message}`, o.noun, verb);
  if (args.length < least) throw fault('needs more words.');
  if (args.length > most) throw fault(`does not know what to do with ${quoted(args[most] ?? '')}.`);
  const taken: readonly string[] = [...ALWAYS, ...options, ...needs];
  const foreign = Object.keys(given).find((option) => !taken.includes(option));
  if (foreign) throw fault(`has no option --${foreign}.`);
  const missing = needs.find((option: OptionName) => given[option] === undefined);
  if (missing) throw fault(`needs --${missing}.`);
}

const quoted = (word: string): string => JSON.stringify(word.slice(0, 80));

/** Runs one line of the operator's and answers with its exit code. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** What is around the line; `open` decides which product it works on. */
export type Outside = {
  open(options: Options, verb: Verb): Promise<State>;
  passwords: Passwords;
  readStdin(): Promise<string>;
  untilStopped(): Promise<void>;
  out(text: string): void;
  err(text: unknown): void;
};

export async function commandLine(words: string[], outside: Outside): Promise<number> {
  try {
    const { text, failed } = await answer(words, outside);
    outside.out(text);
    return failed ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (error instanceof UsageFault) {
      outside.err(`${error.message}\n\n${briefUsage(error)}`);
      return EXIT.usage;
    }
    // What an operator can mend is one line; anything else is our bug and shown whole.
    const told = isProblem(error) ? error.message : damageIn(error);
    outside.err(told === undefined ? error : `errand: ${told}`);
    return EXIT.failed;
  }
}

type Answer = { text: string; failed?: boolean | undefined };

async function answer(words: string[], { open, ...around }: Outside): Promise<Answer> {
  const parsed = parse(words);
  if (parsed.help) return { text: usage(parsed.noun) };
  const { verb, noun, line } = parsed;
  const state = await open(line.options, verb);
  try {
    const shown = await verb.run({ ...state, ...around }, line);
    return { text: line.options.json ? jsonOf(shown) : textOf(shown), failed: shown.failed };
  } catch (error) {
    throw error instanceof UsageFault ? new UsageFault(error.message, noun, verb) : error;
  } finally {
    state.close();
  }
}

const HELP = '  --help  shows what each of them does';

const FOOT = `  ORG      an organization's id, or its exact name
  DELIVERY the webhook-id of an event, as "delivery list" shows it
  ROLE     ${ROLES.join(', ')}
  --stage  the name of a deployed stage, instead of the product on this machine
  --json   only JSON on standard output (with npm run -s errand, or npm writes lines of its own there)
  --help   this page`;

function usage(noun?: string): string {
  const names = noun === undefined ? [...NOUNS.keys()] : [noun];
  return `${headOf(noun)}\n\n${names.flatMap((name) => linesOf(name)).join('\n')}\n\n${FOOT}`;
}

/** No more than fits under a fault without hiding it. */
function briefUsage({ noun, verb }: Pick<UsageFault, 'noun' | 'verb'>): string {
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
  words.length <= MAX_WORDS
    ? `  ${words.padEnd(MAX_WORDS)}  ${about}`
    : `  ${words}\n${' '.repeat(MAX_WORDS + 4)}${about}`;
