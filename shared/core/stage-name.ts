/** What a stage is called: by its name, or for a branch by what can be made of the branch's name. */
import { createHash } from 'node:crypto';

/** The stage that is kept. No other begins as its name does. */
export const KEPT_STAGE = 'production';

const NAME = /^(?=.{1,30}$)[a-z]([a-z0-9-]*[a-z0-9])?$/;
const MOST_CHARACTERS = 255;
const MOST_OF_SLUG = 23;
const MARK_CHARACTERS = 6;

/** A name stays; a branch such as `feature/My-Branch` becomes letters, digits and hyphens, and six that tell it from others. */
export function stageName(given: string): string {
  if (given === KEPT_STAGE) return given;
  const name = NAME.test(given) ? given : nameOf(given);
  if (name.startsWith(KEPT_STAGE)) throw bad(given);
  return name;
}

function nameOf(given: string): string {
  const slug = given
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, MOST_OF_SLUG)
    .replace(/-+$/, '');
  if (slug === '' || given.length > MOST_CHARACTERS || !isPlain(given)) throw bad(given);
  return `${slug}-${createHash('sha256').update(given).digest('hex').slice(0, MARK_CHARACTERS)}`;
}

/** What git takes as the name of a branch, near enough: no blanks, no controls, no way out of a folder. */
const isPlain = (text: string): boolean => /^[!-~]+$/.test(text) && !text.includes('..') && !/^[-/]/.test(text);

const bad = (given: string): RangeError => {
  const rule = 'give 1 to 30 lower-case letters, digits and hyphens, a letter first, or the name of a branch';
  const others = `only ${KEPT_STAGE} itself begins so`;
  return new RangeError(`The stage is ${JSON.stringify(given.slice(0, 80))}: ${rule}; ${others}.`);
};
