/** The arguments of a script of package.json: a script refuses unknown ones with its usage, before it does any work. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';

/** An option with its line in the usage; `value` is the placeholder of its value, such as `N`. */
type Option = ParseArgsOptionDescriptor & { help: string; value?: string };
type Options = Record<string, Option>;

export type Script<O extends Options> = {
  /** What people type, such as `npm run bench`. */
  command: string;
  /** Arguments without a name, such as `[FOLDER]`, and how many of them a call has at least and at most. None if absent. */
  positionals?: { usage: string; count: readonly [min: number, max: number] };
  options?: O;
};

export class UsageError extends Error {}

const HELP = { help: { type: 'boolean', help: 'prints this page' } } as const satisfies Options;

/** What follows `--` counts as positionals. Throws a `UsageError` that says in one line what is wrong. */
export function parseArguments<const O extends Options = Record<never, never>>(script: Script<O>, args: string[]) {
  const { positionals: { usage, count } = { usage: '', count: [0, 0] as const } } = script;
  const options = { ...script.options, ...HELP } as O & typeof HELP;
  const { values, positionals } = parsed(() => parseArgs({ args, options, allowPositionals: true }));
  const extra = positionals[count[1]];
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'.`);
  if (positionals.length < count[0] && !('help' in values)) throw new UsageError(`Missing argument: ${usage}.`);
  return { values, positionals };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // The sentences after the first advise on positionals, which a script may not accept.
    const [sentence = ''] = (error as Error).message.split(/\.?\s*\n|\.\s|\.$/);
    throw new UsageError(`${sentence}.`);
  }
}

/** Ends the process if the arguments are wrong or ask for help. */
export function readArguments<const O extends Options = Record<never, never>>(script: Script<O>) {
  try {
    const read = parseArguments(script, process.argv.slice(2));
    if (!('help' in read.values)) return read;
    console.log(usageOf(script));
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refuseArguments(script, error.message);
  }
}

const USAGE_EXIT_CODE = 2;

/** For what only the script itself can judge, such as the name of a benchmark. */
export function refuseArguments(script: Script<Options>, message: string): never {
  console.error(`${message}\n\n${usageOf(script)}`);
  process.exit(USAGE_EXIT_CODE);
}

export function usageOf({ command, positionals, options = {} }: Script<Options>): string {
  const words = Object.entries(options).map(([name, option]) => ({ ...option, word: wordOf(name, option) }));
  const optional = words.map(({ word, multiple }) => `[${word}${multiple ? ' ...' : ''}]`);
  const args = [...(positionals ? [positionals.usage] : []), ...optional].join(' ');
  const width = Math.max(...words.map(({ word }) => word.length), 0) + 2;
  const lines = words.map(({ word, help }) => `  ${word.padEnd(width)}${help}`);
  return [`Usage: ${command}${args && ` -- ${args}`}`, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

const wordOf = (name: string, { value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);
