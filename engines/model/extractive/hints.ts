/** What kind of thing a question wants: by the words it is asked with. */

import { stem } from './stem.ts';

export type AnswerKind =
  | 'person'
  | 'date'
  | 'amount'
  | 'number'
  | 'percentage'
  | 'place'
  | 'duration'
  | 'reason'
  | 'contact';

/** The first one that fits. */
const QUESTION_PATTERNS: [RegExp, AnswerKind][] = [
  [
    /\bhow (?:long|often|quickly|fast|soon|old|frequently)\b|\bwhat (?:is|was|are) the (?:duration|notice period|term|period|deadline)\b|\bhow (?:many|much) (?:time|hours|days|weeks|months|years|minutes)\b|\bwie (?:lange|oft)\b|\bcombien de temps\b/iu,
    'duration',
  ],
  [/\b(?:percent(?:age)?|what share|proportion|rate of)\b|%|\bprozent/iu, 'percentage'],
  [
    /\b(?:when|what (?:date|day|time)|which (?:date|day|month|year)|by what date|deadlines?|due dates?|dates|since when|until when|wann|quand|cuándo|quando|wanneer)(?!\p{L})/iu,
    'date',
  ],
  [/\b(?:e-?mail address|e-?mails|phones?|telephones?|contact details|contacts|reach)\b/iu, 'contact'],
  [
    /\b(?:who|whom|whose|which (?:person|people|company|supplier|colleague)|(?:all|list)(?: the| of the)* (?:names?|people|persons)|wer|wen|wem|qui|quién|quem)(?!\p{L})/iu,
    'person',
  ],
  [
    /\b(?:where|which (?:city|country|town|room|place|site)|what (?:city|country|town|room|place|address)|address|location|wo|wohin|où|dónde|onde|dove)(?!\p{L})/iu,
    'place',
  ],
  [
    /\b(?:how much (?:do|does|did|is|are|was|were|will|would|money|should|must|can)|costs?|prices?|fees?|sums|salary|budget|rent|amounts?|total|charged?|owed?|paid|pay|wie ?viel kostet|kosten|combien|cuánto cuesta)(?!\p{L})/iu,
    'amount',
  ],
  [
    /\bhow (?:many|much|big|large|tall|heavy|wide|high|hot|cold|far|deep|loud)\b|\b(?:number|capacity|size|weight|temperature|maximum|minimum|limit) of\b|\bwie ?viele?\b|\bcuánt[oa]s?\b/iu,
    'number',
  ],
  [/\b(?:why|reason|cause[ds]?|what led|warum|pourquoi|por qué)(?!\p{L})/iu, 'reason'],
];

export const answerKindOf = (question: string): AnswerKind | undefined =>
  QUESTION_PATTERNS.find(([asked]) => asked.test(question))?.[1];

const KINDS = new Set(
  `date deadline day time amount price cost sum money fee figure name person people participant email mail address phone
   telephone contact number percentage place`
    .split(/\s+/)
    .map(stem),
);

/** Whether the terms name nothing but kinds of things: "list all dates and amounts". */
export const onlyKinds = (terms: string[]): boolean => terms.length > 0 && terms.every((term) => KINDS.has(term));
