/** Runs one line of the operator's command line: parses it, runs its command, prints the answer. */
import { parseArgs } from 'node:util';
import { damageIn } from '../../adapters/local/state-folder.ts';
import { isProblem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import {
  briefUsage,
  type CommandLine,
  OPTIONS,
  type OptionName,
  type Options,
  type State,
  UsageFault,
  usage,
  type Verb,
} from './command.ts';
import { NOUNS } from './nouns.ts';

/** From the words of a line to the verb they name. */
type Parsed = { help: true; noun?: string } | { help: false; verb: Verb; noun: string; line: CommandLine };

/** A recipient's mark may begin as an option does, and is the last word of its line. */
const MARK = /^-[\w-]{21}$/;

const ALWAYS: readonly string[] = ['json', 'help', 'stage'];

function parse(words: string[]): Parsed {
  const { values: options, positionals } = read(words);
  const [noun, ...rest] = positionals;
  const verbs = noun === undefined ? undefined : NOUNS.get(noun);
  if (options.help && (noun === undefined || verbs)) return { help: true, ...(noun === undefined ? {} : { noun }) };
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

/** What a verb answers, as JSON or as aligned text. */
export type CommandOutput = Record<string, unknown>;
/** `failed`: what is shown is no good, and the line ends as one that failed. */
export type ShownValue = { report: CommandOutput | CommandOutput[]; note?: string; failed?: true };

/** What goes with every answer that holds a secret. */
export const SHOWN_ONCE = 'Keep the secrets above now: they are shown this once.';

export const jsonOf = ({ report }: ShownValue): string => JSON.stringify(report);

export function textOf({ report, note }: ShownValue): string {
  const table = Array.isArray(report) ? listText(report) : recordText(report);
  return note === undefined ? table : `${table}\n\n${note}`;
}

function recordText(report: CommandOutput): string {
  return aligned(Object.entries(report).map(([name, value]) => [name, cell(value)]));
}

function listText(rows: CommandOutput[]): string {
  const [first] = rows;
  if (!first) return '  none';
  const names = Object.keys(first);
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

/** Nothing that was stored can move the cursor or colour the terminal. */
const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

export const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

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
