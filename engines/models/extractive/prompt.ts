/**
 * Reads a prompt into requests: what to search for, whether to answer, list, compare or summarize, and the kind of
 * answer.
 */

import { type Passage, type QuoteUnit, readUnits, splitSentences } from '../../retrieval/passages.ts';
import { stem } from '../../retrieval/words.ts';
import { termsOf } from './terms.ts';

/** The kind of answer that a question expects, by its wording. */
export type AnswerKind =
  | 'person'
  | 'date'
  | 'due'
  | 'amount'
  | 'number'
  | 'percentage'
  | 'place'
  | 'duration'
  | 'reason'
  | 'phone'
  | 'contact';

/**
 * Words of a question for the date by which something must be paid. `due` may also mean an amount, so it counts only beside
 * a word for time.
 */
const UNTIL =
  /(?<!\p{L})(?:deadline|(?:by|until) (?:when|which|what)|(?:when|wann) (?:must|do|does|should|have|has|muss|müssen|soll|sollte|ist)|at the latest|bis wann|bis zu welchem|fälligkeit\p{L}*|spätestens|zahlungsziel|zahlungsfrist|jusqu['’]à quand|avant quand|avant quelle|quand (?:faut|doit|dois|devons)|échéance|date limite|hasta cuándo|cuándo (?:hay|debo|debe|vence)|antes de qué|vencimiento|fecha límite|entro (?:quando|quale)|quando (?:scade|si deve|bisogna|devo)|scadenza)(?!\p{L})/iu;
const DUE = /(?<!\p{L})(?:due|fällig(?:e[mnrs]?)?|vencen?|scad(?:e|ono))(?!\p{L})/iu;
const TIME =
  /(?<!\p{L})(?:when|dates?|day|by|until|wann|bis|datum|tag|quand|jour|avant|cuándo|fecha|día|hasta|quando|data|giorno|entro)(?!\p{L})/iu;
const PAID =
  /(?<!\p{L})(?:pay|paid|payments?|payable|invoices?|bills?|(?:be|to) settled?|due dates?|zahlen|bezahlen|gezahlt|bezahlt|zahlung\p{L}*|überw\p{L}+|rechnung\p{L}*|fälligkeit\p{L}*|betrag|payer|payée?s?|paiements?|règlement|régler|factures?|échéance|pagar|pagarse|pagad[oa]|pagos?|facturas?|vencimiento|pagare|pagat[oa]|pagamento|fattur[ae]|scadenza)(?!\p{L})/iu;
/** "What amount" and "what is the total", but not "by what date is the amount". */
const HOW_MUCH =
  /(?<!\p{L})(?:how much|wie ?viel|wie hoch|combien|cuánt[oa]s?|quant[oaie]|(?:what|which|state|give|name|list|welch\p{L}+|was|nenn\p{L}*|quel(?:le)?s?|qué|cuál|qual[ei]?|che)(?:[ '’](?!(?:dates?|day|time|datum|tag|jour|fecha|día|data|giorno)[ '’])\p{L}+){0,3}[ '’](?:amounts?|totals?|sums?|balance|price|beträge|\p{L}*betrag|\p{L}*summe|montant|somme|importe|monto|suma|importo|somma|totale?))(?!\p{L})/iu;
const asksWhenToPay = (question: string, whole: string): boolean =>
  (UNTIL.test(question) || (DUE.test(question) && TIME.test(question))) && PAID.test(whole) && !asksHowMuch(question);
export const asksHowMuch = (question: string): boolean => HOW_MUCH.test(question);

/** The first pattern that matches decides. */
const QUESTION_PATTERNS: [RegExp, AnswerKind][] = [
  [
    /\bhow (?:long|often|quickly|fast|soon|old|frequently)\b|\bwhat (?:is|was|are) the (?:duration|notice period|term|period|deadline)\b|\bhow (?:many|much) (?:time|hours|days|weeks|months|years|minutes)\b|\bwie (?:lange|oft)\b|\bcombien de temps\b/iu,
    'duration',
  ],
  [/\b(?:percent(?:age)?|what share|proportion|rate of)\b|%|\bprozent/iu, 'percentage'],
  [
    // "What must I do when I leave?" asks for no time.
    /\b(?:(?<!\b(?:what|who|how|which|why) [^?,]{1,40})when|what (?:date|day|time)|which (?:date|day|month|year)|by what date|deadlines?|due dates?|dates|since when|until when|wann|quand|cuándo|quando|wanneer)(?!\p{L})/iu,
    'date',
  ],
  [
    /(?<!\p{L})(?:phones?|telephones?|mobile numbers?|telefon\p{L}*|rufnummer|téléphones?|teléfonos?|cellulare)(?!\p{L})/iu,
    'phone',
  ],
  [/\b(?:e-?mail address|e-?mails|contact details|contacts|reach)\b/iu, 'contact'],
  [
    /\b(?:who|whom|whose|which (?:person|people|company|supplier|colleague)|names? of (?:the|our|your|its|their) (?:[\p{L}-]+ )?\p{L}+(?:[eo]r|man|woman|chief|head|president|ceo|tenant|client)s?|(?:all|list)(?: the| of the)* (?:names?|people|persons)|wer|wen|wem|qui|quién|quem)(?!\p{L})/iu,
    'person',
  ],
  [
    /\b(?:where|which (?:city|country|town|room|place|site)|what (?:city|country|town|room|place|address)|address|location|wo|wohin|où|dónde|onde|dove)(?!\p{L})/iu,
    'place',
  ],
  [
    /\b(?:how much (?:do|does|did|is|are|was|were|will|would|money|should|must|can)|costs?|prices?|fees?|sums|salary|budget|rent|amounts?|total|charged?|owed?|paid|pay|wie ?viel kostet|kosten|combien|cuánto cuestan?|quanto costan?o?|wie (?:hoch|teuer))(?!\p{L})/iu,
    'amount',
  ],
  [
    /\bhow (?:many|much|big|large|tall|heavy|wide|high|hot|cold|far|deep|loud)\b|\b(?:number|capacity|size|weight|temperature|maximum|minimum|limit) of\b|\bwie ?viele?\b|\bcuánt[oa]s?\b/iu,
    'number',
  ],
  [/\b(?:why|reason|cause[ds]?|what led|warum|pourquoi|por qué)(?!\p{L})/iu, 'reason'],
];

/** A part of a question may leave to the whole what is paid, as "and when is it due" does. */
const answerKindOf = (question: string, whole = question): AnswerKind | undefined =>
  asksWhenToPay(question, whole) ? 'due' : QUESTION_PATTERNS.find(([asked]) => asked.test(question))?.[1];

/** Patterns for each kind of answer. */
const NUMERAL =
  '(?:\\d|\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|twice|once|double|no|none|zero)\\b)';
const TIME_UNIT =
  '\\b(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|mois|ans?|años?|meses|días)\\b';

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)';

/** A day or a time of a day, not how long something lasts. */
const DAY = `\\b\\d{4}-\\d{2}-\\d{2}|\\b\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\b${MONTH}\\b\\.? ?\\d|\\d(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:19|20)\\d{2}\\b|\\b\\d{1,2} ?[ap]m\\b`;
const SAYS_DAY = new RegExp(DAY, 'iu');
export const saysDay = (text: string): boolean => SAYS_DAY.test(text);

const WROTE =
  /(?<!\p{L})(?:who (?:wrote|has written)|who (?:is|are|was|were) the authors?|author|wer (?:hat|ist|sind)|geschrieben|verfasst|autor(?:en|in|e)?|verfasser|qui (?:a écrit|a rédigé)|auteurs?|quién (?:escribió|es el autor)|chi ha scritto)(?!\p{L})/giu;
const OF_DOCUMENT =
  /^\W*(?:(?:of|von|vom|de|du|di|for) )?(?:this|the|dieses?|das|der|die|ce|cet|cette|le|la|este|esta|el|questo|questa)? ?(?:document|text|manual|handbook|guide|book|booklet|report|paper|article|study|letter|policy|handbuch|dokument|anleitung|buch|bericht|artikel|studie|brief|manuel|guide|livre|rapport|lettre|manual|guía|libro|informe|artículo|carta|documento|texto|testo)?\W*$/iu;
/** "Who wrote this manual?" asks for no other text than the document itself. */
function asksForAuthor(question: string): boolean {
  const rest = question.replaceAll(WROTE, ' ');
  return rest !== question && OF_DOCUMENT.test(rest.replaceAll(/ {2,}/g, ' '));
}
/** As a document names its author at its beginning. */
const AUTHORED =
  /©|\(c\) ?(?:19|20)\d|copyright|(?:^\W*|(?:written|drafted|prepared|compiled|verfasst|geschrieben|écrit|rédigé|escrito) )(?:by|von|par|por) |^\W*(?:authors?|autor(?:en|in)?|verfasser(?:in)?|auteurs?)(?!\p{L})/iu;
const MAX_LINE = 120;
const saysAuthor = (line: string): boolean =>
  line.length < MAX_LINE && AUTHORED.test(line) && looksLike('person', line);
/** Which lines answer a question for the author. Undefined for another question. */
export const authorTest = (question: string): ((line: string) => boolean) | undefined =>
  asksForAuthor(question) ? saysAuthor : undefined;

/** As papers announce the day of a payment. */
const PAYABLE =
  '(?:(?<!\\p{L})(?:due|payable|pay(?:ment)? (?:by|before|until|within)|paid (?:by|before|within)|fällig\\p{L}*|zahlbar|zu (?:be)?zahlen|zahlungs(?:ziel|frist|termin)|(?:über|an)weis\\p{L}+|échéance|payable|à (?:payer|régler)|date limite|vencimiento|vence|pagadero|pagar|fecha límite|scadenza|scade|pagabile|da pagare|pagamento entro)(?!\\p{L}))';

const PATTERNS: Record<AnswerKind, RegExp> = {
  person:
    /(?<!^|[.!?]\s)\p{Lu}[\p{Ll}'’-]+ (?:\p{Lu}\.? )?\p{Lu}[\p{Ll}'’-]+|^\p{Lu}[\p{Ll}'’-]+ \p{Lu}[\p{Ll}'’-]+\b|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? \p{Lu}|\b(?:landlord|tenant|manager|director|supplier|employer|employee|seller|buyer|customer|chair|officer|team)\b/u,
  date: new RegExp(`${DAY}|${NUMERAL}[^.]{0,20}${TIME_UNIT}`, 'iu'),
  due: new RegExp(
    `${PAYABLE}[^]{0,80}?(?:${DAY}|${NUMERAL}[^.]{0,20}${TIME_UNIT})|(?:${DAY})[^]{0,30}?${PAYABLE}`,
    'iu',
  ),
  phone: /(?<![\d.,/-])(?!\d{4}-\d\d-\d\d|\d{1,2}([/-])\d{1,2}\1\d{2,4}(?!\d))\+?\(?\d[\d ()/-]{5,18}\d(?![\d.,]*\d)/u,
  amount:
    /[$€£¥₹]\s?\d|\d[\d.,' ]*\s?(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|cents?|p\b|k\b|million|%|[$€£¥₹])|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?\d|\d[.,]\d{2}\b|\bfree of charge\b|\bno (?:fee|charge)\b/iu,
  number: new RegExp(NUMERAL, 'iu'),
  percentage: /\d\s?%|\b(?:per ?cent|percent(?:age)? points?|half|quarter|third|prozent|por ciento|pour cent)\b/iu,
  place:
    /\b(?:in|at|near|to|from|of) (?:the )?\p{Lu}|\b(?:[Gg]ate|[Rr]oom|[Hh]all|[Ff]loor|[Bb]ay|[Dd]ock|[Rr]amp|[Bb]uilding|[Ss]helf|[Ss]taircase) \p{Lu}?\d|\b\p{Lu}\p{Ll}+ (?:Street|Road|Avenue|Lane|Square|Terrace|Quay|Wharf|Hill)\b|straße\b|\b(?:rue|calle|via) /u,
  duration: new RegExp(
    `${NUMERAL}[^.]{0,30}${TIME_UNIT}|\\b(?:daily|weekly|monthly|quarterly|yearly|annually|every|each|immediately|always|indefinitely)\\b`,
    'iu',
  ),
  reason:
    /\b(?:because|due to|caused?|since|owing to|as a result|reason|therefore|so that|led to|in order to|wegen|weil|car|parce|porque)\b/iu,
  contact: /@\w|\+?\d[\d ()/-]{6,}\d/u,
};

export const looksLike = (kind: AnswerKind, text: string): boolean => PATTERNS[kind].test(text);

/** No number of a section, as 12.1.1 is. */
const ANY_NUMBER = /(?<![\d.])\d+(?:[.,]\d+)?(?![\d.]*\.\d)/u;

const EACH_DAY = new RegExp(`\\d*(?:${DAY})`, 'giu');

/** Words of a sentence about money, in German as a part of a word. */
const OF_MONEY =
  /(?<!\p{L})(?:pric(?:e|ing)|costs?|fees?|rents?(?!\p{L})|charg|pa(?:y|id)(?!\p{L}{4})|salar|wages?|budget|totals?|money|deposit|fines?(?!\p{L})|refund|discount|prix|co[uû]t|tarif|loyer|salaire|montant|somme|paie|precio|coste|cuesta|alquiler|pag(?:a|o)(?!in)|sueldo|salario|importe|suma|prezz|importo)|preis|kosten|gebühr|miete|zahl|gehalt|lohn|betrag|summe|geld/iu;

/**
 * What has no number of a phone answers no question for one. A price may stand without its currency, beside a word for money or in a
 * table without headings.
 */
export function couldAnswer(kind: AnswerKind | undefined, { text, lead, block }: QuoteUnit): boolean {
  const whole = `${lead} ${text}`;
  if (kind === 'amount') {
    const isOfMoney = OF_MONEY.test(whole) || block.kind === 'pair' || (block.kind === 'row' && lead === '');
    return looksLike(kind, whole) || (isOfMoney && ANY_NUMBER.test(whole.replaceAll(EACH_DAY, ' ')));
  }
  return !kind || !/^(?:phone|contact)$/.test(kind) || looksLike(kind, whole);
}

/** "14. März" may be split as if a sentence ended in it. */
const wholeDay = ({ text, sentences, nth }: QuoteUnit): string =>
  /\d\.$/.test(text) ? `${text} ${sentences[nth + 1] ?? ''}` : text;

const MAX_OF_KIND = 40;
const MAX_READ = 400_000;

/** Answers requests such as "list all dates": returns all units that contain the kind, in document order. */
export function unitsOfKind(kind: AnswerKind, passages: Passage[], language: string): QuoteUnit[] {
  const listed: QuoteUnit[] = [];
  let read = 0;
  for (const [at, { text }] of passages.entries()) {
    read += text.length;
    if (listed.length >= MAX_OF_KIND || read > MAX_READ) break;
    listed.push(...readUnits(at, passages, language).filter((unit) => looksLike(kind, wholeDay(unit))));
  }
  return listed.slice(0, MAX_OF_KIND);
}

const KINDS = new Set(
  `date deadline day time amount price cost sum money fee figure name person people participant email mail address phone
   telephone contact number percentage place`
    .split(/\s+/)
    .map(stem),
);

/** Returns true if all terms are kinds of answers, as in "list all dates and amounts". */
export const onlyKinds = (terms: string[]): boolean => terms.length > 0 && terms.every((term) => KINDS.has(term));

const PICTURE =
  /(?<!\p{L})(?:pictures?|images?|photos?|photographs?|screenshots?|scans?|signs?|posters?|labels?|bild(?:e?r)?|fotos?|schild|affiche|panneau|imagen|cartel|immagine|afbeelding)(?!\p{L})/iu;
const PICTURE_WORDS = new Set(
  `picture pictured image photo photograph screenshot scan scanned sign poster label badge banner board wall written write
   writing word wording read see seen shown visible print printed stand appear bild bildern foto schild steht stehen geschrieben
   affiche panneau ecrit lit photo imagen cartel dice escrito immagine scritto afbeelding staat`
    .split(/\s+/)
    .map(stem),
);

/** Returns true if the request asks what a picture says as a whole: it has no word that could be searched in its text. */
export const isAboutPictures = (text: string): boolean =>
  PICTURE.test(text) && termsOf(text).every(({ word }) => PICTURE_WORDS.has(word));

/** Asks what the only attached text says, as "What does the notice say?" does. */
const WHOLE_TEXT =
  /\bwhat (?:do|does|is) (?:the|this|that|it)\b[^?]{0,40}\b(?:say|read|state|written|printed)(?: (?:on|in) it)?\W*$|^\W*was steht (?:auf|in)\b|\bque dit (?:la|le|l['’]|cette?)\b/iu;
export const asksForWholeText = (text: string): boolean => WHOLE_TEXT.test(text);

const DEFINITION_WORDS = new Set(
  `function functions class classes method type interface constant defined define definition declare declared implement
   export exported return returns here code source script module program contain take parameter argument`
    .split(/\s+/)
    .map(stem),
);

/** Returns true if the request asks what source code defines, and names none of its functions. */
export const isAboutDefinitions = (text: string): boolean =>
  /\b(?:functions?|class(?:es)?|methods?|defin\w+|declar\w+)\b/iu.test(text) &&
  termsOf(text).every(({ word }) => DEFINITION_WORDS.has(word));

/** A part of a question that has an answer of its own. */
export type QuestionPart = Pick<PromptRequest, 'text' | 'hint'>;

const BOTH = /^([^\p{L}]*\p{L}{1,20}) and (when|where|who|how|why|by whom|with whom) (.+)$/iu;
const PART =
  /,? (?:and|und|et) (?=(?:the|its|his|her|their|who(?:['’]s)?|when|where|how|what(?:['’]s)?|which|(?:in|at|on|by|under|for|from|to|with|until|since) (?:which|what|whom)|der|die|das|le|la|les) )|,? (?:und|et|y|e) (?=(?:wer|wann|wo|wie|was|bis wann|welche[rsmn]?|qui|quand|où|combien|quel(?:le)?s?|quién|cuándo|dónde|cuánt[oa]s?|cuál(?:es)?|qué|chi|quando|dove|quant[oa]|qual[ei]?) )|, (?=(?:the|its|his|her|their) )/iu;
const MAX_PARTS = 4;

/** "When and where does it open?" asks two things, as "What is the number and the total?" does. Empty if it asks one. */
export function partsOf(question: string): QuestionPart[] {
  if (question.length > MAX_REQUEST) return [];
  const [, first, second, rest] = BOTH.exec(question) ?? [];
  const parts = rest === undefined ? question.split(PART) : [`${first} ${rest}`, `${second} ${rest}`];
  if (parts.length < 2) return [];
  return parts.slice(0, MAX_PARTS).map((text) => ({ text, hint: answerKindOf(text, question) }));
}

const ATTRIBUTE = [
  /^\W*(?:who|what|which|where)(?:['’]s| is| are| was| were) (?:the |an? )?(?:(?:full )?names? of (?:the |our |your )?)?((?:[\p{L}-]+ ){0,2}[\p{L}-]+)(?:s['’])? (?:of|for|at|in) /iu,
  /^\W*(?:who|what)(?:['’]s| is| are| was| were) (?:[\p{L}-]+ ){0,3}[\p{L}-]+['’]s? ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)\W*$/iu,
  /^\W*(?:wer|was|wie|welche[rs]?) (?:ist|sind|war|waren|lautet|heißt) (?:der|die|das|ein\p{L}*) ((?:[\p{L}-]+ )?[\p{L}-]+) (?:von|vom|der|des|bei|für|in) /iu,
  /^\W*(?:qui|quel(?:le)?s?) (?:est|sont|était) (?:le |la |les |l['’])((?:[\p{L}-]+ )?[\p{L}-]+) (?:de |du |des |d['’])/iu,
  /^\W*(?:quién|quiénes|cuál|cuáles) (?:es|son|era|fue) (?:el|la|los|las) ((?:[\p{L}-]+ )?[\p{L}-]+) (?:de|del) /iu,
  /^\W*(?:chi|qual|quali) (?:è|sono|era) (?:il |la |lo |gli |i |le |l['’])((?:[\p{L}-]+ )?[\p{L}-]+) (?:di |del |della |dell['’]|d['’])/iu,
];
/** Values that often stand without their name. */
const UNNAMED = new Set(
  `date deadline day time amount price cost sum money total fee figure name person people number percentage place preis betrag datum
   average mean median highest lowest maximum minimum durchschnitt moyenne promedio media
   anzahl prix montant nombre nom precio importe fecha nombre prezzo importo data nome numero`
    .split(/\s+/)
    .map(stem),
);

/**
 * The terms of what is asked about something, as in "Who is the director of Y?". Empty if documents need not name it; a
 * `isColumn` of a table is named.
 */
export function attributeTerms(question: string, isColumn: boolean): string[] {
  const found = ATTRIBUTE.map((pattern) => pattern.exec(question)?.[1]).find((words) => words !== undefined);
  const terms = termsOf(found ?? '').map(({ word }) => word);
  const named = terms.filter((term) => !UNNAMED.has(term));
  return isColumn || named.length === terms.length ? named : [];
}

const NOUN_BEFORE_VERB =
  /^\W*(?:what|which) ([\p{L}-]{3,}) (?:does|do|did|has|have|had|can|must|may|should|will|is|are|was|were) |^\W*(?:welche[rsmn]?) (\p{Lu}[\p{L}-]{2,}) |^\W*quel(?:le)?s? ([\p{L}-]{3,}) (?:a|ont|est|sont|doit|doivent|peut|peuvent) /iu;
/** The noun of "wie hoch ist die Miete" and "how much is the rent". A German noun begins with a capital. */
const HOW_HIGH =
  /^\W*(?:[Ww]ie (?:hoch|lang|gro(?:ß|ss)|teuer|weit) (?:ist|sind|war|waren) (?:d(?:er|ie|as)|[Ii]hre?|unsere?) (?:\p{Ll}+ ){0,2}(\p{Lu}[\p{L}-]{3,})|[Hh]ow (?:high|long|large|big|much) (?:is|are|was|were) (?:the|your|our|their) (?:[\p{L}-]{3,} )?([\p{L}-]{4,})(?: (?:for|of|at|in|on|from|with|to) .*)?\W*$)/u;
const PRICE_OF =
  /\b(?:charged?|costs?|pay|paid|price|fee|maximum|minimum|limit|allowance|deadline|discount) (?:[^?]{0,40} )?for (?:an? |the |your |our )?(?:[\p{L}-]{3,} )?([\p{L}-]{3,})(?<!ly)\W*$/iu;
/** What "what salary does he get" and "what do you charge for lessons" ask for. Empty if texts need not name it. */
export function askedNounTerms(question: string): string[] {
  const noun =
    (NOUN_BEFORE_VERB.exec(question) ?? HOW_HIGH.exec(question) ?? PRICE_OF.exec(question))?.slice(1).find(Boolean) ??
    '';
  return termsOf(noun).flatMap(({ word }) => (UNNAMED.has(word) ? [] : [word]));
}

const TOPIC_OF_COMPARISON =
  /\b(?:deals? with|handles?|treats?|regulates?|say about|regarding|concerning|with respect to|with regard to|when it comes to|in terms of)\s+(.{3,120}?)[.?!]*$/iu;

/** What a comparison is about, if it says so: the words before name the sides, which each side has. */
export const topicOf = (comparison: string): string => TOPIC_OF_COMPARISON.exec(comparison)?.[1] ?? comparison;

export type RequestKind = 'answer' | 'list' | 'compare' | 'summarise';

/** `aside` is the rest of the prompt, which may say what the request is about. `sides` are the things to compare. */
export type PromptRequest = {
  kind: RequestKind;
  text: string;
  aside: string;
  hint: AnswerKind | undefined;
  sides: string[];
};

const MAX_REQUESTS = 12;
const MAX_REQUEST = 400;
const SUMMARISE =
  /\b(?:summar(?:y|i[sz]e|i[sz]ing|ies)|overview|key (?:points|takeaways|findings)|main (?:points|ideas|topics)|tl;?dr|gist|in a nutshell|(?<!(?:the|a|this) )sum (?:(?:it|them|this|these|that) |(?:this|the|these) \w+ )?up(?!\p{L})|catch (?:me|us) up(?!\p{L})|(?:bring|get) (?:me|us) up to (?:speed|date)|what(?:['’]s| is| are) (?:this|these|the|it) ?(?:\w+ )?(?:all )?about|zusammenfass\w*|zusammenzufassen|fass\w*[^.?!]{1,100}\szusammen|worum geht(?: es|['’]s)|de quoi (?:parle|traite|s['’]agit|il s['’]agit)|de qu[eé] (?:trata|va|habla)|di (?:che )?cosa (?:parla|tratta)|synth[eè]se|sintesis|s[ií]ntes[ie]s?|résum\w*|resum\w*|riassu\w*|samenvat\w*)/iu;
const COMPARE =
  /\b(?:compare|comparison|differences?|differs?|versus|vs\.?|vergleich\w*|unterschied\w*|compar[ae]\w*)(?!\p{L})/iu;
const LIST =
  /\b(?:list|enumerate|name all|all (?:the )?\w+|every \w+|each \w+|extract (?:the|all)|what are (?:the|all)|which \w+s (?:are|were|have|do|can|must|should)|liste\w*|alle \w+)(?!\p{L})/iu;
const ASKS = /\?\s*["')]*$/u;
const ORDERS =
  /^(?:and |then |also |please |finally |\W)*(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could|may|must|should|will|summar\w+|list|compare|find|give|tell|show|explain|describe|extract|identify|name|enumerate|write|provide|wer|wie|was|wann|wo|warum|welche\w*|nenne|liste|qui|quand|combien|quel\w*|qué|quién|cuándo|cuánto\w*|dónde)(?!\p{L})/iu;
const NUMBERED = /^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[.)])\s+/u;
/**
 * Patterns for the two sides of a comparison. Their names end where the topic begins, as in "between A and B regarding
 * the notice period".
 */
const SIDES = [
  /\bcompare (?:the )?.{2,80}? (?:of|in|for|from|between) (?:the )?(.{2,80}?) (?:and|with|to|against) (?:the |in |of |for )*(.{2,80}?)(?:[.?!,;:]|$)/iu,
  /\bbetween (?:the )?(.{2,80}?) and (?:the )?(.{2,80}?)(?:[.?!,;:]|$)/iu,
  /\bcompare (?:the )?(.{2,80}?) (?:and|with|to|against) (?:the )?(.{2,80}?)(?:[.?!,;:]|$)/iu,
  /(?:^|\s)(\S.{1,80}?) (?:versus|vs\.?) (?:the )?(.{2,80}?)(?:[.?!,;:]|$)/iu,
];

const TOPIC = /\s(?:in|regarding|concerning|with respect to|with regard to|when it comes to|for)\s.*$/iu;

export function readPrompt(prompt: string, language: string): PromptRequest[] {
  const sentences = prompt
    .split('\n')
    .flatMap((line) => splitSentences(line.replace(NUMBERED, ''), language))
    .map((sentence) => sentence.replace(NUMBERED, ''))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const questions = sentences.filter(
    (sentence) =>
      sentence.length <= MAX_REQUEST && (ASKS.test(sentence) || ORDERS.test(sentence) || SUMMARISE.test(sentence)),
  );
  const requests = joinSummaries(questions.length > 0 ? questions : [sentences.join(' ')]).slice(0, MAX_REQUESTS);
  const aside = sentences.filter((sentence) => !questions.includes(sentence)).join(' ');
  return requests.filter((text) => text !== '').map((text) => readRequest(text, questions.length > 0 ? aside : ''));
}

/** "What is it about? Give me a short summary." asks for one. */
function joinSummaries(requests: readonly string[]): string[] {
  const summaries = requests.filter((request) => SUMMARISE.test(request));
  const [first] = summaries;
  return requests.flatMap((request) =>
    request === first ? summaries.join(' ') : summaries.includes(request) ? [] : request,
  );
}

function readRequest(text: string, aside: string): PromptRequest {
  const sides = COMPARE.test(text) ? sidesOf(text) : [];
  return { kind: kindOf(text), text, aside, hint: answerKindOf(text), sides };
}

function kindOf(text: string): RequestKind {
  if (SUMMARISE.test(text)) return 'summarise';
  if (COMPARE.test(text)) return 'compare';
  return LIST.test(text) ? 'list' : 'answer';
}

function sidesOf(text: string): string[] {
  // "Compare how the two contracts deal with notice" names the topic and leaves the sides to the files.
  if (/\bcompare (?:how|what|whether|when|where|who)\b/i.test(text)) return [];
  for (const pattern of SIDES) {
    const found = pattern.exec(text);
    if (found?.[1] && found[2]) return [found[1], found[2]].map((side) => side.replace(TOPIC, ''));
  }
  return [];
}
