/** What kind of thing a question wants, and what such a thing looks like in a text. */

export type Hint =
  | 'person'
  | 'date'
  | 'amount'
  | 'number'
  | 'percentage'
  | 'place'
  | 'duration'
  | 'reason'
  | 'contact'
  | 'address';

const NUMERAL =
  '(?:\\d|\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|twice|once|double|no|none|zero)\\b)';
const UNIT =
  '(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|mois|ans?|años?|meses|días)';

/** Asked in this way ... */
const ASKED: [RegExp, Hint][] = [
  [
    /\bhow (?:long|often|quickly|fast|soon|old|frequently)\b|\bwhat (?:is|was|are) the (?:duration|notice period|term|period|deadline)\b|\bhow (?:many|much) (?:time|hours|days|weeks|months|years|minutes)\b|\bwie (?:lange|oft)\b|\bcombien de temps\b/iu,
    'duration',
  ],
  [/\b(?:percent(?:age)?|what share|proportion|rate of)\b|%|\bprozent/iu, 'percentage'],
  [
    /\b(?:when|what (?:date|day|time)|which (?:date|day|month|year)|by what date|deadline|due date|since when|until when|wann|quand|cuándo|quando|wanneer)(?!\p{L})/iu,
    'date',
  ],
  [/\b(?:e-?mail address|phone|telephone|contact details|reach)\b/iu, 'contact'],
  [
    /\b(?:who|whom|whose|which (?:person|people|company|supplier|colleague)|name of the|wer|wen|wem|qui|quién|quem)(?!\p{L})/iu,
    'person',
  ],
  [
    /\b(?:where|which (?:city|country|town|room|place|site)|what (?:city|country|town|room|place|address)|address|location|wo|wohin|où|dónde|onde|dove)(?!\p{L})/iu,
    'place',
  ],
  [
    /\b(?:how much (?:do|does|did|is|are|was|were|will|would|money|should|must|can)|cost|costs|price|prices|fee|salary|budget|rent|amount|total|charged?|owed?|paid|pay|wie ?viel kostet|kosten|combien|cuánto cuesta)(?!\p{L})/iu,
    'amount',
  ],
  [
    /\bhow (?:many|much|big|large|tall|heavy|wide|high|hot|cold|far|deep|loud)\b|\b(?:number|capacity|size|weight|temperature|maximum|minimum|limit) of\b|\bwie ?viele?\b|\bcuánt[oa]s?\b/iu,
    'number',
  ],
  [/\b(?:why|reason|cause[ds]?|what led|warum|pourquoi|por qué)(?!\p{L})/iu, 'reason'],
];

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)';

/** ... and answered by something like this. */
const LOOKS: Record<Hint, RegExp> = {
  person:
    /(?<!^|[.!?]\s)\p{Lu}[\p{Ll}'’-]+ (?:\p{Lu}\.? )?\p{Lu}[\p{Ll}'’-]+|^\p{Lu}[\p{Ll}'’-]+ \p{Lu}[\p{Ll}'’-]+\b|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? \p{Lu}|\b(?:landlord|tenant|manager|director|supplier|employer|employee|seller|buyer|customer|chair|officer|team)\b/u,
  date: new RegExp(
    `\\b\\d{4}-\\d{2}-\\d{2}|\\b\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\b${MONTH}\\b\\.? ?\\d|\\d(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:19|20)\\d{2}\\b|\\b\\d{1,2} ?[ap]m\\b|${NUMERAL}[^.]{0,20}${UNIT}`,
    'iu',
  ),
  amount:
    /[$€£¥₹]\s?\d|\d[\d.,' ]*\s?(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|cents?|p\b|k\b|million|%|[$€£¥₹])|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?\d|\d[.,]\d{2}\b|\bfree of charge\b|\bno (?:fee|charge)\b/iu,
  number: new RegExp(NUMERAL, 'iu'),
  percentage: /\d\s?%|\b(?:per ?cent|percent(?:age)? points?|half|quarter|third|prozent|por ciento|pour cent)\b/iu,
  place:
    /\b(?:street|road|avenue|lane|square|room|floor|hall|building|office|city|germany|france|england|straße|strasse|rue|calle|at|in|near|warehouse|courts? of)\b/iu,
  duration: new RegExp(
    `${NUMERAL}[^.]{0,30}${UNIT}|\\b(?:daily|weekly|monthly|quarterly|yearly|annually|every|each|immediately|always|indefinitely)\\b`,
    'iu',
  ),
  reason:
    /\b(?:because|due to|caused?|since|owing to|as a result|reason|therefore|so that|led to|in order to|wegen|weil|car|parce|porque)\b/iu,
  contact: /@\w|\+?\d[\d ()/-]{6,}\d/u,
  address: /\d/u,
};

export const hintOf = (question: string): Hint | undefined => ASKED.find(([asked]) => asked.test(question))?.[1];

export const looksLike = (hint: Hint, text: string): boolean => LOOKS[hint].test(text);
