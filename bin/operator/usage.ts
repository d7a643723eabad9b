/** The page that tells what can be said, for all nouns or one. */
import { ROLES } from '../../shared/accounts/caller.ts';
import { NOUNS } from './nouns.ts';
import type { UsageFault, Verb } from './verb.ts';

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
