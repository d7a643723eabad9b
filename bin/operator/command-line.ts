/** Runs one line of the operator's and answers with its exit code. */
import { damageIn } from '../../local/state-fault.ts';
import { isProblem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import { parse } from './parse.ts';
import { jsonOf, textOf } from './show.ts';
import { briefUsage, usage } from './usage.ts';
import { type Options, type State, UsageFault, type Verb } from './verb.ts';

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
