/** The words of five languages: language, negation and direction, which a statement is judged by. */
import { fold } from '../../../engines/retrieval/words.ts';
import { frequentWords, LANGUAGES as REPORT_LANGUAGES, type ReportLanguage } from '../report-language.ts';

export const LANGUAGES = REPORT_LANGUAGES;
export type ClaimLanguage = ReportLanguage;
type Direction = 'up' | 'down' | 'flat';

type Lexicon = { negation: RegExp; up: RegExp; down: RegExp; flat: RegExp };

const anyOf = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'gu');

/**
 * Words that are as often something else, such as `cut` as a noun, are left out where a sentence without a direction
 * would get a wrong one.
 */
const LEXICONS: Record<ClaimLanguage, Lexicon> = {
  en: {
    negation: anyOf(
      "not|\\w+n't|\\w+n’t|no|never|none|neither|nor|without|nothing|cannot|fail(?:s|ed)? to|refus(?:es|ed) to|ceased to|stopped",
    ),
    up: anyOf(
      'ris(?:e|es|en|ing)|rose|increas\\w*|grow(?:s|n|ing|th)?|grew|climb\\w*|gain(?:s|ed)?|jump\\w*|surg(?:e|ed|es|ing)|soar\\w*|widen\\w*|up|higher|expand\\w*|doubl(?:e|ed|es|ing)|tripl(?:e|ed|es|ing)|accelerat\\w*|rais(?:e|ed|es|ing)|dearer|lift(?:s|ed)?|hik(?:e|ed|es)|advanc(?:e|ed|es)|strengthen\\w*|(?<=%\\s*|cent\\s+)more',
    ),
    down: anyOf(
      'fall(?:s|en|ing)?|fell|decreas\\w*|declin\\w*|drop(?:s|ped|ping)?|slid(?:es?)?|slump\\w*|plung\\w*|shr(?:ink|inks|ank|unk|inking)|narrow(?:s|ed|ing)?|reduc\\w*|lower(?:s|ed|ing)?|down|halv(?:e|ed|es|ing)|dip(?:s|ped)?|sank|sunk|sink(?:s|ing)?|eas(?:e|ed|es|ing)|cheaper|cut(?:s|ting)?|slow(?:s|ed|ing)|weaken\\w*|contract(?:s|ed|ing)|lost|shed|tumbl\\w*|(?<=%\\s*|cent\\s+)(?:less|fewer)',
    ),
    flat: anyOf('unchanged|flat|stable|steady|stagnat\\w*'),
  },
  de: {
    negation: anyOf('nicht|kein\\w*|nie|niemals|ohne|weder'),
    up: anyOf(
      'stieg(?:en)?|steig\\w*|gestiegen\\w*|erhoh\\w*|zunahme\\w*|zunimmt|zunehm\\w*|zugenommen|zu|wuchs(?:en)?|wachs\\w*|gewachsen|kletter\\w*|geklettert|zuleg\\w*|zugelegt|hoher\\w*|anstieg\\w*|verteuer\\w*|angehoben|anheb\\w*|hob(?:en)?|teurer\\w*|verdoppel\\w*|plus|(?<=%\\s*|prozent\\s+)mehr',
    ),
    down: anyOf(
      'fiel(?:en)?|fallt|fallen|gefallen\\w*|sank(?:en)?|sink\\w*|gesunken\\w*|ruckgang\\w*|zuruckgegangen|zuruckgeh\\w*|zuruck|abnahme\\w*|abnehm\\w*|abgenommen|ab|senk\\w*|gesenkt\\w*|verringer\\w*|schrumpf\\w*|geschrumpft|niedriger\\w*|billiger\\w*|halbier\\w*|reduzier\\w*|minus|verbillig\\w*|(?<=%\\s*|prozent\\s+)weniger',
    ),
    flat: anyOf('unverandert\\w*|stabil\\w*|gleich geblieben|stagnier\\w*'),
  },
  fr: {
    negation: anyOf('pas|jamais|aucun\\w*|sans|ni|rien|guere'),
    up: anyOf(
      'augment\\w*|hauss\\w*|progress\\w*|grimp\\w*|accru\\w*|accroi\\w*|croissance|crois\\w*|mont(?:e|es|ee|ees|ent|er|aient)|relev\\w*|doubl(?:e|es|ent|er|ant)|s.envol\\w*|bondi\\w*|bond|(?<=%\\s*|cent\\s+)de plus',
    ),
    down: anyOf(
      'baiss\\w*|diminu\\w*|recul\\w*|chut\\w*|redui\\w*|tomb\\w*|repli\\w*|abaiss\\w*|decr(?:u|oi)\\w*|flechi\\w*|(?<=%\\s*|cent\\s+)de moins',
    ),
    flat: anyOf('stables?|inchange\\w*|stagn\\w*'),
  },
  es: {
    negation: anyOf('no|nunca|jamas|ningun\\w*|sin|ni|nada|tampoco'),
    up: anyOf(
      'aument\\w*|sub(?:e|en|io|ieron|ir|ido|ida|idas|ia|ian)|crec\\w*|increment\\w*|elev\\w*|alzas?|duplic\\w*|encarec\\w*|avanz\\w*|(?<=%\\s*|ciento\\s+)mas',
    ),
    down: anyOf(
      'baj(?:a|an|o|aron|ar|ado|ada|as|aba|aban)|cay\\w*|caid\\w*|caen|cae|caer|disminu\\w*|reduj\\w*|reduc\\w*|descend\\w*|descens\\w*|retroce\\w*|recort\\w*|abarat\\w*|(?<=%\\s*|ciento\\s+)menos',
    ),
    flat: anyOf('estables?|sin cambios|estanc\\w*'),
  },
  it: {
    negation: anyOf('non|nessun\\w*|mai|senza|niente|nulla'),
    up: anyOf(
      'aument\\w*|sal(?:i|ito|iti|ita|ite|e|gono|ire|irono)|cresc\\w*|cresciut\\w*|increment\\w*|rialz\\w*|raddopp\\w*|rincar\\w*|progredi\\w*|(?<=%\\s*|cento\\s+)in piu',
    ),
    down: anyOf(
      'dimin\\w*|cal(?:o|a|ano|ato|ati|ata|ate|are|arono)|scend\\w*|sces[aeio]|scesero|ridott\\w*|ridu\\w*|ribass\\w*|croll\\w*|cadut\\w*|(?<=%\\s*|cento\\s+)in meno',
    ),
    flat: anyOf('stabil[ei]|invariat\\w*|stagn\\w*'),
  },
};

/** The language of a text by its frequent words and, if these do not tell, its words of direction and negation; undefined when none leads. */
export function languageOf(text: string): ClaimLanguage | undefined {
  const plain = fold(text);
  const words = plain.match(/\p{L}+/gu) ?? [];
  const byWords = leaders(LANGUAGES, (one) => words.filter((word) => frequentWords(one).has(word)).length);
  const [only, ...others] = byWords.length === 1 ? byWords : leaders(byWords, (one) => countOf(plain, LEXICONS[one]));
  return others.length === 0 ? only : undefined;
}

const countOf = (plain: string, { up, down, flat, negation }: Lexicon): number =>
  [up, down, flat, negation].reduce((sum, pattern) => sum + (plain.match(pattern)?.length ?? 0), 0);

/** Those that have the most. */
function leaders(all: readonly ClaimLanguage[], count: (language: ClaimLanguage) => number): ClaimLanguage[] {
  const counts = all.map(count);
  const most = Math.max(...counts);
  return all.filter((_, at) => counts[at] === most);
}

/** How many negations the text has. */
export const negationsIn = (text: string, language: ClaimLanguage): number =>
  [...fold(text).matchAll(LEXICONS[language].negation)].length;

type FoundDirection = { direction: Direction; at: number };

/** Comparisons such as `more than 5` and `up to 5` say how exact a figure is, not where it moved. */
const NO_DIRECTION =
  /\bup to\b|\bno (?:higher|lower) than\b|\bzu (?:den|dem|der|einem|einer|beginn|ende)\b|\bab (?:dem|der|januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember|\d)/gu;

/** The words of direction in a text, in their order. Folding keeps positions. */
export function directionsIn(text: string, language: ClaimLanguage): FoundDirection[] {
  const plain = fold(text).replace(NO_DIRECTION, (match) => ' '.repeat(match.length));
  const { up, down, flat } = LEXICONS[language];
  const all = { up, down, flat } as const;
  return (Object.keys(all) as Direction[])
    .flatMap((direction) => [...plain.matchAll(all[direction])].map(({ index }) => ({ direction, at: index })))
    .sort((a, b) => a.at - b.at);
}

const YEAR = String.raw`(?:19|20|21)\d\d`;

/** Words of the five languages of which one turns a statement into the contrary of the other. */
const OPPOSITES: [RegExp, RegExp][] = (
  [
    [
      'profits?|gewinne?s?|benefices?|beneficios?|util[ei]|profitti',
      'loss(?:es)?|verluste?n?s?|pertes?|perdidas?|perdit[ae]',
    ],
    [
      'open(?:s|ed|ing)?|eroffne\\w*|offne\\w*|geoffnet|ouvr\\w*|ouvert\\w*|abr(?:e|io|ieron|ir)|abiert\\w*|apr(?:e|i|ira)|apert\\w*',
      'clos(?:e|es|ed|ing)|schlie(?:ss|ß)\\w*|schloss\\w*|geschlossen|ferm\\w*|cerr\\w*|cierr\\w*|chiu\\w*',
    ],
    [
      'approv\\w*|accept(?:s|ed|ing)?|genehmig\\w*|gebilligt|billigte\\w*|approuv\\w*|accepte\\w*|aprob\\w*|acept\\w*|accett\\w*',
      'reject\\w*|refus\\w*|den(?:y|ies|ied)|verweiger\\w*|abgelehnt|ablehn\\w*|lehnte\\w*|rejet\\w*|rechaz\\w*|respin\\w*|rifiut\\w*',
    ],
    [
      'imports?|importe|importations?|importacion\\w*|importazion\\w*|einfuhr\\w*',
      'exports?|exporte|exportations?|exportacion\\w*|esportazion\\w*|ausfuhr\\w*',
    ],
    [
      'buys?|bought|acquir\\w*|kauft\\w*|gekauft|achet\\w*|compr(?:a|o|aron)|acquist\\w*',
      'sells?|sold|verkauf\\w*|vend\\w*',
    ],
    [
      'improv\\w*|verbesser\\w*|amelior\\w*|mejor(?:o|a|aron|ado)|miglior\\w*',
      'worsen\\w*|deteriorat\\w*|verschlechter\\w*|deterior\\w*|empeor\\w*|peggior\\w*',
    ],
    [
      '(?:more than|at least|mehr als|mindestens|plus de|au moins|mas de|al menos|piu di|almeno) \\d[\\d.,]*',
      '(?:less than|fewer than|at most|weniger als|hochstens|moins de|au plus|menos de|como maximo|meno di|al massimo) \\d[\\d.,]*',
    ],
    [
      'doubl\\w*|verdoppel\\w*|duplic\\w*|raddopp\\w*',
      'tripl\\w*|verdreifach\\w*|quadrupl\\w*|halv(?:e|ed|es|ing)|halbier\\w*',
    ],
    [`(?:before|vor|avant|antes de|prima del?)\\s+${YEAR}`, `(?:after|nach|apres|despues de|dopo(?: il)?)\\s+${YEAR}`],
  ] as const
).map(([one, other]) => [anyOf(one), anyOf(other)]);

/** True if a text has one of two opposite words, and the other text the other one alone. */
export function areOpposite(one: string, other: string): boolean {
  const texts = [fold(one), fold(other)];
  return OPPOSITES.some(([first, second]) => {
    const [own, theirs] = texts.map((text) => ({ first: text.search(first) >= 0, second: text.search(second) >= 0 }));
    const hasOneEach = own?.first !== own?.second && theirs?.first !== theirs?.second;
    return hasOneEach && own?.first !== theirs?.first;
  });
}
