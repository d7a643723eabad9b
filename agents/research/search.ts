/** Full-text search with BM25: weighted terms, how well texts match them, and the rows of tables that a question asks for. */

import { findExact, type Lexicon, lexiconOf, termsOf } from '../../engines/models/extractive/terms.ts';
import { cellsOf, headingsOf, readUnits } from '../../engines/retrieval/passages.ts';
import { scanWords, stem } from '../../engines/retrieval/words.ts';
import { minPresent } from '../repeated-figures.ts';
import { periodsIn } from './claims/figures.ts';
import { languageOf } from './claims/language.ts';
import { namesIn } from './claims/names.ts';
import { isLaidOut, linesOf } from './claims/quote-context.ts';
import { reportLanguageOf } from './report-texts.ts';
import type { Chosen, Deliverable, EvidenceTable, SubQuestion, Unmentioned } from './state.ts';

/** The weighted terms of a search. */
export type Search = {
  lexicon: Lexicon;
  /** The weight of each term. */
  weights: number[];
  /** Terms of the question itself. A text without any of them is not about it. */
  main: Set<number>;
  /** The names among the main terms. One of them is enough. */
  names: Set<number>;
  places: Set<number>;
};

type Sought = { query: string; places: readonly string[]; queries: readonly string[] };

/** Matches capitalized words in the middle of a sentence, and words with digits. */
const NAME = /(?<=[\p{L}\p{N},;:)]\s+["'“„(]?)\p{Lu}[\p{L}\p{N}]+|\p{L}+\d[\p{L}\d]*/gu;

const WEIGHTS = { main: 1, place: 0.6, other: 0.2 };

/** Questions use these words to ask what happens to something; documents about it seldom contain them. */
const LIGHT_WORDS = new Set(
  [
    'change develop development evolve happen happened move do done going make made affect influence impact cause compare look perform performance situation state status current latest recent today outlook future come next follow expect soon matter take taken place occur risk risks recommend recommended recommendation recommendations suffer suffered hit',
    'gmbh ag kg ohg ltd limited plc inc corp llc sa sas sarl spa srl welche welcher welches welchen welchem betroffen betroffene betraf risiko risiken empfohlen empfiehlt empfehlung empfehlungen',
    'touche touchee touches affecte affectee affectes risque risques recommande recommandation afectado afectada afectados riesgo riesgos recomienda recomendacion colpito colpita colpiti rischio rischi raccomanda raccomandazione',
    'hoch lang lauft laufen dauert gilt gelten kostet kosten betragt insgesamt entwickelt verandert vereinbart geregelt passiert passierte geschah geschehen ereignet gibt gab getan gemacht machen unternommen unternahm wurde wurden worden hatte hatten',
    'qu est evolue evoluer changer passe passee eleve coute couter fait faite faire arrive evolucionado cambiado cuesta ocurrio ocurrido paso sucedio hizo hicieron hecho hacer cosa cambiato costa andamento successo successa accaduto avvenuto stato stata fatto fatta fare',
  ]
    .join(' ')
    .split(' ')
    .map(stem),
);

/** The verb of `What was received from X?`, or of `Was wurde von X erhalten?`: documents say it in many other ways. */
const PREDICATES = [
  /\b(?:what|who|how much|how many)\s+(?:was|were|is|are|has been|have been)\s+(\p{Ll}{3,})\s+(?:from|for|to|by|on|in|at|with)\b/giu,
  /(?<!\p{L})(?:was|wer|wie ?viele?)\s(?:[^,;?.]{0,60}\s)?(?:wurden?|hat|haben|ist|sind)\s[^,;?.]{1,80}?\s(\p{Ll}{3,}(?:t|en))(?=\s*(?:[,;?.]|$|\sund\s))/giu,
  /(?<!\p{L})(?:qu['’]|que |combien )(?:[^,;?.]{0,40}\s)?(?:a-t-on|a été|ont été|a-t-il été)\s+(\p{Ll}{3,})/giu,
  /(?<!\p{L})(?:qué|cuánto)\s(?:[^,;?.]{0,40}\s)?(?:se|fue|fueron|se ha|ha sido)\s+(\p{Ll}{3,})/giu,
  /(?<!\p{L})(?:cosa|quanto)\s(?:[^,;?.]{0,40}\s)?(?:è stat[oa]|sono stat[ie]|si è)\s+(\p{Ll}{3,})/giu,
];

const predicatesIn = (query: string): string =>
  PREDICATES.flatMap((pattern) => [...query.matchAll(pattern)].map(([, verb = '']) => verb)).join(' ');

/** The terms of a question that say what it is about. It may have none, as in `What happened?`. */
function subjectsOf(query: string): Set<string> {
  const termsIn = (text: string) => termsOf(text).map(({ word }) => word);
  const own = termsIn(query).filter((word) => !LIGHT_WORDS.has(word));
  const predicates = new Set(termsIn(predicatesIn(query)));
  const others = own.filter((word) => !predicates.has(word));
  return new Set(others.length > 0 ? others : own);
}

/** What asks for no subject asks for what the documents are about. */
export const isOpenQuestion = (query: string): boolean => subjectsOf(query).size === 0;

export function searchFor({ query, places, queries }: Sought): Search {
  const termsIn = (text: string) => new Set(termsOf(text).map(({ word }) => word));
  const own = subjectsOf(query);
  const ofPlaces = termsIn(places.join('\n'));
  const compounds = reportLanguageOf(query) === 'de';
  const lexicon = lexiconOf(termsOf([query, ...places, ...queries].join('\n')), undefined, { compounds });
  const which = (words: Set<string>) => new Set(lexicon.terms.flatMap(({ word }, at) => (words.has(word) ? [at] : [])));
  const [main, inPlaces] = [which(own), which(ofPlaces)];
  const named = [...termsIn((query.match(NAME) ?? []).join('\n'))].filter((word) => !LIGHT_WORDS.has(word));
  const names = which(new Set(named));
  const weights = lexicon.terms.map((_, at) =>
    main.has(at) ? WEIGHTS.main : inPlaces.has(at) ? WEIGHTS.place : WEIGHTS.other,
  );
  // If a question has only common words, all terms of the plan's queries count as main terms.
  return { lexicon, weights, main: main.size > 0 ? main : new Set(weights.keys()), names, places: inPlaces };
}

/** For each term, its occurrences weighted by how well the words match, and the weight of the best match. */
export type TermCounts = { counts: Map<number, number>; best: Map<number, number>; words: number };

export function countIn(text: string, lexicon: Lexicon): TermCounts {
  const [counts, best] = [new Map<number, number>(), new Map<number, number>()];
  const add = (term: number, weight: number) => {
    // Squared, so that it takes many weak matches to equal an exact one.
    counts.set(term, (counts.get(term) ?? 0) + weight * weight);
    best.set(term, Math.max(best.get(term) ?? 0, weight));
  };
  const words = scanWords(text, 0, text.length, (start, end, gate) => {
    if (lexicon.gates[gate] === 0) return;
    for (const { term, weight } of lexicon.matches(text.slice(start, end))) add(term, weight);
  });
  for (const { term } of findExact(text, lexicon)) add(term, 1);
  return { counts, best, words };
}

const MAX_MISSING = 0.5;

/** Words that ask for a sum, for what somebody says or knows, and auxiliaries: a document may answer without them. */
const NOT_NEEDED = new Set(
  [
    'since when total sum overall altogether known know tell said mentioned reported face faces faced facing employ employs employed',
    'seit wann gesamt summe sagt sagte sagen gesagt bekannt weiss berichtet beschaftigt sei seien konnte konnten sollte sollten',
    'depuis quand somme dit disent sait connu ete etait etaient avait avaient sera seront fait font emploie emploient employe',
    'desde cuando suma dice dicen sabe conocido sido fueron habia hay tiene tienen enfrenta emplea emplean',
    'da quando totale somma complessivo dice dicono noto sa hanno aveva avevano affronta impiega impiegano',
  ]
    .join(' ')
    .split(' ')
    .map(stem),
);

/** `How high were the fees?` asks for a figure: no document has to say `high`. */
const ASKS_MEASURE =
  /(?<!\p{L})(?:how (?:high|low|large|big|tall|long|old|deep|far|wide|fast|heavy|expensive|strong|often)|wie (?:hoch|groß|lang|alt|tief|weit|breit|schnell|schwer|teuer|stark|oft))(?!\p{L})/giu;

/** A question whose names are all missing, or all other words, is not answered by texts about something else. */
export async function unmentionedIn(question: string, texts: readonly string[], pace: Pace): Promise<Unmentioned> {
  const query = question.replaceAll(ASKS_MEASURE, ' ');
  const { lexicon, main: all, names } = searchFor({ query, places: [], queries: [] });
  const main = new Set([...all].filter((term) => !NOT_NEEDED.has(lexicon.terms[term]?.word ?? '')));
  const missing = isOpenQuestion(question) ? new Set<number>() : new Set(main);
  for (const text of texts) {
    await pace(text.length);
    for (const term of countIn(text, lexicon).best.keys()) missing.delete(term);
  }
  // A run of Chinese characters has several terms. It is missing if all of them are.
  const lacks = (word: string): boolean => {
    const own = termsOf(word).flatMap((term) =>
      lexicon.terms.flatMap((one, at) => (one.word === term.word ? [at] : [])),
    );
    return own.length > 0 && own.every((term) => missing.has(term));
  };
  const share = missing.size / Math.max(1, main.size);
  const lacksNames = names.size > 0 && [...names].every((name) => missing.has(name));
  // `Who is the auditor of X?` is not answered by what else is said of X. In German every noun looks like a name.
  const subjects = reportLanguageOf(question) === 'de' ? [] : [...main].filter((term) => !names.has(term));
  const lacksSubject = subjects.length > 0 && subjects.every((term) => missing.has(term));
  const isElsewhere = share >= MAX_MISSING || lacksNames;
  return {
    words: [...new Set(query.match(/[\p{L}\p{N}\p{M}'-]+/gu) ?? [])].filter(lacks),
    share,
    lacksNames,
    isElsewhere,
    isUnanswered: isElsewhere || lacksSubject,
  };
}

/** Tells whether a text has so many words of a question except names, every one by default. In German every noun looks like a name. */
export function tellsOf(question: string, atLeast = Number.POSITIVE_INFINITY): (text: string) => boolean {
  const query = question.replaceAll(ASKS_MEASURE, ' ');
  const { lexicon, main, names } = searchFor({ query, places: [], queries: [] });
  const isGerman = reportLanguageOf(question) === 'de';
  const subjects = [...main].filter((term) => isGerman || !names.has(term));
  return (text) => {
    const { best } = countIn(text, lexicon);
    const said = subjects.filter((term) => (best.get(term) ?? 0) >= PRESENT).length;
    return subjects.length > 0 && said >= Math.min(atLeast, subjects.length);
  };
}

/** Questions with one short answer. `How did the fees change?` may be answered by words. */
const ASKS_ONE_FIGURE =
  /^\W*(?:since when|when|in (?:which|what) (?:year|month)|how (?:many|much|long|old|high|tall|large|deep|far)|wann|in welchem jahr|wie ?viele?|quand|en quelle année|combien|cuándo|cuánt\p{L}+|en qué año|quando|quant[ieo]|in quale anno)(?!\p{L})|^\W*what (?:did|does|do|will)(?!\p{L}).*\bcosts?\W*$/iu;

const ASKS_PRICE = /\bcosts?\W*$|^\W*how much money\b/iu;
const PRICE =
  /[$€£¥₹]\s?\d|\d[\d.,' ]*(?:[$€£¥₹]|(?:million|billion|EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|yen)\b)|\b(?:EUR|USD|GBP|CHF|JPY)\s?\d/iu;

/** `In June` answers these, too. */
const ASKS_WHEN = /^\W*(?:since when|when|wann|seit wann|ab wann|quand|depuis quand|cuándo|quando)(?!\p{L})/iu;

/** Up to three words behind `how many`: `heat pumps`, `people work`. */
const HOW_MANY =
  /^\W*(?:how many|wie ?viele?|combien d(?:e\s|['’])|cuánt[oa]s|quant[ie])\s*((?:\p{L}+[\s-]+){0,2}?\p{L}+)(?=\s+(?:do|does|did|are|is|were|was|have|has|had|will|can|of|in|at|on|haben|hat|hatten?|sind|ist|waren|war|wurden?|werden|wird|gab|gibt|a|ont|sont|ha|han|hay|son|tienen?|hanno|sono|de|del|di)(?!\p{L})|\W*$)/iu;

/** A question for a date, an amount or a number is not answered by findings without one, nor is `How many X?` by figures of something else. */
export function lacksFigure(query: string, findings: readonly { text: string }[]): boolean {
  const figure = ASKS_PRICE.test(query) ? PRICE : /\d/;
  const counted = HOW_MANY.exec(query)?.[1];
  const isOfIt = counted === undefined ? () => true : tellsOf(counted, 1);
  const isFigure = (text: string) => figure.test(text) || (ASKS_WHEN.test(query) && periodsIn(text).size > 0);
  const tells = (text: string) => isFigure(text) && (isOfIt(text) || text.includes('|'));
  return ASKS_ONE_FIGURE.test(query) && !findings.some(({ text }) => tells(text));
}

const ASKS_WHO = /^\W*(?:who|whom|whose|wer|wem|wen|qui|quién|chi)(?!\p{L})/iu;

/** `Who is the landlord?` is answered by a name: tells of texts whether they have none. */
export const namelessFor =
  (question: string) =>
  (text: string): boolean =>
    ASKS_WHO.test(question) && namesIn(text, languageOf(text)).every((name) => question.includes(name));

/** Returns a function that gives the number of the part, from 1, that shares the most terms with a text. */
export function closestPart(parts: readonly string[]): (text: string) => number {
  const lexicons = parts.map((part) =>
    lexiconOf(termsOf(part), undefined, { compounds: reportLanguageOf(part) === 'de' }),
  );
  if (parts.length < 2) return () => 1;
  return (text) => {
    const shared = lexicons.map((lexicon) =>
      [...countIn(text, lexicon).best.values()].reduce((sum, one) => sum + one, 0),
    );
    return shared.indexOf(Math.max(...shared)) + 1;
  };
}

/** The inverse document frequency of each term. */
function rarityIn(all: readonly TermCounts[], { lexicon }: Search): number[] {
  return lexicon.terms.map((_, term) => {
    const having = all.filter(({ counts }) => counts.has(term)).length;
    return Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
  });
}

const K1 = 1.2;
const B = 0.75;
/**
 * The least weight that counts as present: the word itself or a form of it. A word of similar meaning is not enough.
 */
export const PRESENT = 0.6;

/**
 * How well a text matches: its score, how many of the question's terms are present, whether one is a name, and their
 * coverage as a share.
 */
type Fit = { score: number; present: number; isNamed: boolean; coverage: number };
type Corpus = { search: Search; rarity: number[]; averageWords: number };

export function fitOf({ counts, best, words }: TermCounts, { search, rarity, averageWords }: Corpus): Fit {
  const length = K1 * (1 - B + (B * words) / Math.max(1, averageWords));
  let [score, covered, present] = [0, 0, 0];
  for (const [term, weight] of search.weights.entries()) {
    const often = counts.get(term) ?? 0;
    score += (weight * (rarity[term] ?? 0) * often * (K1 + 1)) / (often + length);
    if (!search.main.has(term)) continue;
    covered += best.get(term) ?? 0;
    if ((best.get(term) ?? 0) >= PRESENT) present++;
  }
  const isNamed = [...search.names].some((term) => best.get(term) === 1);
  return { score, present, isNamed, coverage: covered / Math.max(1, search.main.size) };
}

export const corpusOf = (all: readonly TermCounts[], search: Search): Corpus => ({
  search,
  rarity: rarityIn(all, search),
  averageWords: all.reduce((sum, { words }) => sum + words, 0) / Math.max(1, all.length),
});

/** Called with the number of characters that come next. Rejects with the signal's reason. */
export type Pace = (characters: number) => Promise<void>;

/** Reading this many characters takes some tens of milliseconds. */
const AT_A_STRETCH = 300_000;

/** Returns a function that yields to the event loop at intervals while long texts are processed. */
export function pacer(signal: AbortSignal): Pace {
  let read = 0;
  return async (characters) => {
    read += characters;
    if (read < AT_A_STRETCH) return;
    read = 0;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
}

/** The heading of the section that a text stands in, of those above it from the nearest. The last is the title of all. */
export const sectionOf = (headings: readonly string[]): string => (headings.length > 1 ? (headings[0] ?? '') : '');

/** Recognizes the sentences of a topic: by cue words for known topics, by the topic's own words for others. */
export type Topic = { title: string; fits(sentence: string, heading?: string): number };

const ENGLISH = {
  market_overview:
    /\b(?:market(?:s|place)?|industry|sector|demand|suppl(?:y|ies)|sales|volumes?|turnover|revenues?|capacity|prices?|share of|worth|consumers?|customers?)\b/iu,
  competitor_analysis:
    /\b(?:compet\w+|rivals?|market share|peers?|incumbents?|challengers?|merg(?:er|ed|es)|acqui(?:re|res|red|sition)s?|takeover|leader|outsold|undercut\w*|ahead of|overtook)\b/iu,
  trends:
    /\b(?:trends?|gr(?:ow|ew|owth|own|owing)|ris(?:e|es|en|ing)|rose|f(?:all|ell|allen|alling)|increas\w+|decreas\w+|declin\w+|climb\w*|rais(?:e|es|ed|ing)|drop\w*|cut|froze|freez\w+|doubl\w+|tripl\w+|halv\w+|up from|down from|compared (?:with|to)|since \d{4}|year[- ]on[- ]year|expected to|forecast\w*|shift\w*|higher|lower|slow(?:ed|ing|down))\b/iu,
  risks:
    /\b(?:risks?|threat\w*|uncertain\w*|warn\w*|shortages?|disrupt\w*|delays?|loss(?:es)?|volatil\w*|sanctions?|strikes?|lawsuits?|exposed|exposure|vulnerab\w*|concern\w*|fail(?:s|ed|ure|ures)|could (?:fall|lose|delay|cut)|downturn|pressure)\b/iu,
  opportunities:
    /\b(?:opportunit\w+|potential|expand\w*|expansion|untapped|new markets?|invest(?:s|ed|ing|ments?)?|could (?:grow|gain|rise|double)|room for|promising|subsid\w+|incentives?)\b/iu,
  recommendations:
    /\b(?:should|recommend\w*|advis\w+|urg(?:e|es|ed)|must|ought to|needs? to|call(?:s|ed)? (?:for|on)|propos\w+|suggest\w*)\b/iu,
};

/** The same in German, French, Spanish and Italian: beginnings of words. */
const ABROAD: Record<keyof typeof ENGLISH, string> = {
  market_overview:
    "Markt|Märkte|Branche|Nachfrage|Absatz|Umsatz|Umsätze|Preis|Marktanteil|marché|demande|chiffre d[’']affaires|ventes|prix|mercado|sector|demanda|ventas|precios?\\b|mercato|settore|domanda|vendite|prezz|fatturato|ricav",
  competitor_analysis:
    'Wettbewerb|Konkurren|Rival|Marktanteil|Marktführer|Übernahme|übern(?:immt|ahm|ommen)|Fusion|concurrence|concurrentiel|rachat|rachet|part de marché|competidor|competencia|cuota de mercado|adquisi|fusión|concorren|acquisi|quota di mercato',
  trends:
    'stieg|steig|gestiegen|fiel(?:en)?\\b|gefallen|sank|sink|gesunken|wuchs|wachs|gewachsen|Anstieg|Rückgang|Zunahme|zugenommen|nahm(?:en)? [^.]{0,40} (?:zu|ab)\\b|erhöht|verdoppel|halbier|Prognose|erwartet|augment|hausse|baiss|progressé|progression|recul|diminu|croissance|aument|subi[óe]|creci|crece|baj[óa]|cay[óe]|disminu|cresce|cresci|salit|calat|diminuzione|calo\\b|previst',
  risks:
    'Risik|Gefahr|bedroh|Unsicherheit|warn(?:t|en|te|ung)|Engpass|Engpässe|Mangel|Verlust|Streik|Sanktion|Ausfall|Ausfälle|Verzögerung|risque|menace|incertitude|pénurie|pertes?\\b|grève|retard|riesgo|amenaza|incertidumbre|escasez|pérdida|huelga|retras|rischi|minacc|incertezz|carenz|perdit|scioper|ritard',
  opportunities:
    'Chancen|Potenzial|Ausbau|ausbauen|investier|Investition|neue Märkte|opportunité|potentiel|expansion|investir|investiss|oportunidad|potencial|inversi|invertir|opportunità|potenzial|espansion|investiment',
  recommendations:
    'empf(?:iehlt|ehlen|ohlen|ahl)|Empfehlung|soll(?:te|ten)\\b|muss\\b|müssen|rät\\b|raten|fordert|schlägt [^.]{0,60} vor|recommand|conseil|devrait|devraient|il faut|préconis|recomiend|recomend|debería|deberían|aconsej|propone|raccomand|consigli|dovrebbe|dovrebbero|bisogna',
};
const cueOf = (topic: keyof typeof ENGLISH): RegExp =>
  new RegExp(`${ENGLISH[topic].source}|(?<!\\p{L})(?:${ABROAD[topic]})`, 'iu');
const CUES = {
  market_overview: cueOf('market_overview'),
  competitor_analysis: cueOf('competitor_analysis'),
  trends: cueOf('trends'),
  risks: cueOf('risks'),
  opportunities: cueOf('opportunities'),
  recommendations: cueOf('recommendations'),
};
const isCue = (topic: string): topic is keyof typeof CUES => Object.hasOwn(CUES, topic);

const MEASURES_ASKED =
  /\b(?:done|measures?|steps|actions?|remed(?:y|ied)|respon(?:d|se))\b|\bdid\b.*\bdo\b|unternommen|getan|gemacht|maßnahme|\bfaite?s?\b|mesures|\b(?:hizo|hicieron|hecho|medidas)\b|\bfatt[oaie]\b|\bmisure\b/iu;
const MEASURES =
  /\b(?:measures?|actions? taken|correct(?:ed|ive)|remed(?:y|ied|ial)|closed|called|informed|notified|alerted|replaced|repaired|fixed|patched|sealed|removed|cleaned|stopped|evacuated|introduced|restored|restarted|rolled back|blocked|reset|trained|briefed|briefing|isolated|recalled|refunded|installed|disposed of|shut down|switched off)\b|maßnahme|behoben|repariert|ersetzt|ausgetauscht|gesperrt|informiert|benachrichtigt|alarmiert|verständigt|gereinigt|abgedichtet|geschult|eingeführt|abgeschaltet|wiederhergestellt|entsorgt|mesures? pris|\b(?:réparé|remplacé|fermé|informé|alerté|prévenu|arrêté|nettoyé|formé|rétabli|isolé)e?s?\b|medidas|\b(?:reparó|sustituyó|cerró|informó|avisó|detuvo|limpió|reparado|sustituido|cerrado|informado|limpiado)s?\b|\bmisure\b|\b(?:riparat|sostituit|chius|informat|avvisat|fermat|pulit|ripristinat)[oaie]\b/iu;

const PEOPLE =
  'customers?|users?|clients?|patients?|residents?|employees|passengers|guests|tenants|people|households|Kund(?:en|innen)|Nutzer|Mitarbeiter\\p{L}*|Patienten|Bewohner|Fahrgäste|Gäste|Mieter|Personen|Menschen|Haushalte|clients|usagers|salariés|habitants|personnes|clientes|usuarios|empleados|vecinos|personas|clienti|utenti|dipendenti|abitanti|persone';
const AFFECTED = new RegExp(
  `(?<!\\p{L})(?:affected|impacted|injured|unable to|could(?: not|n['’]t)|betroffen|verletzt|konnten? (?:nicht|kein\\p{L}*|sich nicht)|touché|affecté|concerné|blessé|n['’](?:ont|a) pas pu|afectad|herid|no pud(?:o|ieron)|colpit|coinvolt|ferit|non (?:ha|hanno) potuto)|\\d[\\d.,]* (?:\\p{L}+ ){0,2}(?:${PEOPLE})(?!\\p{L})`,
  'iu',
);
const AFFECTED_ASKED =
  /\b(?:affected|impacted|suffered)\b|betroffen|(?<!\p{L})(?:touché|affecté|concerné|afectad|colpit|coinvolt)/iu;

const CAUSE_ASKED =
  /\b(?:causes?|caused|why|reasons?)\b|\b(?:warum|wieso|weshalb|ursache\p{L}*|gr[uü]nde?|verursach\p{L}*)(?!\p{L})|pourquoi|\braisons?\b|\bpor qué\b|\bcaus[aó]s?\b|\bperché\b/iu;
const CAUSE =
  /\b(?:causes?|caused|because|due to|owing to|as a result of|reasons?|triggered|led to)\b|(?<!\p{L})(?:ursache|weil|wegen|aufgrund|ausgelöst|verursacht|führte zu|grund (?:war|ist|dafür))(?!\p{L})|parce qu|en raison d|à cause d|\bprovoqué|\b(?:porque|debido a|provocó)\b|\b(?:dovut[oaie]|provocat[oaie])\b|\bcaus[aò]\b/iu;

/** What a question asks for, and the sentences that tell it, which seldom have a word of the question. */
const TOLD_BY: [asked: RegExp, told: RegExp][] = [
  [CAUSE_ASKED, CAUSE],
  [MEASURES_ASKED, MEASURES],
  [AFFECTED_ASKED, AFFECTED],
  [/\brisks?\b|\brisik(?:o|en)\b|\brisques?\b|\briesgos?\b|\brischi?o?\b/iu, CUES.risks],
  [/\brecommend|\bempf(?:ehl|iehl|ohl)|\brecommand|\brecom(?:iend|end)|\braccomand/iu, CUES.recommendations],
];

/** Undefined unless a question asks for something of that kind, such as what was done or who was affected. */
export function measuresOf(query: string): ((text: string) => boolean) | undefined {
  const told = TOLD_BY.flatMap(([asked, cue]) => (asked.test(query) ? [cue] : []));
  return told.length === 0 ? undefined : (text) => told.some((cue) => cue.test(text));
}

/** `fits` returns 0 for a sentence that does not belong to the topic, and more the better it matches. */
export function topicOf({ title, topic = '' }: Deliverable): Topic {
  const titles = lexiconOf(termsOf(title));
  // Under a heading of the same name, whatever its language, everything belongs to the topic.
  const isHeaded = (heading: string) => [...countIn(heading, titles).best.values()].some((best) => best >= PRESENT);
  const cue = isCue(topic) ? CUES[topic] : undefined;
  if (cue) {
    const all = new RegExp(cue.source, 'giu');
    return {
      title,
      fits: (sentence, heading = '') => Math.min(3, [...sentence.matchAll(all)].length + (isHeaded(heading) ? 1 : 0)),
    };
  }
  const lexicon = lexiconOf(termsOf(topic));
  return {
    title,
    fits: (sentence, heading = '') =>
      [...countIn(sentence, lexicon).counts.values()].reduce((sum, one) => sum + Math.min(1, one), 0) +
      (isHeaded(heading) ? 1 : 0),
  };
}

/** The heads of a document's own labels are words of the report. */
const LABELLED = ['', ''];

/** Whether its rows are the labelled lines of a document. */
export const isLabelled = ({ columns }: { columns: readonly string[] }): boolean =>
  columns.length === LABELLED.length && columns.every((column) => column === '');

/** `heading` is the one of the section that it stands in. */
type Row = { key: string; heading: string; columns: string[]; cells: string[] };

/** Rows with the heads above them, lines of columns, and lines such as `Due date: 14 March`. */
function rowsIn(text: string): Row[] {
  return readUnits(0, [{ source: '', place: '', text }], 'en').flatMap((unit): Row[] => {
    const { kind, start, end } = unit.block;
    const heading = sectionOf(headingsOf(unit.block));
    if (kind === 'row') {
      const columns = cellsOf(unit.lead);
      return [{ key: columns.join('|'), heading, columns, cells: cellsOf(unit.text) }];
    }
    if (kind === 'pair') {
      const [label = '', ...value] = unit.text.split(':');
      return [{ key: '', heading, columns: LABELLED, cells: [label.trim(), value.join(':').trim()] }];
    }
    const raw = text.slice(start, end);
    if (kind !== 'prose' || unit.nth > 0 || !isLaidOut(raw)) return [];
    const lines = linesOf(raw).map((line) => line.split(/[^\S\n]{2,}|\t+/));
    const rows = lines.filter((cells) => cells.length > 1);
    const [head = []] = rows;
    const isHead = !head.some((cell) => /\d/.test(cell));
    const columns = isHead ? head : head.map(() => '');
    return (isHead ? rows.slice(1) : rows).map((cells) => ({ key: `${start}`, heading, columns, cells }));
  });
}

const MAX_ROWS = 20;
const MAX_TABLES = 4;
const MAX_CELL = 200;
const MIN_OF_LABEL = 0.5;

type RowFit = { row: Row; present: number; part: number };

/** A section that the question names belongs to the answer with all its rows. */
const isEnoughOf = (terms: number, main: ReadonlySet<number>): boolean => terms > 0 && terms >= minPresent(main.size);

/** How many terms of the question its cells have; with the heads they must have enough of it. */
function rowFit(row: Row, { lexicon, main, names }: Search): number {
  const termsIn = (cells: readonly string[]) => {
    const { best } = countIn(cells.join('\n'), lexicon);
    return [...main].filter((term) => (best.get(term) ?? 0) >= PRESENT);
  };
  const own = termsIn(row.cells);
  const isNamed = own.some((term) => names.has(term));
  const isEnough = new Set([...own, ...termsIn(row.columns)]).size >= minPresent(main.size);
  const [label = ''] = row.cells;
  const isLabelled = row.key === '' && termsIn([label]).length >= MIN_OF_LABEL * label.split(/\s+/).length;
  if (row.key === '') return isLabelled ? own.length : 0;
  const ofHeading = termsIn([row.heading]).length;
  return isNamed || isEnough ? own.length : isEnoughOf(ofHeading, main) ? ofHeading : 0;
}

/** Of each table the rows with most of the question's terms; those of a document's own labels are a table of two columns. */
export async function askedTables(
  documents: readonly Chosen[],
  subQuestions: readonly SubQuestion[],
  pace: Pace,
): Promise<EvidenceTable[]> {
  const searches = subQuestions.map(({ text, sub_question: part }) => ({
    part,
    search: searchFor({ query: text, places: [], queries: [] }),
  }));
  const tables: (EvidenceTable & { present: number })[] = [];
  for (const { document, title, text } of documents) {
    await pace(text.length);
    const fits = rowsIn(text).flatMap((row): RowFit[] =>
      searches
        .map(({ part, search }) => ({ row, part, present: rowFit(row, search) }))
        .filter(({ present }) => present > 0),
    );
    for (const own of Map.groupBy(fits, ({ row, part }) => JSON.stringify([row.key, row.columns, part])).values()) {
      const present = Math.max(...own.map((fit) => fit.present));
      const rows = own.filter((fit) => fit.present === present).map(({ row }) => row.cells);
      const [{ row, part } = { row: { columns: [] as string[] }, part: 0 }] = own;
      tables.push({
        title,
        document,
        present,
        sub_question: part,
        columns: row.columns.map(cut),
        rows: rows.slice(0, MAX_ROWS).map((cells) => ({ cells: cells.map(cut), document })),
        rows_left_out: Math.max(0, rows.length - MAX_ROWS),
      });
    }
  }
  const best = tables.toSorted((a, b) => b.present - a.present).slice(0, MAX_TABLES);
  return best.map(({ present: _, ...table }) => table);
}

const cut = (cell: string): string => cell.slice(0, MAX_CELL);

const UNIT = /\(([^()]{1,10})\)/;

/** Figures with the unit that their head has. */
export const textOfTable = ({ columns, rows }: EvidenceTable): { text: string } => {
  const units = columns.map((column) => UNIT.exec(column)?.[1]);
  const lines = rows.map(({ cells }) =>
    cells.map((cell, at) => (units[at] && /\d$/.test(cell) ? `${cell} ${units[at]}` : cell)).join(' '),
  );
  return { text: [columns.join(' '), ...lines].join('\n') };
};
