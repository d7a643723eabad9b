/** Reads what a question asks to be calculated, in English, German, French and Spanish. Its patterns read folded text. */
import { fold, OpenText, stem, WHOLE, wordsOf } from '../../../retrieval/words.ts';
import { IN_PERIOD, numberOf, type Period, SMALL, takePeriods } from './periods.ts';

export type FigureKind = 'count' | 'sum' | 'average' | 'most' | 'least' | 'compare' | 'difference' | 'share' | 'list';

export const EXTREME = {
  most: '(?<!(?:how long|how many|does|do)(?!\\p{L})[^?]{0,120})last(?=\\W*$)|zuletzt|en dernier|strongest|heaviest|tallest|deepest|widest|fastest|hottest|warmest|richest|highest(?:[- ]paid)?|largest|biggest|greatest|most(?: recently| recent| expensive| popular| common| frequent| often| powerful| populous| populated| profitable| visited| frequented)?|busiest|meistbesucht\\w*|best[- ]selling|best[- ]paid|mieux pay\\w*|bestbezahlt\\w*|mejor pagad[oa]s?|best(?= (?:(?:gas|fuel|profit|sales) )?(?:sales|revenue|profit|margin|mileage|economy|mpg|rating|yield) *(?:[?.!,¤]|$|(?:in|for|of|from|on|at|this|last|among|across|with|and)(?!\\p{L})))|(?:schwer|schnell|breit|hei(?:ß|ss)e|warm|(?:bevolkerungs)?reich|(?:einwohner|leistungs)?stark)(?:e?st)\\w*|maximum|(?<!-)max|top|longest|dearest|latest|newest|(?:zweit|dritt)?hochst\\w*|(?:zweit|dritt)?gro(?:ß|ss)t\\w*|am meisten|am haufigsten|haufigst\\w*|beliebtest\\w*|meist\\w*|teuerst\\w*|langst\\w*|neu(?:e)?st\\w*|maximal\\w*|(?:la |le |les )?plus (?:elev|haut|grand|gros|cher|long|recent|lourd|profond|rapide|large|epais|chaud|riche|puissant|peuple|rentable|frequente|visite|fort)\\w*|le plus(?= d)|le plus(?! \\w+e)|mas(?=\\W*$)|mas (?:alt|grand|car|larg|recient|pesad|profund|rapid|anch|calid|calient|ric|potent|poblad|rentabl|visitad|concurrid|fuert)\\w*|(?:el|la|los|las|de) mayor(?:es)?|maxim[oa]|(?<=(?:the|our|der|die|das|den|la|le|el|l.) )(?:last|letzte[nrs]?|dernier\\w*|ultim[oa])(?= (?!(?:quarter|half|week|month|year|days?|name|class|quartal|halbjahr|woche|monat|jahr|tage?|klasse|trimestre|semestre|semaine|mois|annee|jours?|classe|semana|mes|ano|dias?|clase)(?!\\p{L}))\\p{L})',
  least:
    '(?<!(?:how long|how many|does|do)(?!\\p{L})[^?]{0,120})first(?=\\W*$)|zuerst|en premier|youngest|weakest|lightest|thinnest|narrowest|slowest|coldest|poorest|lowest|smallest|least(?: expensive| powerful| populous| populated| profitable)?|fewest|minimum|cheapest|shortest|earliest|oldest|(?:zweit|dritt)?niedrigst\\w*|kleinst\\w*|am wenigsten|wenigst\\w*|gunstigst\\w*|billigst\\w*|geringst\\w*|kurzest\\w*|(?:leicht|langsam|schmal|dunn|kalt|jung|arm|schwach)e?st\\w*|altest\\w*|fruhest\\w*|minimal\\w*|(?:la |le |les )?plus (?:bas|petit|faible|court|ancien|leger|lent|etroit|froid|pauvre|jeune|vieux|vieille|age)\\w*|(?:la |le |les )?moins (?:cher|elev)\\w*|menos(?=\\W*$)|mas (?:baj|pequen|barat|cort|antigu|liger|lent|estrech|fri|debil|pobr|joven|jovenes|viej)\\w*|(?:el|la|los|las|de) menor(?:es)?|minim[oa]|(?<=(?:the|our|der|die|das|den|la|le|el|l.) )(?:first|erste[nrs]?|premier\\w*|primer[oa]?)(?= (?!(?:quarter|half|week|month|year|days?|name|class|quartal|halbjahr|woche|monat|jahr|tage?|klasse|trimestre|semestre|semaine|mois|annee|jours?|classe|semana|mes|ano|dias?|clase)(?!\\p{L}))\\p{L})',
};

/** "What does it mean" asks for no figure. */
const MEAN = '(?<!(?:does|do|did|would|can|could)(?: [^ ?]{1,30}){1,6} )mean';

/** The first pattern that matches decides. */
const KINDS: [FigureKind, RegExp][] = [
  [
    'difference',
    WHOLE(
      'by how (?:much|many)|um wie ?viele?|de combien|en cuanto|how (?:much|many) (?!more|less)\\p{L}+er(?= [^?]{1,80} than)|differences?|unterschied|differenz|ecart|diferencia|how (?:much|many) (?:more|less|fewer|higher|lower)|wie ?viele? (?:mehr|weniger)|combien de (?:plus|moins)|cuant[oa]s? (?:mas|menos)',
    ),
  ],
  [
    'compare',
    /(?<!\p{L})(?:more|less|fewer|higher|lower|mehr|weniger|plus|moins|mas|menos)(?!\p{L})(?= (?:\p{L}+ ){0,7}(?:than|als|que) (?!\d))|(?<!\p{L})(?!(?:other|rather|either)(?!\p{L}))\p{L}{3,}er(?!\p{L})(?= (?:(?!(?:more|less|mehr)(?!\p{L}))\p{L}+ ){0,3}(?:than|als|que) (?!\d))|(?<!\p{L})(?:more|less|fewer|higher|lower|larger|smaller|bigger|cheaper|longer|shorter|older|younger|faster|slower|heavier|lighter|taller|langer|kurzer|alter|junger|schneller|langsamer|schwerer|leichter|mehr|weniger|hoher\w*|niedriger\w*|gro(?:ß|ss)er\w*|kleiner\w*|teurer|billiger|plus|moins|mas|menos|mayor|menor)(?!\p{L})(?=[^?]{0,120} (?:or|oder|ou|o) )|(?<= (?:or|oder|ou|o) [^?]{1,120})(?<!\p{L})(?:more|less|fewer|mehr|weniger|plus|moins|mas|menos)(?!\p{L})/u,
  ],
  [
    'average',
    WHOLE(
      `averages?|${MEAN}|on average|durchschnitt\\w*|im schnitt|mittelwert|mittlere[rns]?|moyen\\w*|promedio|medio|media de|la media`,
    ),
  ],
  ['most', WHOLE(EXTREME.most)],
  ['least', WHOLE(EXTREME.least)],
  [
    'share',
    WHOLE(
      'percent(?:age)?|per cent|(?:what|which|how many|wie ?viel|welcher|quel|que) ?%(?= (?:of|der|des|aller|von|de|d))|share|proportion|fraction|anteil|prozent\\w*|pourcentage|quelle part|porcentaje|proporcion|que parte',
    ),
  ],
  [
    'count',
    WHOLE(
      "how many|how often|how frequently|how many times|wie oft|wie haufig|combien de fois|count(?: of| the)?|(?<!(?:the|what|which|whose) (?:article|part|item|product|catalogue|order|serial|model|reference|customer|account|invoice|receipt|ticket|case|contract|policy|room|house|seat|page|phone|telephone|mobile|fax|registration|licence|license|plate|batch|lot|tax|vat|staff|employee|member|membership|id) )number of|wie ?vielen?|anzahl|combien d[e'’]?|nombre d[e'’]|cuant[oa]s|numero de",
    ),
  ],
  [
    'list',
    /^\W*(?:please )?(?:list|name|enumerate|show|give)(?: me)? (?:all|every\w*|the|each|any\w*)\b|\bliste?n? (?:alle|toutes?|tous)\b|^\W*(?:nenne|zeige?)(?: mir)? alle\b|^\W*(?:lista|enumera|muestra|nombra) (?:tod[oa]s|l[oa]s)\b/u,
  ],
  [
    'sum',
    WHOLE(
      'totals?|sum|add(?:ed)? (?:up|together)|zusammengerechnet|addiert|altogether|in all|overall|combined|summe|insgesamt|zusammen|gesamt\\w*|together|ensemble|juntos|our (?:turnover|revenue|sales|income)|unser umsatz|notre chiffre d.affaires|turnover|revenues?|umsatz|einnahmen|chiffre d.affaires|recettes|ingresos|facturacion|somme|totale|totaux|en tout|au total|suma[n]?|a combien (?:s.elev|se mont)\\w+|a cuanto asciende[n]?|auf wie ?viel belauf\\w+ sich|how much|wie ?viel|combien|cuant[oa]',
    ),
  ],
];

/** "Which department has the highest average salary" asks for the highest of groups. */
const RANKED_AVERAGE: [FigureKind, RegExp][] = (['most', 'least'] as const).map((kind) => [
  kind,
  new RegExp(
    `(?:${EXTREME[kind]})(?: \\p{L}+)? (?=averages?(?!\\p{L})|mean(?!\\p{L})|durchschnitt|moyen|promedio|medi[oa])|^\\W*(?:which|who|welche\\p{L}*|wer|quel(?:le)?s?|qui|que|quien) [^?]*(?<!\\p{L})(?:${EXTREME[kind]})(?!\\p{L})(?=[^?]*(?:on average|im schnitt|im durchschnitt|en moyenne|en promedio|de media))`,
    'u',
  ),
]);

/** "Which items cost more than 10" and "who joined after 2022" ask for rows. */
const ASKS_ROWS =
  /^\W*(?:(?:and|please|und|et|y) )?(?:list|show(?: me)?|name|which|who|whose|what(?! (?:is|was|s|does|did|do) )|is (?:any\w*|there)|are (?:any|there)|gibt es|y a-t-il|hay|welche[rsmn]?|wer|wessen|was(?! (?:ist|war) )|nenne|zeige?|quel(?:le)?s?(?! (?:est|etait) )|qui|liste|cuales|que|quien(?:es)?) /u;
const LIMITS_ROWS =
  /(?<!\p{L})(?:not|never|no(?!\.? ?\d)|without|except|nicht|nie|kein\w*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|sin|nunca|below|under|above|over|beyond|exceed\w*|less|more|fewer|at least|at most|unter|uber|mehr|weniger|mindestens|hochstens|sous|plus de|moins de|mas de|menos de|por debajo|por encima|before|after|since|until|vor|nach|seit|bis|avant|apres|depuis|antes|despues|desde|hasta|late|later than|overdue|owes?|overspent|zu spat|verspatet|en retard|open|unpaid|outstanding|out of|offene?\w*|unbezahlt\w*|impaye\w*|pendientes?|(?:\p{L}{3,}er (?:than|als)|(?:plus|mas) \p{L}{3,} (?:que|de))(?= \d))(?!\p{L})/u;

/** Whether a question says which rows it is about by a number, a day or what they lack: no single row shows that it is one of them. */
export const limitsRows = (question: string): boolean => {
  const folded = foldedText(question);
  return LIMITS_ROWS.test(folded) || THRESHOLD.test(folded);
};

/** What a question may ask for, in the order in which it is tried. */
function kindsOf(folded: string): FigureKind[] {
  const named = [...RANKED_AVERAGE, ...KINDS].filter(([, asked]) => asked.test(folded)).map(([kind]) => kind);
  const rows = ASKS_ROWS.test(folded) && (LIMITS_ROWS.test(folded) || IN_PERIOD.test(folded));
  return [...new Set<FigureKind>([...named, ...(rows ? ['list' as const] : [])])];
}

/** What a question without words for a figure may ask for: a figure of each group, or the rows that it describes. */
const UNNAMED: FigureKind[] = ['sum', 'count', 'list'];

/** Says nothing, in words that could be conditions. */
const THERE_IS = /(?<!\p{L})(?:y a-t-il|il y a|es gibt|gab es)(?!\p{L})/gu;

/** A longer request is not one question for a figure, and reading it would take long. */
const MAX_QUESTION = 400;
const MAX_REQUEST = 2_000;

/** "How much" and "total" alone may ask for a passage as well as for a figure. */
export function asksForFigure(request: string): boolean {
  const folded = foldedText(request.slice(0, MAX_REQUEST));
  return kindsOf(folded).length > 0 || OTHER_FIGURE.test(folded) || BEST.test(folded);
}

const COUNTED: ReadonlySet<FigureKind | undefined> = new Set(['count', 'average', 'share']);
export const asksToCount = (request: string): boolean =>
  COUNTED.has(kindsOf(foldedText(request.slice(0, MAX_REQUEST)))[0]);

/** Says not whether much or little is good. In prose it may ask for a passage. */
const BEST = WHOLE('best|worst|beste[nrsm]?|schlechteste\\w*|meilleure?s?|pires?|mejor(?:es)?|peor(?:es)?');

/** Figures that no statement here calculates. */
const OTHER_FIGURE = WHOLE(
  'median\\w*|standard deviation|variance|standardabweichung|correlation|quartiles?|ecart type',
);

/** Asks in a way that no single passage answers, whatever it says. */
const NEEDS_FIGURE = WHOLE(
  `averages?|${MEAN}|sum of|total of|how many (?:rows|entries|records)|durchschnitt\\w*|moyenne|promedio|wie ?viele (?:zeilen|eintrage)|combien de lignes|top \\d+|(?:for|in) (?:each|every)|por cada|pour chaque`,
);
export function needsFigure(request: string): boolean {
  const folded = foldedText(request.slice(0, MAX_REQUEST));
  return NEEDS_FIGURE.test(folded) || OTHER_FIGURE.test(folded);
}

/** "Hasn't" is "has not". */
const withNot = (text: string): string =>
  text.replaceAll(
    /(?<!\p{L})(?:(wo)|(ca)|(\p{L}{2,5}))n['’]t(?!\p{L})/gu,
    (_, will, can, verb) => `${will ? 'will' : can ? 'can' : verb} not`,
  );

const foldedText = (text: string): string => spelled(withNot(fold(text.normalize('NFC'))));

/** Words that say what is calculated, which no other word resembles. */
const KEYWORDS =
  'highest cheapest average largest smallest biggest maximum minimum percentage altogether durchschnitt insgesamt niedrigste'.split(
    ' ',
  );
/** "Hightest" has one letter too many. */
const spelled = (text: string): string =>
  text.replaceAll(/\p{L}{6,}/gu, (word) => KEYWORDS.find((keyword) => isMisspelt(word, keyword)) ?? word);

/** Whether one letter is missing, too many, another one, or exchanged with the next. */
function isMisspelt(word: string, keyword: string): boolean {
  if (Math.abs(word.length - keyword.length) > 1 || word.startsWith(keyword)) return false;
  let at = 0;
  while (word[at] === keyword[at]) at++;
  const [rest, wanted] = [word.slice(at), keyword.slice(at)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  return (
    rest.slice(1) === wanted || rest === wanted.slice(1) || rest.slice(1) === wanted.slice(1) || swapped === wanted
  );
}

const RANKS: [RegExp, number][] = [
  [WHOLE('second|2nd|zweit\\w*|deuxieme|segund[oa]'), 2],
  [WHOLE('third|3rd|dritt\\w*|troisieme|tercer[oa]?'), 3],
  [WHOLE('fourth|4th|viert\\w*|quatrieme|cuart[oa]'), 4],
];

/** `unit` is as headings write it. */
type Threshold = { words: string; sign: string; number: number; unit: string; at: number; end: number };
export type FigureRequest = {
  kind: FigureKind;
  /** Whether words of the question say so. */
  isNamed: boolean;
  /** Its words, which may also name a column. */
  asked: string;
  /** The lower of two sides is asked for. */
  isLess: boolean;
  /** The latest and the oldest are days. */
  isOfDays: boolean;
  /** The second highest is 2. */
  rank: number;
  /** The top three are 3. */
  limit: number | undefined;
  periods: Period[];
  thresholds: Threshold[];
  /** "In total" and "on average" beside an extreme: it is one of groups. */
  of: 'sum' | 'average' | 'count' | undefined;
  rest: string;
};

/** Where the count itself is asked for, "in total" names no column. */
const IN_ALL = WHOLE(
  'in (?:total|all(?! (?:the |our |these )?\\p{L}+s(?!\\p{L})))|altogether|overall|insgesamt|en tout|au total|en total',
);

const OF_DAYS =
  /first|zuerst|zuletzt|last(?!t)|^erste|letzte|premier|dernier|primer|ultim|late?st|recent|recient|new|neu|earl|(?<!c)old|(?<!k)altest|fruh|ancien|antig/;

const UNRANKED = { rank: 1, limit: undefined };
const OFTEN = /popular|common|frequent|often|haufig|beliebt/;
const OF_TWO: ReadonlySet<FigureKind> = new Set(['compare', 'difference', 'share']);

/** The ways to read a question for a figure, the likely ones first; none if it is too long to be one question. */
export function readFigureRequests(question: string): FigureRequest[] {
  if (question.length > MAX_QUESTION) return [];
  const folded = foldedText(question).replace(THERE_IS, (said) => ' '.repeat(said.length));
  const kinds = kindsOf(folded);
  const isNamed = kinds.length > 0;
  return (isNamed ? kinds : UNNAMED).flatMap((kind) => readAs(kind, new OpenText(folded), isNamed) ?? []);
}

/** "By how much are they heavier than ..." is a difference of weights. */
const COMPARATIVE =
  /(?<!\p{L})(?!(?:other|rather|either|number)(?!\p{L}))\p{L}{3,}er(?= (?:(?:on average|im schnitt|im durchschnitt) )?(?:than|als)(?!\p{L}))/u;

const takeComparative = (kind: FigureKind, open: OpenText): string | undefined =>
  kind === 'difference' ? open.take(COMPARATIVE)?.[0] : undefined;

/** Undefined if the words that named the kind say a period or a limit. */
function readAs(kind: FigureKind, open: OpenText, isNamed: boolean): FigureRequest | undefined {
  const periods = takePeriods(open);
  const thresholds = takeThresholds(open);
  const isExtreme = kind === 'most' || kind === 'least';
  const pattern = isNamed ? KINDS.find(([name]) => name === kind)?.[1] : undefined;
  const asked = pattern?.exec(open.text)?.[0] ?? '';
  if (pattern && asked === '' && kind !== 'list') return undefined;
  const isOfDays = isExtreme && OF_DAYS.test(asked);
  if (kind === 'count' || kind === 'sum' || kind === 'share') open.take(IN_ALL);
  const { rank, limit } = isExtreme ? { rank: takeRank(open), limit: takeLimit(open, kind) } : UNRANKED;
  if (pattern) open.take(pattern);
  const said = takeComparative(kind, open) ?? asked;
  return {
    kind,
    isNamed,
    asked: said,
    isLess: IS_LESS.test(said),
    isOfDays,
    rank,
    limit,
    periods,
    thresholds,
    of: OFTEN.test(asked) ? 'count' : isExtreme || OF_TWO.has(kind) ? takeOf(open) : undefined,
    rest: open.text,
  };
}

function takeRank(open: OpenText): number {
  for (const [pattern, rank] of RANKS) if (open.take(pattern)) return rank;
  return 1;
}

function takeLimit(open: OpenText, kind: 'most' | 'least'): number | undefined {
  const found =
    open.take(WHOLE(`top (${SMALL})`)) ??
    open.take(WHOLE(`(${SMALL}) (?:[\\p{L}]+ (?:las |los |les )?)?(?:${EXTREME[kind]})`)) ??
    open.take(WHOLE(`(?:${EXTREME[kind]}) (${SMALL})`)) ??
    open.take(
      WHOLE(
        `(?<!(?:of|von|de) (?:(?:the|our|these|den|unseren|las|los|nos|ces) )?)(${SMALL})(?= (?:[\\p{L}]+ ){1,3}(?:with|mit|avec|con|are|sind|sont|son|ha(?:ve|d|s)|got|haben|hatten|ont|avaient|tienen|tenian) (?:the |dem |den |der |am |le |la |les |el |los |las )?(?:${EXTREME[kind]}))`,
      ),
    );
  return (
    found &&
    numberOf(found.slice(1).find((group) => group !== undefined && new RegExp(`^(?:${SMALL})$`).test(group)) ?? '')
  );
}

/** Says that figures are added up, and names their column as well. */
const NAMES_SUM = /turnover|revenue|sales|income|umsatz|einnahmen|chiffre|recettes|ingresos|facturacion/;
function takeOf(open: OpenText): FigureRequest['of'] {
  for (const name of ['average', 'sum', 'count'] as const) {
    const pattern = KINDS.find(([kind]) => kind === name)?.[1];
    const said = pattern?.exec(open.text)?.[0];
    if (pattern && said) open.take(NAMES_SUM.test(said) ? IN_ALL : pattern);
    if (said) return name;
  }
  return undefined;
}

const THRESHOLD =
  /(?<!\p{L})(more than|over|above|greater than|higher than|exceed(?:s|ed|ing)?|at least|less than|fewer than|under|below|lower than|(?!(?:other|rather|either|earlier) )\p{L}{2,}er than|at most|uber|ubersteig\w*|uberschreit\w*|mehr als|(?:schwer|schnell|alt|breit|hei(?:ß|ss)|warm|reich|stark|lang|hoh|gro(?:ß|ss)|teur|dick|weit|leicht|langsam|jung|schmal|dunn|kalt|arm|schwach|kurz|klein|niedrig|billig|gunstig|preiswert|gering)er als|mindestens|unter|weniger als|hochstens|plus (?:de|(?:lourd|profond|rapide|large|epais|chaud|riche|puissant|peuple|fort|age|vieux|vieille|haut|grand|gros|long|cher|eleve|leger|lent|etroit|froid|pauvre|faible|jeune|petit|court|bas)\w* que)|superieure?s? a|depass\w*|au moins|moins de|inferieure?s? a|au plus|mas (?:de|(?:pesad|profund|rapid|anch|calid|calient|ric|potent|poblad|fuert|viej|alt|grand|larg|car|liger|lent|estrech|fri|debil|pobr|joven|pequen|cort|baj|barat|economic)\w* (?:que|de))|mayor(?:es)? (?:de|que)|al menos|menos de|menor(?:es)? (?:de|que))\s+(?:[$€£]\s?)?(\d[\d.,' ]*\d|\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|zwei|drei|vier|funf|sechs|acht|zehn|zweimal|einmal|deux|trois|quatre|cinq|dix|dos|tres|cuatro|cinco|diez)(?!\p{L}))(?: ?([$€£%]|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?|km\/h|mph|kwh?|hp|ps|cv|kg|km|cm|mm|[mtgh]|feet|ft|met(?:er|re)s?|metros?|miles|tonn?es?|tonnen|toneladas?|knots|nudos|n(?:œ|oe)uds|knoten|degr(?:ee|e)s?|grad|grados?|hours?|stunden|heures|horas|per ?cent|prozent|pour ?cent|por ciento)(?!\p{L})))?/u;
const IS_LESS =
  /^(?:less|fewer|under|below|lower|younger|shorter|cheaper|lighter|smaller|slower|colder|narrower|nearer|at most|unter|darunter|weniger|kleiner|niedriger|billiger|kurzer|junger|leichter|langsamer|hochstens|(?:leicht|langsam|jung|schmal|dunn|kalt|arm|schwach|kurz|klein|niedrig|billig|gunstig|preiswert|gering)er|moins|inferieur|au plus|plus (?:leger|lent|etroit|froid|pauvre|faible|jeune|petit|court|bas)|menos|menor|mas (?:liger|lent|estrech|fri|debil|pobr|joven|pequen|cort|baj|barat|economic))/;
const IS_EQUAL_TOO = /^(?:at |mindestens|hochstens|au |al )/;

const MAX_THRESHOLDS = 3;
function takeThresholds(open: OpenText): Threshold[] {
  const all = [...takeRange(open), ...takeOrMore(open)];
  while (all.length < MAX_THRESHOLDS) {
    const found = open.take(THRESHOLD);
    if (!found) return all;
    const [whole, words = '', digits = '', unit = ''] = found;
    const sign = `${IS_LESS.test(words) ? '<' : '>'}${IS_EQUAL_TOO.test(words) ? '=' : ''}`;
    const times = COUNTED_TIMES[digits];
    all.push({
      words,
      sign,
      number: times ?? (/\d/.test(digits) ? decimalOf(digits) : numberOf(digits)),
      unit: times === undefined ? (UNIT_SIGNS[unit] ?? unit) : TIMES_UNIT,
      at: found.index,
      end: found.index + whole.length,
    });
  }
  return all;
}

/** "More than once" counts rows. */
const COUNTED_TIMES: Record<string, number> = { once: 1, twice: 2, einmal: 1, zweimal: 2 };
const TIMES_UNIT = 'times';

const AMOUNT = "(?:[$€£]\\s?)?(\\d[\\d.,']*\\d|\\d)";
const AMOUNTS = WHOLE(
  `(?:between|from|zwischen|von|entre|de) ${AMOUNT} ?(?:[$€£%]|eur|usd|kg|km)? ?(?:and|to|und|bis|et|a|y) ${AMOUNT}(?: ?([$€£%]|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|kg|km|hours?|stunden|heures|horas)))?`,
);
const OR_MORE =
  /(?<![\p{L}\p{N}.,-]|\d |- )(\d[\d.,]*\d|\d)(?: (?:years?(?: old)?|jahren?|ans|anos))? (?:or|and|oder|und|ou|et|o|y) (more|older|above|over|higher|longer|later|taller|heavier|larger|bigger|mehr|alter|daruber|hoher|langer|plus|mas|mayor(?:es)?|less|younger|under|below|fewer|lower|shorter|smaller|cheaper|weniger|junger|darunter|niedriger|moins|menos|menor(?:es)?)(?!\p{L}| (?:than|als|que|de)(?!\p{L}))/u;
/** "35 or older" is at least 35. */
function takeOrMore(open: OpenText): Threshold[] {
  const found = open.take(OR_MORE);
  if (!found) return [];
  const [whole, digits = '', word = ''] = found;
  const sign = IS_LESS.test(word) ? '<=' : '>=';
  const [at, end] = [found.index, found.index + whole.length];
  return [{ words: `${word} than`, sign, number: decimalOf(digits), unit: '', at, end }];
}

/** "Between 100 and 200" is at least the one and at most the other. */
function takeRange(open: OpenText): Threshold[] {
  const found = open.take(AMOUNTS);
  if (!found) return [];
  const [whole, from = '', to = '', said = ''] = found;
  const where = { words: '', unit: UNIT_SIGNS[said] ?? said, at: found.index, end: found.index + whole.length };
  return [
    { ...where, sign: '>=', number: decimalOf(from) },
    { ...where, sign: '<=', number: decimalOf(to) },
  ];
}

/** Units as headings write them. */
const UNIT_SIGNS: Record<string, string> = {
  percent: '%',
  'per cent': '%',
  prozent: '%',
  pourcent: '%',
  'pour cent': '%',
  'por ciento': '%',
  $: 'usd',
  '€': 'eur',
  '£': 'gbp',
  euro: 'eur',
  euros: 'eur',
  dollars: 'usd',
  pounds: 'gbp',
};

function decimalOf(digits: string): number {
  const text = digits.replaceAll(/[' ]/g, '');
  if (/^\d{1,3}(?:[.,]\d{3})+$/.test(text)) return Number(text.replaceAll(/[.,]/g, ''));
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  return at < 0 ? Number(text) : Number(`${text.slice(0, at).replaceAll(/[.,]/g, '')}.${text.slice(at + 1)}`);
}

/** Words that every question may hold. */
export const NEUTRAL = new Set(
  `list liste lista back avons avez aviez avions hemos habeis dataset spreadsheet among amongst parmi lie lies lay yet still already currently actually completely entirely really right now far ran up broke break breakdown split our their carry carried
   montant betrag importe venu venus venue venues kam kamen gekommen ging gingen geht gehen seinen seine seiner seinem ihren ihre ihrer ihrem unsere unserer unserem unseren komplett ganz gar schon bereits derzeit aktuell bisher eigentlich aufgeschlusselt
   encore deja actuellement ensemble total releve repartition ventilation ventile notre nos
   todavia aun ya actualmente tenemos desglose dame nuestro nuestra nuestros nuestras
   fell fallen owe owed still yet habe ich aller payment payments transaction transactions bookings happen happened occur occurred took place placed play played do done made work works live lives stand say
   pls plz please thx thanks kindly bitte danke merci svp gracias dabei
   beim zum zur stehen steht zahlung zahlungen buchung buchungen arbeiten arbeitet beschaftigt liegt liegen fand fanden statt
   paiement paiements travaille travaillent trabaja trabajan pagos
   realise realisent generated generate generates brought bring achieve achieved erzielt erzielte went go goes handle handled take took taken lang hoch weit gross high long big large heavy row entry record item table sheet value figure expensive dear cost costs recorded had have has been there received get got pay paid make made
   rate rates level levels taux niveau tasa nivel
   use uses used brauchte brauchen braucht using usage consume consumes consumed consumption verbrauch verbraucht verbrauchte verbrauchen consomme consommation utilise consumo consume usa
   much many date day month year spend spent sold sell earned earn bought ordered worked placed given took recorded come came belong belongs each total all different distinct unique together
   money geld argent dinero amount number name called compared combined altogether
   gab kommt kommen stammt stammen gibt wurde wurden waren hatte hatten alle ausgegeben bezahlt gezahlt verkauft gekauft bestellt gearbeitet befindet befinden zeile eintrag teuer viel verschiedene tabelle entfallen entfallt machen macht kamen betragt hoch
   vient viennent provient nombre depense depenses paye payes vendu achete commande recu coute cher tous toutes tout toute fait ete lignes represente different differents differentes tableau
   viene vienen proviene gastado gasto gastaron pagado pago pagaron vendido vendieron comprado recibido cuesta caro todos todas hay hubo fue fueron esta estan estaba estaban tenia tenian tiene tienen total filas representa distintos distintas diferentes tabla`
    .split(/\s+/)
    .map(stem),
);

/** What rows often are, where no column is called so. */
export const ROW_NOUNS = new Set(
  `appointment line loan match game flight trip visit transaction booking payment purchase delivery shipment incident case accident call ticket sale order invoice bill receipt car vehicle model house book movie film song strike event item article survey answer response session meeting task project account contract reading measurement respondent participant
   termin ausleihe messung spiel fahrt flug buchung zahlung bestellung rechnung verkauf lieferung fall unfall anruf auftrag posten artikel auto haus buch film
   rendez rdv pret match vol voyage visite transaction achat livraison commande facture vente voiture maison livre film appel ligne
   cita prestamo partido vuelo viaje visita transaccion compra entrega pedido factura venta coche casa libro pelicula llamada`
    .split(/\s+/)
    .map(stem),
);

/** These may stand for the rows of any table, where "books" are those of one. */
export const ANY_ROWS = new Set(
  'row record entry line item zeile eintrag position ligne entree fila linea registro'.split(' ').map(stem),
);

export const PEOPLE = new Set(
  `people person persons staff headcount workforce worker adult guest respondent patient student pupil participant respondent member employee passenger victim
   belegschaft personal angestellte mitarbeitende beschaftigte personen leute patienten patientinnen schuler studenten studierende teilnehmer mitglieder mitarbeiter passagiere opfer
   personne eleve etudiant employe membre passager persona paciente alumno estudiante participante empleado miembro pasajero`
    .split(/\s+/)
    .map(stem),
);

/** "The most teachers" are counted together, where "the highest price" is one. */
const MANY =
  /^(?:top|most|best[- ]selling|least|fewest|am meisten|meist\w*|am wenigsten|wenigst\w*|le plus|le moins|mas|menos)$/u;
export const asksForMany = (asked: string): boolean => MANY.test(asked);

/** "Lohnsumme" is the sum of wages. */
const SUM_OF = /(?<!\p{L})(\p{L}{4,})summe(?!\p{L})/giu;
/** Says no more than "in" does, where "location" may be a column. */
const LOCATED = / located(?!\p{L})/giu;
const CAME_BACK = / (?:came|come|brought|sent|given|handed) back(?!\p{L})/giu;
/** "Oechsle-Wert" is the value of that column. */
const VALUE_OF = /(?<=\p{L}{3})[-–](?:werte?s?|values?)(?!\p{L})/giu;
/** Says how to answer, behind the question. */
const FORM =
  /(?<=\?)\s*(?:please |bitte )?(?:give|name|state|show|tell|nenne?|gib)(?: me| mir)? (?:both|beide) [^?]*$/iu;

/** A comparison says by how much. */
const BY_HOW_MUCH =
  /,? (?:and|und|et|y) (?:(?:by|um|de|por|en) (?:how (?:much|many)|wie ?viele?|combien|cu[áa]nt[oa]s?)(?: \p{L}+)?|(?:how (?:much|many)|wie ?viele?|combien de|cu[áa]nt[oa]s?) (?:(?:more|less|fewer|mehr|weniger|plus|moins|m[áa]s|menos)|(?:(?:were|are|is|was) )?(?:in|for|of|on) each))(?=\W*$)/iu;

/** "What percentage of the 83 animals" says how many rows there are. */
const OF_SO_MANY =
  /(?<=(?:percent(?:age)?|per cent|share|proportion|anteil|prozent|part|how many|wie ?viele|combien) (?:of|von|der|parmi|de) (?:all |the |our |den |les |los |las |nos )+)(?!(?:19|20)\d\d)\d{2,} (?=\p{L}+(?<!est) )/iu;
const WITHOUT_EMPTY =
  /[(,]? *(?:leav(?:e|ing) out|ignor(?:e|ing)|exclud(?:e|ing)|skip(?:ping)?|without|ohne|sans|sin) (?:the |any |die |les |los |las )?(?:unknown|missing|blank|empty|unbekannte|fehlende|leere|inconnu\p{L}*|manquant\p{L}*|vides?|desconocid\p{L}*|vac[ií][oa]s?) (\p{L}+)\)?(?=\W*$)/iu;
/** "Average age, without unknown ages": empty cells are in no average. */
const withoutEmpty = (question: string): string =>
  question.replace(WITHOUT_EMPTY, (said, noun: string, at: number) => {
    const before = question.slice(0, at);
    return kindsOf(foldedText(before)).includes('average') &&
      wordsOf(before).some((word) => stem(word) === stem(fold(noun)))
      ? ''
      : said;
  });
/** A ranking shows what it ranks by: "which site has the highest yield, and how high is it?" */
const HOW_HIGH =
  /,? (?:and|und|et|y) (?:how (?:much|many|good|high|low|big|large|long|heavy|old|tall|fast)|wie ?(?:viele?|hoch|gro(?:ß|ss)|lang|schwer|alt|gut)|combien|cu[áa]nt[oa]s?)(?: (?:is|was|are|were|ist|war|sind|waren|est|sont|es|son) (?:it|they|that|this|das|es|er|sie|ce|cela|eso))?(?=\W*$)/iu;
const EXTREMES = WHOLE(`${EXTREME.most}|${EXTREME.least}`);
function withoutHowHigh(question: string): string {
  const folded = foldedText(question);
  return EXTREMES.test(folded) || BEST.test(folded) ? question.replace(HOW_HIGH, '') : question;
}

/** "A vs B: who has more points?" asks who of the two has. */
const SIDES_FIRST =
  /^\W*([^:?,]{1,60}) (?:vs\.?|versus) ([^:?,]{1,60}) *[:,–-] +(?=(?:who|which|what|wer|welche[rsmn]?|was|qui|quel(?:le)?s?|qui[ée]n|cu[áa]l)(?!\p{L}))([^?]+)/iu;

/** "1.5 million" in digits. */
const SCALED =
  /(?<![\p{L}\d.,-]|\d )(\d+(?:[.,]\d{1,2})?|one|two|three|four|five|ten|zwei|drei|deux|dos) (thousand|tausend|mille|millions?|millionen|mill(?:ón|on|ones)|billions?|milliarden?|milliards?)(?!\p{L})/giu;
const inDigits = (_: string, count: string, scale: string): string => {
  const number = /\d/.test(count) ? Number(count.replace(',', '.')) : numberOf(fold(count));
  const times = /^(?:b|milliar)/i.test(scale) ? 1e9 : /^(?:t|mille$)/i.test(scale) ? 1e3 : 1e6;
  return String(Math.round(number * times));
};

/** The question in the words that its readers know. */
export const plainQuestion = (question: string): string =>
  withoutHowHigh(withoutEmpty(question))
    .replace(SIDES_FIRST, '$3, $1 or $2')
    .replaceAll(SCALED, inDigits)
    .replace(OF_SO_MANY, '')
    .replace(SUM_OF, 'Summe $1')
    .replace(FORM, '')
    .replace(BY_HOW_MUCH, '')
    .replace(VALUE_OF, '')
    .replace(CAME_BACK, ' returned')
    .replaceAll(LOCATED, ' ');

/** What is said of a figure, as in "were rescued", "did he throw". */
const PREDICATE =
  /(?<!\p{L})(?:was|were|been|did|does|do|has|have|had|wurden?|worden|hat|haben|ont|ete|fueron|han|ha)(?: (?:we|wir|nous)(?!\p{L}))?(?: (?:¤ *|(\p{L}+) ))? *(\p{L}+)(?!\p{L})/gu;
/** The verb before a superlative, as in "which plant emits the ¤", and behind "who", as in "who sat there the ¤". */
const VERB = /(?<!\p{L})(\p{L}+) (?:(?:the|die|das|den|am|le|la|les|el|los|las) )?¤/gu;
const WHO_DID = /^\W*(?:who|wer|qui|quien(?:es)?) (\p{L}+)/gu;
/** What a figure is called, as in "how many votes did ¤ get" and "the votes of ¤". */
const UNIT =
  /(?<!\p{L})(?:¤ *(\p{L}+) +(?:did|does|do|has|have|had|hat|haben|ont|obtuvo)|(?:the|die|der|les|los|las) (\p{L}+) (?:of|von|de|for|fur) ¤)(?!\p{L})/gu;

/** The words of a question that say no more than how a figure came about, or what it is counted in. */
export function wordsAboutFigures(open: OpenText, { kind }: Pick<FigureRequest, 'kind'>): string[] {
  const text = open.text.replaceAll(/ {2,}/g, ' ');
  const people = wordsOf(text).filter((word) => PEOPLE.has(stem(word)));
  const [, whole = ''] =
    (kind === 'share' ? WHOLE_OF : kind === 'compare' ? CALLED_SIDES : undefined)?.exec(text) ?? [];
  const verbs = kind === 'most' || kind === 'least' ? [...text.matchAll(VERB), ...text.matchAll(WHO_DID)] : [];
  return [...text.matchAll(PREDICATE), ...text.matchAll(UNIT), ...verbs]
    .flatMap(([, ...found]) => found.filter(Boolean))
    .concat(people, whole);
}
/** What two sides are called: "which boat had more, A or B". */
const CALLED_SIDES = /^\W*(?:which|welche[rsmn]?|quel(?:le)?s?|que|cual) (?:of the )?(\p{L}+)/u;
/** What a share is taken of: "what percentage of the animals". */
const WHOLE_OF = /^[^\p{L}]*(?:what |which )?¤ *of (?:all |the |our )*(\p{L}+)/u;
