/** From the words of a line to the verb they name. */
import { parseArgs } from 'node:util';
import { NOUNS } from './nouns.ts';
import { type CommandLine, OPTIONS, type OptionName, UsageFault, type Verb } from './verb.ts';

type Parsed = { help: true; noun?: string } | { help: false; verb: Verb; noun: string; line: CommandLine };

/** A recipient's mark may begin as an option does, and is the last word of its line. */
const MARK = /^-[\w-]{21}$/;

const ALWAYS: readonly string[] = ['json', 'help', 'stage'];

export function parse(words: string[]): Parsed {
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
