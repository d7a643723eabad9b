/** The name of a stage: as given, or derived from a branch name. */

import { createHash } from 'node:crypto';

/** The production stage. No other stage name may start with its name. */
export const PRODUCTION_STAGE = 'production';

/** The models of organizations of a stage whose deployment names none; the first is the default. */
export const STAGE_MODELS = ['bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'offline/extractive'] as const;

const NAME = /^(?=.{1,30}$)[a-z]([a-z0-9-]*[a-z0-9])?$/;
const MAX_CHARACTERS = 255;
const MAX_OF_SLUG = 23;
const MARK_CHARACTERS = 6;

/** Valid names stay unchanged; a branch such as `feature/My-Branch` becomes a slug with six characters of its hash. */
export function stageName(text: string): string {
  if (text === PRODUCTION_STAGE) return text;
  const name = NAME.test(text) ? text : nameOf(text);
  if (name.startsWith(PRODUCTION_STAGE)) throw invalidStage(text);
  return name;
}

function nameOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, MAX_OF_SLUG)
    .replace(/-+$/, '');
  if (slug === '' || text.length > MAX_CHARACTERS || !isPlain(text)) throw invalidStage(text);
  return `${slug}-${createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARACTERS)}`;
}

/** Approximately the branch names that git allows: no blanks, no control characters, no path traversal. */
const isPlain = (text: string): boolean => /^[!-~]+$/.test(text) && !text.includes('..') && !/^[-/]/.test(text);

const invalidStage = (text: string): RangeError => {
  const rule = 'give 1 to 30 lower-case letters, digits and hyphens, a letter first, or the name of a branch';
  const exception = `only ${PRODUCTION_STAGE} itself begins so`;
  return new RangeError(`The stage is ${JSON.stringify(text.slice(0, 80))}: ${rule}; ${exception}.`);
};
