/** Chooses the column of numbers that a question measures. */
import { type OpenText, stem, WHOLE, wordsOf } from '../../../retrieval/words.ts';
import type { AskedTable, Column } from './figure-statement.ts';
import { type FigureKind, type FigureRequest, PEOPLE } from './figure-words.ts';
import {
  columnInUnit,
  contentWords,
  headingWords,
  isOfState,
  namedColumn,
  namesColumn,
  namingColumn,
  numbersOf,
  OF_PERSON,
  type Planning,
  spaced,
  takeWord,
} from './match-columns.ts';

const ON_HAND =
  /(?<!\p{L})(?:stock|on hand|in stock|available|quantity|qty|bestand|lagerbestand|menge|stock actuel|existencias)(?!\p{L})/iu;
/** A number of pieces that there should be, not those that there are. */
const OF_LIMIT =
  /(?<!\p{L})(?:min\p{L}*|max\p{L}*|reorder|target|melde\p{L}*|mindest\p{L}*|soll\p{L}*|seuil|m[íi]nim[oa]|m[áa]xim[oa])(?!\p{L})/iu;
/** Matches the superlatives and the comparatives of these adjectives. */
function dimension(most: string, more: string, german = '!', french = '!', spanish = '!'): RegExp {
  const english = more === '' ? `(?:${most})est` : `(?:${most})est|(?:${more})er`;
  const others = `(?:${german})(?:e?st\\w*|er)|(?:l[ae]s? )?plus (?:${french})\\w*|mas (?:${spanish})\\w*`;
  return new RegExp(`^(?:${english}|${others})(?: (?:than|als|que|de))?$`, 'u');
}
/** What is measured where a question says only "the tallest". */
const DIMENSIONS: [RegExp, RegExp][] = [
  [
    dimension('old|young', 'old|young', 'alt|jung', 'age|jeune|vieux|vieille', 'viej|joven'),
    /(?<!\p{L})(?:age[da]?|alter|[âa]ge|edad)(?!\p{L}{2})/iu,
  ],
  [dimension('tall', 'tall|short'), /height|size|gr(?:ö|oe)(?:ß|ss)e|taille|altura|tall/i],
  [
    dimension('heavi|light', 'heavi|light', 'schwer|leicht', 'lourd|leger', 'pesad|liger'),
    /weight|(?<!\p{L})mass|gewicht|poids|peso|\bwt\b/iu,
  ],
  [dimension('deep', 'deep', '!', 'profond', 'profund'), /depth|deep|tiefe|profond|profund/i],
  [
    dimension('wid|narrow|thinn', 'wid|narrow|thinn', 'breit|schmal|dunn', 'large|etroit|epais', 'anch|estrech'),
    /width|thick|breite|dicke|largeur|[ée]paisseur|anch/i,
  ],
  [
    dimension('fast|slow', 'fast|slow', 'schnell|langsam', 'rapide|lent', 'rapid|lent'),
    /speed|velocity|tempo|geschwindigkeit|vitesse|velocidad/i,
  ],
  [
    dimension('hott|warm|cold', 'hott|warm|cold', 'hei(?:ß|ss)e|warm|kalt', 'chaud|froid', 'calid|calient|fri'),
    /(?<!\p{L})temp/iu,
  ],
  [
    dimension('rich|poor', '', 'reich|arm', 'riche|pauvre', 'ric|pobr'),
    /income|wealth|gdp|einkommen|revenu|renta|ingres/i,
  ],
  [
    dimension('strong|weak', '', 'stark|schwach', 'fort', 'fuert|debil'),
    /strength|magnitude|(?<!\p{L})mag(?![\p{L}_])|(?<!\p{L})force|st(?:ä|ae)rke|fuerza/iu,
  ],
  [
    /^(?:(?:most|least) powerful|leistungsstarkst\w*|(?:l[ae]s? )?plus puissant\w*|mas potent\w*)$/,
    /(?:(?<!\p{L})(?:horse ?)?power|(?<!\p{L})hp|(?<!\p{L})kw|leistung|puissance|potencia)\W*(?:\([^()]*\))?$/iu,
  ],
  [
    /^(?:(?:most|least) popul(?:ous|ated)|(?:bevolkerungsreich|einwohnerstark)st\w*|(?:l[ae]s? )?plus peuple\w*|mas poblad\w*)$/,
    /^(?!.*(?:densit|dichte|growth|wachstum|croissance|crecim|rate|(?<!\p{L})(?:per|pro|par|por)(?!\p{L}))).*(?:population|inhabitants|(?<!\p{L})pop(?!\p{L})|einwohner|bev(?:ö|oe)lkerung|poblaci|^(?:nombre d.)?habitant)/iu,
  ],
  [
    /^(?:(?:most|least) profitable|(?:l[ae]s? )?plus rentable\w*|mas rentabl\w*)$/,
    /profit|gewinn|b[ée]n[ée]fice|beneficio/i,
  ],
  [
    /^(?:busiest|most (?:visited|frequented)|meistbesucht\w*|(?:l[ae]s? )?plus (?:frequente|visite)\w*|mas (?:visitad|concurrid)\w*)$/,
    /passenger|(?<!\p{L})pax|visit|ridership|traffic|attendance|footfall|besuch|fahrg[äa]st|passagier|voyageur|fr[ée]quentation|pasajer|viajer/iu,
  ],
];
/** What a verb measures: "how much do they weigh". */
const MEASURING: [RegExp, string][] = [
  [WHOLE('how heavy|wie schwer|weigh(?:s|ed)?|wieg(?:t|en)|wog(?:en)?|pese(?:nt)?|pesan?'), 'heaviest'],
  [/(?<!\p{L})(?:how tall|wie gro(?:ß|ss)|quelle taille)(?!\p{L})/u, 'tallest'],
  [/(?<!\p{L})(?:how deep|wie tief|quelle profondeur)(?!\p{L})/u, 'deepest'],
  [/(?<!\p{L})(?:how fast|wie schnell)(?!\p{L})/u, 'fastest'],
  [/(?<!\p{L})(?:how old|wie alt)(?!\p{L})/u, 'oldest'],
];
export const dimensionOf = (asked: string): RegExp | undefined => DIMENSIONS.find(([word]) => word.test(asked))?.[1];
export function takeMeasuring(open: OpenText): RegExp | undefined {
  const [, as = ''] = MEASURING.find(([verb]) => open.take(verb)) ?? [];
  return dimensionOf(as);
}

type Measured = Pick<Planning, 'open' | 'table' | 'request'> & Partial<Pick<Planning, 'computed' | 'notes'>>;

/** Headings of percentages. */
const PERCENT = /%|(?<!\p{L})(?:pct|percent\w*|prozent|pourcent\w*|porcentaje)(?!\p{L})/iu;
const MONEY =
  /(?:price|cost|amount|(?<!\p{L})fees?(?!\p{L})|total|revenue|turnover|salary|value|preis|kosten|betrag|umsatz|gehalt|prix|montant|salaire|importe|precio|coste|eur\b|usd\b|gbp\b|[$€£])/iu;
/** The price of one piece and a limit are not added up. */
const OF_EACH =
  /(?<!\p{L})(?:unit|each|per|limit|rate|balance|saldo|solde|min|max|einzel\p{L}*|st(?:ü|ue)ck\p{L}*|unitaire|unitario|(?:list ?)?price|preis|prix|precio)(?!\p{L})/iu;
/** The one column of money, of one piece or of the whole; of what is in stock; of percentages. */
export function columnOf(of: 'each' | 'whole' | 'stock' | 'percent', numbers: readonly Column[]): Column | undefined {
  if (of === 'stock')
    return only(numbers.filter(({ heading }) => ON_HAND.test(spaced(heading)) && !OF_LIMIT.test(spaced(heading))));
  if (of === 'percent') return only(numbers.filter(({ heading }) => PERCENT.test(spaced(heading))));
  const priced = numbers.filter(({ heading }) => MONEY.test(spaced(heading)) || heading === '');
  const fitting = priced.filter(({ heading }) => OF_EACH.test(spaced(heading)) === (of === 'each'));
  return only(fitting.length > 0 ? fitting : priced);
}
/** "How many units do we have" asks for the stock. */
const stockOf = (rest: string, numbers: readonly Column[]): Column | undefined =>
  HAS.test(rest) && !MOVED.test(rest) ? columnOf('stock', numbers) : undefined;
const HAS =
  /(?<!\p{L})(?:(?:do|have) we(?: still)?(?: have)?|in stock|on hand|are left|haben wir|gibt es|auf lager|avons[- ]nous|en stock|tenemos|hay|quedan)(?!\p{L})/u;
const MOVED =
  /(?<!\p{L})(?:sold|bought|used|ordered|shipped|sent|made|verkauft|gekauft|bestellt|gebraucht|verbraucht|geliefert|vend\p{L}*|achet\p{L}*|command\p{L}*|compr\p{L}*|utilis\p{L}*|usad\p{L}*)(?!\p{L})/u;
const only = ([column, another]: readonly Column[]): Column | undefined => (another ? undefined : column);
export const isPriceOfOne = ({ heading }: Column): boolean => PER_ONE.test(spaced(heading));
const PER_ONE =
  /(?:price|rate|fee|cost|preis|tarif|prix|precio)[^/]{0,20}\/\s*\p{L}|(?<!\p{L})(?:per|each|pro|rate|unit price|einzelpreis|st(?:ü|ue)ckpreis|prix unitaire|precio unitario)(?!\p{L})/iu;
const isOfEach = ({ heading }: Column): boolean =>
  OF_EACH.test(spaced(heading)) || PERCENT.test(spaced(heading)) || NOT_ADDED.test(spaced(heading));
/** Whether the figures of several rows make one of the whole. */
export const addsUp = (column: Column): boolean =>
  !isOfEach(column) &&
  !isPriceOfOne(column) &&
  (columnOf('whole', [column]) === column || ADDED.test(spaced(column.heading)));
const ADDED =
  /(?<!\p{L})(?:[kmg]?wh|kg|tonn\p{L}*|lit(?:re|er)s?|hours?|stunden|heures|horas|visitors?|guests?|besucher|g[äa]ste|visiteurs|visitantes|quantity|units|pieces|menge|st[üu]ck|cantidad|quantit[ée]s?)(?!\p{L})/iu;
const NOT_ADDED =
  /(?<!\p{L})(?:age|score|rating|satisfaction|temp|temperature|level|alter|note|edad|bewertung)(?!\p{L})/iu;

/** What is owed stands in a column of open amounts. */
const OWED =
  /(?<!\p{L})(?:owe[sd]?(?: us)?|outstanding|unpaid|still (?:open|due)|schulden(?: uns)?|offene?[rns]?|aussteh\p{L}*|doi(?:t|vent)|reste a payer|deben?|adeudan?|pendientes?(?: de pago)?)(?!\p{L})/u;
const OWED_IN = /open|outstanding|balance due|amount due|owed|offen|ausstehend|restant|solde|saldo|pendiente/i;

function owedColumn({ open, table, request: { rest } }: Measured): Column | undefined {
  const numbers = numbersOf(table);
  // Beside what was paid, the amount due is the whole one.
  const isWhole = (heading: string) => /amount due/i.test(heading) && numbers.some((one) => /paid/i.test(one.heading));
  const owed = OWED.test(rest)
    ? only(numbers.filter(({ heading }) => OWED_IN.test(heading) && !isWhole(heading)))
    : undefined;
  if (owed) open.take(OWED);
  return owed;
}

/** Words for money that need not stand in a heading. */
const OF_MONEY =
  /(?<!\p{L})(?:sold|vendi(?:o|do|eron)|value|money|geld|argent|dinero|bring in|chiffre d['’]affaires|worth|sales|payroll|wert|valeur|valor|earns?|earning|verdien(?:en|t|te)|gana|ganan|gagne(?:nt)?|zahlt|zahlten?|expensive|cheap\w*|dear(?:er|est)?|cost|costs|spent|spend|paid|pay|earned|money|salary|wages?|revenues?|turnover|einnahmen|recettes|ingresos|teuer\w*|gunstig\w*|umsatz|kosten|kostete?t?|ausgegeben|bezahlt|gehalt|cher|chere|couts?|depense|paye|salaire|caro|cara|gastado|gasto|pagado|pago|pagaron|salario|coste|cuestan?|costaron|valen?|coute(?:nt)?)(?!\p{L})/u;
/** "Who earns the most?" asks for the one column of pay. */
export const earnedColumn = (
  { rest, asked }: FigureRequest,
  { columns }: Pick<AskedTable, 'columns'>,
): Column | undefined =>
  EARNS.test(rest) || /pa(?:id|y)|bezahlt|pagad/.test(asked)
    ? only(columns.filter(({ type, heading }) => type === 'number' && PAY.test(heading)))
    : undefined;
function takeEarned({ open, table, request }: Measured): Column | undefined {
  const earned = earnedColumn(request, table);
  if (earned) open.take(EARNS);
  return earned;
}

const EARNS =
  /(?<!\p{L})(?:earns?|earning|(?:is|are|gets?) paid|makes?|verdien(?:en|t|te)|gagne(?:nt)?|ganan?|cobran?)(?!\p{L})/u;
const PAY = /salary|wage|pay(?!ment)|income|gehalt|lohn|verdienst|salaire|r[ée]mun[ée]ration|sueldo|salario/i;

/** "How much money did we take?" asks for the one column of what came in. */
function takingsOf(open: OpenText, numbers: readonly Column[]): Column | undefined {
  const column = TAKINGS.test(open.text)
    ? only(numbers.filter(({ heading }) => TAKEN.test(spaced(heading))))
    : undefined;
  if (column) open.take(TAKINGS);
  return column;
}
const TAKINGS =
  /(?<!\p{L})(?:money )?(?:did|do|have|has) (?:we|they|i|it|the \p{L}+) (?:take|taken|make|made|earn|earned|bring in|generate)(?: in)?(?!\p{L})|(?<!\p{L})(?:took in|eingenommen|encaisse|ingresado|recaudado)(?!\p{L})/u;
const TAKEN =
  /(?<!\p{L})(?:revenues?|turnover|takings|sales|umsatz|erl(?:ö|oe)se?|einnahmen|chiffre d.affaires|recettes?|ingresos|ventas)(?!\p{L})/iu;

/** The column of numbers that the question names best, or the only one. A count needs none. */
export function measureOf(measured: Measured): Column | undefined | 'unclear' {
  const { table, request, computed } = measured;
  const { kind, asked, isOfDays } = request;
  const known = computed ?? unitOfSum(measured) ?? (kind === 'count' ? undefined : owedColumn(measured));
  if (known) return known;
  const numbers = isOfDays ? table.columns.filter(({ type }) => type === 'date') : numbersOf(table);
  const measuring = takeMeasuring(measured.open);
  const isRanked = kind === 'most' || kind === 'least';
  const found = isRanked
    ? (rankedBy(request, numbers) ?? namedMeasure(measured, numbers) ?? ofAge(measured, numbers))
    : namedMeasure(measured, numbers);
  if (found) return found;
  const dimension = dimensionOf(asked) ?? (isRanked && !OF_AMOUNT.test(asked) ? undefined : measuring);
  if (dimension) return ofDimension(dimension, kind, numbers);
  // The first row is the one of the earliest day on which rows came about.
  if (isOfDays && numbers[0]) return numbers[0];
  return (
    timeOf(asked, numbers) ??
    takeEarned(measured) ??
    takingsOf(measured.open, numbers) ??
    priceOf(measured, numbers) ??
    wholeOf(measured, numbers) ??
    unnamed(kind, asked, numbers)
  );
}

/** "What percentage of the electricity" counts no rows: what has no plural is measured by the only column of numbers. */
function wholeOf(
  { open, request: { kind, of, rest }, notes }: Measured,
  numbers: readonly Column[],
): Column | undefined | 'unclear' {
  if (kind === 'share' && of === 'sum' && OF_TOTAL.test(rest))
    return only(numbers.filter(({ heading }) => TOTAL.test(heading.trim()))) ?? columnOf('whole', numbers) ?? 'unclear';
  // "The highest total cost" is one of the column `Total $`.
  if ((kind === 'most' || kind === 'least') && of === 'sum')
    return only(numbers.filter(({ heading }) => wordsOf(heading).some((word) => TOTAL.test(word))));
  const noun = kind === 'share' ? (WHOLE_NOUN.exec(open.text)?.[1] ?? '') : '';
  if (noun === '' || /s$/.test(noun) || PEOPLE.has(stem(noun)) || OF_MANY.test(noun)) return undefined;
  const column = only(numbers);
  if (!column || isOfEach(column)) return 'unclear';
  notes?.push(`The share is one of the column ${column.heading}.`);
  return column;
}
/** "Of the order total", of which the word for it was read before. */
const OF_TOTAL = /¤ *(?:of|der|des|von|du|de la|del) (?:the |our |all )?(?:\p{L}+ )?¤/u;
/** One word for many things, which are counted. */
const OF_MANY =
  /^(?:fleet|team|crew|equipment|furniture|feedback|mail|correspondence|audience|public|group|class|collection|inventory|stock|offspring)$/;
const WHOLE_NOUN = /¤ *of (?:all |the |our |total )*(?:\p{L}+ ){0,2}?(\p{L}+) *(?:came|comes?|went|goes)(?!\p{L})/u;

/** "How much ¤ litres" is a sum of the column in litres. */
const unitOfSum = ({ open, table, request }: Measured): Column | undefined =>
  request.kind === 'sum' ? columnInUnit(numbersOf(table), /^\W*(\p{L}+)/u.exec(open.text)?.[1] ?? '') : undefined;

/** The day tells the age of the thing that a row stands for, and of nothing else in it. */
const OF_AGE = /^(?:oldest|newest)$/;
function ofAge({ table, request }: Measured, [day]: readonly Column[]): Column | undefined | 'unclear' {
  const { asked, isOfDays, rest } = request;
  const [key] = table.columns;
  if (!isOfDays || !OF_AGE.test(asked)) return undefined;
  const isOfKey = key && !OF_PERSON.test(spaced(key.heading)) && namesColumn(key, contentWords(rest)) > 0;
  return isOfKey ? day : 'unclear';
}

/**
 * "How fast is the heaviest?" ranks by weight, and "the heaviest load" by the load. Unclear if the table has no column for
 * what the superlative measures.
 */
function rankedBy({ kind, asked, rest, isOfDays }: FigureRequest, numbers: Column[]): Column | undefined | 'unclear' {
  const dimension = isOfDays ? undefined : dimensionOf(asked);
  if (!dimension) return OF_ONE.test(rest) ? priceOrNone(rest, asked, numbers) : undefined;
  const nouns = [...rest.matchAll(BESIDE_SUPERLATIVE)].flatMap(([, before = '', behind = '']) => [before, behind]);
  const own = namedColumn(numbers, contentWords(nouns.join(' ')));
  if (own && own !== 'unclear') return isTimeOfSpeed(asked, own) ? 'unclear' : own;
  return own ?? ofDimension(dimension, kind, numbers);
}
const BESIDE_SUPERLATIVE =
  /(?<!\p{L})(\p{L}+)?(?: (?:d['’]\p{L}+|the|le|la|les|el|los|las))? *¤+ *(?:(?:average|mean|total) )?(\p{L}+)?/gu;

/** What lasts longer is measured by the only column of a time. */
export const timeOf = (asked: string, numbers: readonly Column[]): Column | undefined =>
  LONGER.test(asked) ? only(numbers.filter(({ heading }) => OF_TIME.test(spaced(heading)))) : undefined;
/** "How much does one weigh at most" ranks by what the verb measures; "how old is the tallest" does not. */
const OF_AMOUNT = /^(?:most|least|max|min|highest|lowest|am meisten|am wenigsten|hochst|niedrigst)/;
/** The fastest time is the lowest. */
const isTimeOfSpeed = (asked: string, { heading }: Column): boolean =>
  SPEEDS.test(asked) && TAKEN_TIME.test(spaced(heading));
const TAKEN_TIME =
  /(?:zeit|dauer|frist|(?<!\p{L})(?:times?|duration|laps?|days?|weeks?|hours?|minutes?|mins?|seconds?|delivery|tage|wochen|stunden|minuten|sekunden|temps|d[ée]lais?|jours|semaines|dur[ée]e|tiempo|plazo|d[íi]as|semanas|duraci[óo]n))(?!\p{L})/iu;
const SPEEDS = /^(?:fast|slow|schnell|langsam|(?:l[ae]s? )?plus (?:rapide|lent)|mas (?:rapid|lent))/;
const LONGER =
  /^(?:longe(?:r|st)|shorte(?:r|st)|langer|langst\p{L}*|kurzer|kurzest\p{L}*|(?:le |la )?plus (?:long|court)\p{L}*|mas (?:larg|cort)\p{L}*)$/u;
const OF_TIME =
  /(?<!\p{L})(?:duration|length|nights|days|hours|minutes|mins?|dauer|n[äa]chte|tage|stunden|minuten|dur[ée]e|jours|heures|nuits|duraci[óo]n|noches|d[íi]as|horas|minutos)(?!\p{L})/iu;

function namedMeasure({ open, request }: Measured, numbers: Column[]): Column | undefined | 'unclear' {
  const { asked, rest } = request;
  const [words, said] = [contentWords(open.text), contentWords(asked)];
  const named = namedColumn(numbers, words);
  const ofMoney = PAID.test(rest) ? paidColumn(numbers, words, named) : undefined;
  if (ofMoney) return ofMoney;
  // "The maximum load" may be the name of a column.
  if (named === 'unclear') return namedColumn(numbers, [...words, ...said]);
  if (named && OF_VALUE.test(named.heading)) open.take(VALUE);
  if (named) return isValueOfPieces(open.text, named, numbers) || isTimeOfSpeed(asked, named) ? 'unclear' : named;
  return COMPOUND.test(asked) || OF_MONEY.test(asked) ? namedColumn(numbers, said) : undefined;
}

const PAID =
  /(?<!\p{L})(?:pay|paid|spen[dt]|bezahlt\w*|gezahlt|ausgegeben|gekostet|depense|paye|gast(?:o|ado|amos|aron)|pag(?:o|ado|amos|aron))(?!\p{L})/u;
/** "What did we pay for fuel" asks for `Fuel cost` beside `Fuel (l)`, and "time spent on travel" for `Travel time`. */
function paidColumn(numbers: Column[], words: readonly string[], named: Column | undefined | 'unclear') {
  const ofMoney = namedColumn(
    numbers.filter(({ heading }) => MONEY.test(spaced(heading))),
    words,
  );
  const saidOf = ({ heading }: Column) => headingWords(heading).filter((word) => words.includes(word)).length;
  const isBetter = named && named !== 'unclear' && ofMoney && ofMoney !== 'unclear' && saidOf(named) > saidOf(ofMoney);
  return isBetter ? undefined : ofMoney;
}

/** `The total value of the stock` is the pieces times their price, and no sum of pieces. */
const isValueOfPieces = (text: string, named: Column, numbers: Column[]): boolean =>
  VALUE.test(text) &&
  !OF_VALUE.test(named.heading) &&
  !MONEY.test(spaced(named.heading)) &&
  numbers.some(({ heading }) => MONEY.test(spaced(heading)));
const VALUE = /(?<!\p{L})(?:value|worth|wert|valeur|valor)(?!\p{L})/u;
const OF_VALUE = /(?:wert|valeur|valor)(?!\p{L})/iu;

function priceOf(
  { open, request: { kind, asked, rest } }: Omit<Measured, 'table'>,
  numbers: Column[],
): Column | undefined {
  const priced = columnOf(OF_PRICE.test(asked) ? 'each' : 'whole', numbers);
  // "What share of the orders is paid" is one of orders: a word that was read as a condition names no money.
  const isOfMoney =
    asked === 'top' || OF_PRICE.test(asked) || OF_MONEY.test(kind === 'share' ? open.text : `${rest} ${asked}`);
  if (priced && isOfMoney) open.take(OF_MONEY);
  return isOfMoney ? priced : undefined;
}

/** A figure of money is the price of one piece if it is cheap or expensive, and else an amount. */
const OF_PRICE = /expensive|cheap|dearest|teuer|billig|gunstig|cher|car[oa]|barat/u;

function unnamed(kind: FigureKind, asked: string, numbers: Column[]): Column | undefined | 'unclear' {
  const isOfRows = kind === 'share' || (/^(?:compare|difference)$/.test(kind) && !MEASURED.test(asked));
  if (isOfRows) return undefined;
  const column = SIZE.test(asked) || HIGH.test(asked) ? sizeOf(asked, numbers) : onlyOne(numbers);
  if (kind !== 'sum') return column;
  if (column !== 'unclear') return isOfEach(column) ? 'unclear' : column;
  return /^(?:how much|wie ?viel|combien|totals?|gesamt|insgesamt|au total)$/.test(asked)
    ? (columnOf('whole', numbers) ?? 'unclear')
    : 'unclear';
}

/** Of several numbers, the biggest order is that of the largest amount of money, and the biggest person that of a height. */
function sizeOf(asked: string, numbers: Column[]): Column | 'unclear' {
  const heights = numbers.filter(({ heading }) => HEIGHT.test(spaced(heading)));
  const money = SIZE.test(asked) ? columnOf('whole', numbers) : undefined;
  const isPrice = heights.length > 0 && money !== undefined && isOfEach(money);
  const sizes = [...heights, ...(money && !isPrice ? [money] : [])];
  return onlyOne(sizes.length > 0 ? sizes : numbers);
}
const HIGH = /^(?:highest|lowest|(?:l[ae]s? )?plus (?:haut|bas)\w*|mas (?:alt|baj)\w*|hochst\w*|niedrigst\w*)$/;
const HEIGHT =
  /(?<!\p{L})(?:heights?|elevation|altitude|h(?:ö|oe)he|gr(?:ö|oe)(?:ß|ss)e|hauteur|taille|altura|altitud|estatura)(?!\p{L})/iu;
const SIZE =
  /^(?:biggest|largest|smallest|gro(?:ß|ss)t\w*|kleinst\w*|(?:le |la )?plus (?:grand|gros|petit)\w*|mayor|menor)/;

/** "The price of the heaviest diamond" does not ask for the highest price. */
const OF_ONE = /(?<!\p{L})(?:of|von|der|des|du|de la|del) (?:the |le |la |el )?¤ *\p{L}/u;
function priceOrNone(rest: string, asked: string, numbers: Column[]): Column | 'unclear' {
  const behind = namedColumn(numbers, contentWords(rest.slice(OF_ONE.exec(rest)?.index)));
  if (behind) return behind;
  return OF_PRICE.test(asked) ? onlyOne(numbers.filter(({ heading }) => MONEY.test(spaced(heading)))) : 'unclear';
}

const COMPOUND = /^(?:durchschnitts|gesamt)\p{L}{4,}/u;

/** "Longer" and "by how much" compare figures, where "more" may compare numbers of rows. */
const MEASURED = /(?!fewer)(?<!\p{L})\p{L}{3,}er(?!\p{L})|by how|um wie|de combien|en cuanto/u;

const ASKS_ELSE =
  /(?<!\p{L})(?:where|when|who|why|wo|wann|wer|warum|ou|quand|qui|pourquoi|donde|cuando|quien)(?!\p{L})/u;
/** What a verb asks of the rows: "how heavy is ¤", or the load in "how heavy is the load". Undefined if it asks nothing. */
export function measuredOf({ open, table, request }: Measured): Column | undefined | 'unclear' {
  const dimension = ASKS_ELSE.test(request.rest) ? undefined : takeMeasuring(open);
  const numbers = numbersOf(table);
  return dimension && (namedColumn(numbers, contentWords(open.text)) ?? ofDimension(dimension, 'list', numbers));
}

function ofDimension(dimension: RegExp, kind: FigureKind, numbers: Column[]): Column | 'unclear' {
  const measured = numbers.filter(({ heading }) => dimension.test(heading));
  const edge = kind === 'most' ? /max|high/i : /min|low/i;
  const edges = measured.length > 1 ? measured.filter(({ heading }) => edge.test(heading)) : [];
  return onlyOne(edges.length > 0 ? edges : measured);
}

const onlyOne = ([first, second]: Column[]): Column | 'unclear' => (first && !second ? first : 'unclear');

/** A row of such a table stands for several things. */
const FREQUENCY = /^(?:freq|frequency|frequencies|h(?:ä|ae)ufigkeit|effectifs?|frecuencia|n)$/iu;
const TOTAL = /^(?:totals?|counts?|number|gesamt|anzahl|nombre|cantidad)$/iu;

/**
 * The column with the number of things that a row stands for: of a table that is called after what happened, whose rows are
 * states, say. `Total` in a table of orders, whose rows are orders, is an amount.
 */
export function thingsColumn({ table, values, request }: Pick<Planning, 'table' | 'values' | 'request'>) {
  const called = (pattern: RegExp) => numbersOf(table).filter(({ heading }) => pattern.test(heading.trim()));
  const naming = namingColumn(table, values);
  const named = headingWords(table.name);
  const isAsked = contentWords(request.rest).some((word) => named.includes(word));
  const isOfDays = table.columns.some(({ type }) => type === 'date');
  const isOfNames = naming !== undefined && namesColumn(naming, named) === 0 && isAsked && !isOfDays;
  const [column, another] = [...called(FREQUENCY), ...(isOfNames ? called(TOTAL) : [])];
  return another ? undefined : column;
}

/** What a figure is counted in, where headings need not say it: "how many hours does it sleep". */
export const UNITS = new Set(
  'hour minute second day week kilometre mile metre kilogram pound ton litre dollar euro degree percent stunde minute sekunde tag woche kilometer meter kilo tonne grad heure jour semaine degre hora minuto dia semana grado'
    .split(' ')
    .map(stem),
);

/** Each has a word of the text that the other lacks: "length" alone names neither of two lengths. */
export function twoNamed(numbers: readonly Column[], words: readonly string[]): Column[] | undefined {
  const said = numbers.map((column) => ({
    column,
    words: headingWords(column.heading).filter((one) => words.includes(one)),
  }));
  const named = said.filter((one) => one.words.length > 0);
  const isOwn = (word: string) => named.filter((one) => one.words.includes(word)).length === 1;
  return named.length === 2 && named.every((one) => one.words.some(isOwn))
    ? named.map(({ column }) => column)
    : undefined;
}

const QUANTITY =
  /^(?:quantity|quantities|qty|menge|anzahl|st(?:u|ü)ck|pieces|pcs|units|copies|boxes|number|sold|ordered|sales|exemplare|verkauft|bestellt|exemplaires|vendus?|command[ée]e?s|quantit[ée]s?|cantidad(?:es)?|unidades|ejemplares|vendid[oa]s|pedid[oa]s|count)$/iu;

/** Whose figures are counted: "did Gore get", "votes for Gore". */
const COUNTED_OF =
  /(?<!\p{L})(?:did|does|do|has|have|had|hat|haben|hatten?|for|of|fur|von|pour|de|para) (?:the |der |die |das |le |la |les |el |los |las )?(\p{L}+)(?: (\p{L}+))?/u;
/** "How many tickets did we sell" adds up the column `Sold`, unless each row is a ticket. */
function soldOf(
  { request: { rest }, table, notes, values }: Planning,
  noun: string,
  numbers: readonly Column[],
): Column | undefined {
  const [key] = table.columns;
  const isOfRows = [...headingWords(table.name), ...(key ? headingWords(key.heading) : [])].includes(stem(noun));
  const column =
    SELLING.test(rest) && !isOfRows
      ? only(numbers.filter((one) => SOLD.test(one.heading.trim()) && !isOfState(one, 'years', values)))
      : undefined;
  if (column) notes.push(`What was sold is the column ${column.heading}.`);
  return column;
}
const SELLING =
  /(?<!\p{L})(?:did (?:we|they|i|you|she|he) sell|(?:were|was|got|have we|been) sold(?! out)|haben wir verkauft|wurden?(?: \p{L}+){0,4} verkauft|avons[- ]nous vendus?|ont ete vendus?|hemos vendido|se vendieron|vendimos)(?!\p{L})/u;
const SOLD = /^(?:(?:tickets?|units|pieces) )?(?:sold|verkauft|vendus?|vendid[oa]s?)$/iu;

/** "How many units do we have" asks for the stock, and "how many votes did Gore get" for the figures of the column Gore. */
export function countedNumber(planning: Planning, noun: string): Column | undefined {
  const { open, table, request } = planning;
  const numbers = numbersOf(table);
  const [, ...of] = COUNTED_OF.exec(open.text) ?? [];
  const named = namedColumn(numbers, of.filter(Boolean).map(stem));
  if (named) return named === 'unclear' ? undefined : named;
  const stock = QUANTITY.test(noun) ? stockOf(request.rest, numbers) : undefined;
  const column = stock ?? soldOf(planning, noun, numbers);
  if (column) takeWord(open, stem(noun));
  return column;
}

/** The stock, or the column of quantities: "how many copper pipes were ordered". */
export function quantityColumn(rest: string, numbers: readonly Column[]): Column | undefined | 'unclear' {
  const stock = stockOf(rest, numbers);
  const [quantity, another] = numbers.filter(({ heading }) => wordsOf(heading).some((word) => QUANTITY.test(word)));
  return stock ?? (another ? 'unclear' : quantity);
}
