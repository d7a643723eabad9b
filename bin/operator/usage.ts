/** The page that tells what can be said, for all nouns or one. */
import { ROLES } from '../../shared/accounts/caller.ts';
import { NOUNS } from './nouns.ts';

const MOST_WORDS = 32;

const FOOT = `  ORG      an organization's id, or its exact name
  DELIVERY the webhook-id of an event, as "delivery list" shows it
  ROLE     ${ROLES.join(', ')}
  --stage  the name of a deployed stage, instead of the product on this machine
  --json   only JSON on standard output
  --help   this page`;

export function usage(noun?: string): string {
  const shown = [...NOUNS].filter(([name]) => noun === undefined || name === noun);
  const lines = shown.flatMap(([name, verbs]) =>
    Object.values(verbs).map((verb) => lineOf(`${name} ${verb.usage}`.trim(), verb.about)),
  );
  return `Usage: npm run errand -- ${noun ?? '<noun>'} [<verb>] [--stage NAME] [--json]\n\n${lines.join('\n')}\n\n${FOOT}`;
}

const lineOf = (words: string, about: string): string =>
  words.length <= MOST_WORDS
    ? `  ${words.padEnd(MOST_WORDS)}  ${about}`
    : `  ${words}\n${' '.repeat(MOST_WORDS + 4)}${about}`;
