/** The short names that documents define, such as "earnings per share (EPS)", so that either form finds the other. */
import type { Passage } from './passages.ts';
import { fold, STOP_WORDS, stem, wordsOf } from './words.ts';

/** For each stem of a prompt, the literal forms that mean the same in the documents. */
export type Glossary = ReadonlyMap<string, readonly string[]>;

/** A short name in brackets after the words that it stands for. */
const SHORT = /\((?:the )?["“”']?(\p{Lu}[\p{L}&-]{1,9})["“”']?\)/gu;
const LOOK_BACK = 100;
const MAX_READ = 4_000_000;
const MAX_DEFINITIONS = 200;

export function glossaryOf(prompt: string, passages: readonly Passage[]): Glossary {
  const wanted = new Set(wordsOf(prompt).map(stem));
  const forms = new Map<string, Set<string>>();
  const add = (word: string, form: string): void => {
    if (wanted.has(word)) forms.set(word, (forms.get(word) ?? new Set()).add(fold(form)));
  };
  for (const { long, short } of definitionsIn(passages)) {
    const words = wordsOf(long)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem);
    add(stem(fold(short)), long);
    if (words.every((word) => wanted.has(word))) for (const word of words) add(word, short);
  }
  return new Map([...forms].map(([word, all]) => [word, [...all]]));
}

function definitionsIn(passages: readonly Passage[]): { long: string; short: string }[] {
  const found = new Map<string, { long: string; short: string }>();
  let read = 0;
  for (const { text } of passages) {
    read += text.length;
    if (read > MAX_READ) break;
    for (const { 1: short = '', index } of text.matchAll(SHORT)) {
      const before = text.slice(Math.max(0, index - LOOK_BACK), index);
      const long = spelledOut(before.trim().split(/\s+/), short);
      if (long !== undefined) found.set(`${short} ${long}`, { long, short });
      if (found.size >= MAX_DEFINITIONS) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** The last words whose initials are the letters of the short name; small words may stand between them. */
function spelledOut(words: string[], short: string): string | undefined {
  const letters = fold(short).replace(/[^\p{L}]/gu, '');
  let left = letters.length;
  for (let at = words.length - 1; at >= 0 && left > 0; at--) {
    const initials = (words[at] ?? '')
      .split(/[-/]/)
      .map((part) => fold(part).charAt(0))
      .join('');
    const tail = letters.slice(Math.max(0, left - initials.length), left);
    if (initials !== '' && initials === tail) left -= initials.length;
    else if (!STOP_WORDS.has(fold(words[at] ?? '')) || left === letters.length) return undefined;
    if (left === 0) return words.slice(at).join(' ');
  }
  return undefined;
}
