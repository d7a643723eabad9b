/** Recognizes dates, amounts, names and the like in a text. */

import { type Passage, type QuoteUnit, readUnits } from './passages.ts';
import type { AnswerKind } from './prompt.ts';

/** Patterns for each kind of answer. */
const NUMERAL =
  '(?:\\d|\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|twice|once|double|no|none|zero)\\b)';
const UNIT =
  '\\b(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|mois|ans?|años?|meses|días)\\b';

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)';

/** A day or a time of a day, not how long something lasts. */
const DAY = `\\b\\d{4}-\\d{2}-\\d{2}|\\b\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\b${MONTH}\\b\\.? ?\\d|\\d(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:19|20)\\d{2}\\b|\\b\\d{1,2} ?[ap]m\\b`;
const SAYS_DAY = new RegExp(DAY, 'iu');
export const saysDay = (text: string): boolean => SAYS_DAY.test(text);

const PATTERNS: Record<AnswerKind, RegExp> = {
  person:
    /(?<!^|[.!?]\s)\p{Lu}[\p{Ll}'’-]+ (?:\p{Lu}\.? )?\p{Lu}[\p{Ll}'’-]+|^\p{Lu}[\p{Ll}'’-]+ \p{Lu}[\p{Ll}'’-]+\b|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? \p{Lu}|\b(?:landlord|tenant|manager|director|supplier|employer|employee|seller|buyer|customer|chair|officer|team)\b/u,
  date: new RegExp(`${DAY}|${NUMERAL}[^.]{0,20}${UNIT}`, 'iu'),
  amount:
    /[$€£¥₹]\s?\d|\d[\d.,' ]*\s?(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|cents?|p\b|k\b|million|%|[$€£¥₹])|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?\d|\d[.,]\d{2}\b|\bfree of charge\b|\bno (?:fee|charge)\b/iu,
  number: new RegExp(NUMERAL, 'iu'),
  percentage: /\d\s?%|\b(?:per ?cent|percent(?:age)? points?|half|quarter|third|prozent|por ciento|pour cent)\b/iu,
  place:
    /\b(?:in|at|near|to|from|of) (?:the )?\p{Lu}|\b(?:[Gg]ate|[Rr]oom|[Hh]all|[Ff]loor|[Bb]ay|[Dd]ock|[Rr]amp|[Bb]uilding|[Ss]helf|[Ss]taircase) \p{Lu}?\d|\b\p{Lu}\p{Ll}+ (?:Street|Road|Avenue|Lane|Square|Terrace|Quay|Wharf|Hill)\b|straße\b|\b(?:rue|calle|via) /u,
  duration: new RegExp(
    `${NUMERAL}[^.]{0,30}${UNIT}|\\b(?:daily|weekly|monthly|quarterly|yearly|annually|every|each|immediately|always|indefinitely)\\b`,
    'iu',
  ),
  reason:
    /\b(?:because|due to|caused?|since|owing to|as a result|reason|therefore|so that|led to|in order to|wegen|weil|car|parce|porque)\b/iu,
  contact: /@\w|\+?\d[\d ()/-]{6,}\d/u,
};

export const looksLike = (kind: AnswerKind, text: string): boolean => PATTERNS[kind].test(text);

const MAX_LISTED = 40;
const MAX_READ = 400_000;

/** Answers requests such as "list all dates": returns all units that contain the kind, in document order. */
export function unitsOfKind(kind: AnswerKind, passages: Passage[], language: string): QuoteUnit[] {
  const listed: QuoteUnit[] = [];
  let read = 0;
  for (const [at, { text }] of passages.entries()) {
    read += text.length;
    if (listed.length >= MAX_LISTED || read > MAX_READ) break;
    listed.push(...readUnits(at, passages, language).filter((unit) => looksLike(kind, unit.text)));
  }
  return listed.slice(0, MAX_LISTED);
}
