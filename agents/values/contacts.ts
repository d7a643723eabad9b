/** Email addresses, phone numbers and URLs. */

import { matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';

const LABEL = '[\\p{L}\\d](?:[\\p{L}\\d-]{0,61}[\\p{L}\\d])?';
const EMAIL = new RegExp(
  `(?<![\\p{L}\\d._%+\\\\-])[\\p{L}\\d](?:[\\p{L}\\d._%+'\\\\-]{0,62}[\\p{L}\\d_+-])?@(?:${LABEL}\\.){1,8}\\p{L}{2,24}(?![\\p{L}\\d])`,
  'gu',
);

export const emails: Rule = (text) =>
  matchesOf(EMAIL, text, (_, [written = '']) => ({ value: plain(written).toLowerCase() }));

const URL_TEXT = /(?<![\p{L}\d@])(?:https?:\/\/|www\.)[^\s<>"|()[\]{}]{3,2000}/giu;
const LOOSE_END = /[.,;:!?'*_`]+$/;

export const urls: Rule = (text) =>
  matchesOf(URL_TEXT, text, (_, [written = '']) => ({ value: plain(written).replace(LOOSE_END, '') })).map((match) => ({
    ...match,
    end: match.end - (text.slice(match.start, match.end).match(LOOSE_END)?.[0].length ?? 0),
  }));

const DIGITS = '(?:\\(0?\\d{1,5}\\)|\\d)(?:[ \\u00a0./()-]{0,3}\\d){5,14}';
const INTERNATIONAL =
  /(?<![\p{L}\d+]|\d )(?:\+|00(?=[1-9]\d))[ \u00a0]?\d{1,3}(?:[ \u00a0./()-]{0,3}\d){6,13}(?![\d])/gu;
const LABELLED = new RegExp(
  `(?<![\\p{L}])(?:tele ?phone|phone|tel|mobile|mobil|cell|fax|telefax|telefon|telefoon|t[ée]l[ée]phone|t[ée]l|tel[ée]fono|telefono|telefone|portable|m[óo]vil|hotline|handy|call(?: us)?(?: on| at)?)(?: ?(?:no|number|nr|nummer)\\b)?[.:]{0,2}[ \\u00a0|*]{0,5}(?<number>${DIGITS})(?!\\d)`,
  'giu',
);
const NORTH_AMERICAN = /(?<![\p{L}\d.+-])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\d-])/gu;
/** Three groups behind the trunk prefix 0, such as 020 7946 0958, that are no part of a longer number. */
const NATIONAL = /(?<![\p{L}\d.,+/-]|\d )0\d{2,4} \d{3,4} \d{3,4}(?![\d/-]|[ .,]\d)/gu;

export const phoneNumbers: Rule = (text) => {
  const labelled = matchesOf(LABELLED, text, ({ number = '' }) => numberOf(number)).map((match) =>
    withoutLabel(text, match),
  );
  return withoutOverlaps([
    ...labelled,
    ...[INTERNATIONAL, NORTH_AMERICAN, NATIONAL].flatMap((pattern) =>
      matchesOf(pattern, text, (_, [written = '']) => numberOf(written)),
    ),
  ]);
};

/** Removes the backslashes with which document readers escape Markdown characters. */
const plain = (text: string): string => text.replaceAll('\\', '');

const MIN_DIGITS = 6;
const MAX_DIGITS = 15;

/** Keeps only digits, with a leading plus for international numbers. The zero in `+44 (0)20` is not dialled. */
function numberOf(written: string): Pick<RuleMatch, 'value'> | undefined {
  const isWorldwide = /^(?:\+|00)/.test(written);
  const digits = written
    .replace(/^00(?=[1-9]\d)/, '')
    .replace(isWorldwide ? '(0)' : '\0', '')
    .replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return undefined;
  return { value: `${isWorldwide ? '+' : ''}${digits}` };
}

/** Narrows the match to the number, without the label before it. */
function withoutLabel(text: string, match: RuleMatch): RuleMatch {
  const at = text.slice(match.start, match.end).search(/[\d(]/);
  return { ...match, start: match.start + at };
}
