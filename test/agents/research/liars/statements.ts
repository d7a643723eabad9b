/**
 * Statements with their truth known by construction: 40 templates in five languages, each a sentence of a source and a
 * true sentence about it in other words; lies are the true sentence with one slot changed. Shares no code with the check.
 */
export type Statement = {
  template: string;
  /** The way it is false; undefined for a true one. */
  lie?: string;
  claim: string;
  source: string;
  title: string;
  /** What the writer quotes, if it is not the whole source. */
  quote?: string;
  /** Formulas of the figures that the claim computes. */
  computed?: string[];
};

type Language = 'en' | 'de' | 'fr' | 'es' | 'it';
type Slots = { name: string; place: string; figure: string; from: string; to: string; year: string; month: string };

/** `{name}`, `{place}`, `{figure}` with its unit, `{from}`, `{to}`, `{month}`, `{year}`; `[up|down]` is the direction. */
const TEMPLATES: Record<Language, [source: string, claim: string][]> = {
  en: [
    [
      '{name} said its port fees in {place} [rose|fell] by {figure} per cent in {month} {year}, after a long dispute.',
      'In {month} {year}, port fees of {name} in {place} [increased|declined] by {figure} per cent.',
    ],
    [
      'Revenue at {name} [climbed|dropped] from EUR {from} million to EUR {to} million in {year}, the company reported.',
      'The revenue of {name} [grew|shrank] from EUR {from} million to EUR {to} million in {year}.',
    ],
    [
      'The plant in {place} will not close before {year}, {name} told its workers, and {figure} jobs are kept.',
      '{name} will not close the plant in {place} before {year}, which keeps {figure} jobs.',
    ],
    [
      'Wholesale power in {place} cost {figure} euros per MWh in {month} {year}, traders at {name} said.',
      'Power in {place} cost {figure} euros in {month} {year}, according to {name}.',
    ],
    [
      'Unemployment in {place} [went up|went down] by {figure} percentage points in {year}, a survey of {name} shows.',
      'A survey of {name} shows that unemployment in {place} [rose|fell] by {figure} percentage points in {year}.',
    ],
    [
      '{name} shipped {figure} tonnes of grain from {place} between {month} and the end of {year}.',
      'Between {month} and the end of {year}, {figure} tonnes of grain left {place} with {name}.',
    ],
    [
      'The deficit of {place} [widened|narrowed] to {figure} per cent of output in {year}, {name} estimates.',
      '{name} estimates that the deficit of {place} [rose|narrowed] to {figure} per cent in {year}.',
    ],
    [
      'Orders at {name} in {place} [surged|slumped] {figure} per cent in the third quarter of {year}.',
      'In the third quarter of {year}, orders at {name} in {place} [jumped|declined] by {figure} per cent.',
    ],
  ],
  de: [
    [
      'Die Hafengebühren in {place} sind im {month} {year} um {figure} Prozent [gestiegen|gesunken], teilte {name} mit.',
      'Nach Angaben von {name} sind die Gebühren in {place} im {month} {year} um {figure} Prozent [gestiegen|gefallen].',
    ],
    [
      'Der Umsatz von {name} [stieg|fiel] {year} von {from} Millionen Euro auf {to} Millionen Euro.',
      'Der Umsatz von {name} [wuchs|schrumpfte] {year} von {from} Millionen Euro auf {to} Millionen Euro.',
    ],
    [
      'Das Werk in {place} wird nicht vor {year} geschlossen, und {figure} Stellen bleiben, erklärte {name}.',
      'Das Werk von {name} in {place} wird nicht vor {year} geschlossen, und {figure} Stellen bleiben.',
    ],
    [
      'Strom kostete in {place} im {month} {year} durchschnittlich {figure} Euro, so die Händler von {name}.',
      'Im {month} {year} kostete Strom in {place} {figure} Euro, heißt es bei {name}.',
    ],
    [
      'Die Arbeitslosigkeit in {place} ist {year} um {figure} Prozentpunkte [gestiegen|gesunken], wie {name} mitteilt.',
      'Wie {name} mitteilt, ist die Arbeitslosigkeit in {place} {year} um {figure} Prozentpunkte [gestiegen|zurückgegangen].',
    ],
    [
      'Von {place} aus wurden bis {month} {year} mit {name} {figure} Tonnen Getreide verschifft.',
      'Bis {month} {year} wurden {figure} Tonnen Getreide von {place} aus mit {name} verschifft.',
    ],
    [
      'Das Defizit in {place} ist {year} auf {figure} Prozent [gewachsen|geschrumpft], schätzt die Bank von {name}.',
      'Die Bank von {name} schätzt, dass das Defizit in {place} {year} auf {figure} Prozent [gestiegen|gesunken] ist.',
    ],
    [
      'Im dritten Quartal {year} [stiegen|sanken] die Aufträge bei {name} in {place} um {figure} Prozent.',
      'Bei {name} in {place} [stiegen|fielen] die Aufträge im dritten Quartal {year} um {figure} Prozent.',
    ],
  ],
  fr: [
    [
      'Les droits portuaires à {place} ont [augmenté|baissé] de {figure} pour cent en {month} {year}, selon {name}.',
      'Selon {name}, les droits portuaires à {place} ont [progressé|reculé] de {figure} pour cent en {month} {year}.',
    ],
    [
      'Le chiffre d’affaires de {name} est passé de {from} millions d’euros à {to} millions d’euros en {year}.',
      'En {year}, le chiffre d’affaires de {name} est passé de {from} millions d’euros à {to} millions d’euros.',
    ],
    [
      'L’usine de {place} ne fermera pas avant {year}, et {figure} emplois sont conservés, a déclaré {name}.',
      'Selon {name}, l’usine de {place} ne fermera pas avant {year} et {figure} emplois sont conservés.',
    ],
    [
      'L’électricité a coûté {figure} euros à {place} en {month} {year}, selon les courtiers de {name}.',
      'En {month} {year}, l’électricité à {place} a coûté {figure} euros, selon {name}.',
    ],
    [
      'Le chômage à {place} a [augmenté|diminué] de {figure} points de pourcentage en {year}, selon une enquête de {name}.',
      'Une enquête de {name} montre que le chômage à {place} a [augmenté|baissé] de {figure} points de pourcentage en {year}.',
    ],
    [
      '{name} a expédié {figure} tonnes de céréales depuis {place} en {month} {year}.',
      'En {month} {year}, {figure} tonnes de céréales ont quitté {place} avec {name}.',
    ],
    [
      'Le déficit de {place} a [augmenté|reculé] à {figure} pour cent en {year}, estime {name}.',
      '{name} estime que le déficit de {place} a [progressé|diminué] à {figure} pour cent en {year}.',
    ],
    [
      'Au troisième trimestre {year}, les commandes de {name} à {place} ont [augmenté|chuté] de {figure} pour cent.',
      'Les commandes de {name} à {place} ont [augmenté|reculé] de {figure} pour cent au troisième trimestre {year}.',
    ],
  ],
  es: [
    [
      'Las tasas portuarias en {place} [subieron|bajaron] un {figure} por ciento en {month} de {year}, según {name}.',
      'Según {name}, las tasas portuarias en {place} [aumentaron|disminuyeron] un {figure} por ciento en {month} de {year}.',
    ],
    [
      'Los ingresos de {name} pasaron de {from} millones de euros a {to} millones de euros en {year}.',
      'En {year}, los ingresos de {name} pasaron de {from} millones de euros a {to} millones de euros.',
    ],
    [
      'La planta de {place} no cerrará antes de {year}, y se conservan {figure} empleos, dijo {name}.',
      'Según {name}, la planta de {place} no cerrará antes de {year}, y se conservan {figure} empleos.',
    ],
    [
      'La electricidad costó {figure} euros en {place} en {month} de {year}, según los operadores de {name}.',
      'En {month} de {year} la electricidad en {place} costó {figure} euros, según {name}.',
    ],
    [
      'El paro en {place} [aumentó|bajó] {figure} puntos porcentuales en {year}, según una encuesta de {name}.',
      'Una encuesta de {name} muestra que el paro en {place} [subió|disminuyó] {figure} puntos porcentuales en {year}.',
    ],
    [
      '{name} embarcó {figure} toneladas de grano en {place} en {month} de {year}.',
      'En {month} de {year} se embarcaron {figure} toneladas de grano de {name} en {place}.',
    ],
    [
      'El déficit de {place} [creció|se redujo] al {figure} por ciento en {year}, calcula {name}.',
      '{name} calcula que el déficit de {place} [aumentó|bajó] al {figure} por ciento en {year}.',
    ],
    [
      'En el tercer trimestre de {year}, los pedidos de {name} en {place} [aumentaron|cayeron] un {figure} por ciento.',
      'Los pedidos de {name} en {place} [crecieron|bajaron] un {figure} por ciento en el tercer trimestre de {year}.',
    ],
  ],
  it: [
    [
      'Le tasse portuali a {place} sono [aumentate|diminuite] del {figure} per cento a {month} {year}, secondo {name}.',
      'Secondo {name}, a {month} {year} le tasse portuali a {place} sono [cresciute|calate] del {figure} per cento.',
    ],
    [
      'I ricavi di {name} sono passati da {from} milioni di euro a {to} milioni di euro nel {year}.',
      'Nel {year} i ricavi di {name} sono passati da {from} milioni di euro a {to} milioni di euro.',
    ],
    [
      'Lo stabilimento di {place} non chiuderà prima del {year} e restano {figure} posti, ha detto {name}.',
      'Secondo {name}, lo stabilimento di {place} non chiuderà prima del {year} e restano {figure} posti.',
    ],
    [
      'L’elettricità è costata {figure} euro a {place} a {month} {year}, secondo gli operatori di {name}.',
      'A {month} {year} l’elettricità a {place} è costata {figure} euro, secondo {name}.',
    ],
    [
      'La disoccupazione a {place} è [aumentata|diminuita] di {figure} punti percentuali nel {year}, secondo {name}.',
      'Secondo {name}, nel {year} la disoccupazione a {place} è [cresciuta|calata] di {figure} punti percentuali.',
    ],
    [
      '{name} ha spedito {figure} tonnellate di grano da {place} a {month} {year}.',
      'A {month} {year} sono partite da {place} {figure} tonnellate di grano di {name}.',
    ],
    [
      'Il deficit di {place} è [salito|sceso] al {figure} per cento nel {year}, stima {name}.',
      '{name} stima che nel {year} il deficit di {place} sia [aumentato|diminuito] al {figure} per cento.',
    ],
    [
      'Nel terzo trimestre del {year} gli ordini di {name} a {place} sono [aumentati|crollati] del {figure} per cento.',
      'Gli ordini di {name} a {place} sono [cresciuti|calati] del {figure} per cento nel terzo trimestre del {year}.',
    ],
  ],
};

const NAMES = ['Norvik', 'Halberd Lines', 'Castellan', 'Brightwater', 'Meridia', 'Solvane', 'Ostrava Steel', 'Quillon'];
const PLACES = ['Gdynia', 'Rotterdam', 'Tallinn', 'Valparaiso', 'Porto', 'Aarhus', 'Oslo', 'Piraeus'];
const MONTHS: Record<Language, string[]> = {
  en: ['January', 'March', 'June', 'October'],
  de: ['Januar', 'März', 'Juni', 'Oktober'],
  fr: ['janvier', 'mars', 'juin', 'octobre'],
  es: ['enero', 'marzo', 'junio', 'octubre'],
  it: ['gennaio', 'marzo', 'giugno', 'ottobre'],
};
const QUARTERS: Record<Language, [string, string]> = {
  en: ['third quarter', 'second quarter'],
  de: ['dritten Quartal', 'zweiten Quartal'],
  fr: ['troisième trimestre', 'deuxième trimestre'],
  es: ['tercer trimestre', 'segundo trimestre'],
  it: ['terzo trimestre', 'secondo trimestre'],
};
const PERCENT: Record<Language, string> = {
  en: 'per cent',
  de: 'Prozent',
  fr: 'pour cent',
  es: 'por ciento',
  it: 'per cento',
};
const POINTS: Record<Language, string> = {
  en: 'percentage points',
  de: 'Prozentpunkte',
  fr: 'points de pourcentage',
  es: 'puntos porcentuales',
  it: 'punti percentuali',
};
const MILLIONS: Record<Language, [string, string]> = {
  en: ['million', 'billion'],
  de: ['Millionen', 'Milliarden'],
  fr: ['millions', 'milliards'],
  es: ['millones', 'mil millones'],
  it: ['milioni', 'miliardi'],
};
const EURO: Record<Language, [RegExp, string]> = {
  en: [/EUR |euros?/g, 'USD '],
  de: [/Euro/g, 'Dollar'],
  fr: [/euros/g, 'dollars'],
  es: [/euros/g, 'dólares'],
  it: [/euro/g, 'dollari'],
};
const NOT: Record<Language, [RegExp, string]> = {
  en: [/ will not close/, ' will close'],
  de: [/ nicht vor/, ' vor'],
  fr: [/ne fermera pas/, 'fermera'],
  es: [/no cerrará/, 'cerrará'],
  it: [/non chiuderà/, 'chiuderà'],
};

/** A small generator with a seed, so that a failing run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A month without its year beside it is no date. */
const wayOfMonth = (claim: string): string => (/\{month\} (?:de )?\{year\}/.test(claim) ? 'month' : 'month alone');

const LANGUAGES = Object.keys(TEMPLATES) as Language[];

/** Not a multiple, which may be the same in another unit of time. */
function another(figure: string, draw: () => string): string {
  const other = draw();
  const [a, b] = [figure, other].map((text) => Number(text.replace(',', '.'))) as [number, number];
  const isMultiple = [a / b, b / a].some((ratio) => Math.abs(ratio - Math.round(ratio)) < 1e-6);
  return isMultiple ? another(figure, draw) : other;
}

/** One true statement of each template, and every lie that it has the slots for. */
export function statements(seed: number): Statement[] {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const different = <T>(list: readonly T[], from: T): T => pick(list.filter((one) => one !== from));
  return LANGUAGES.flatMap((language) =>
    TEMPLATES[language].flatMap(([source, claim], nth) => {
      const decimal = language === 'en' ? '.' : ',';
      const figure = () => `${2 + Math.floor(random() * 80)}${decimal}${1 + Math.floor(random() * 8)}`;
      const low = 100 + Math.floor(random() * 300);
      const slots: Slots = {
        name: pick(NAMES),
        place: pick(PLACES),
        figure: figure(),
        from: String(low),
        to: String(low + 37),
        year: pick(['2023', '2024', '2025']),
        month: pick(MONTHS[language]),
      };
      const isUp = random() < 0.5;
      const isRise = isUp || !source.includes('[');
      const shown = isRise ? slots : { ...slots, from: slots.to, to: slots.from };
      const say = (text: string, own: Slots = shown, up = isUp) =>
        text
          .replaceAll(/\[([^|\]]+)\|([^\]]+)\]/g, up ? '$1' : '$2')
          .replaceAll(/\{(\w+)\}/g, (_, slot: keyof Slots) => own[slot]);
      const template = `${language} ${nth + 1}`;
      const said = say(claim);
      const base = { template, source: say(source), title: '' };
      const lie = (way: string, text: string): Statement[] =>
        text === said ? [] : [{ ...base, lie: way, claim: text }];
      const slot = (way: string, name: keyof Slots, value: string) =>
        claim.includes(`{${name}}`) ? lie(way, say(claim, { ...shown, [name]: value })) : [];
      const swapped = { ...shown, from: shown.to, to: shown.from };
      return [
        { ...base, claim: said },
        ...lie('direction', say(claim, shown, !isUp)),
        ...lie('negation', said.replace(...NOT[language])),
        ...slot('number', 'figure', another(slots.figure, figure)),
        ...slot('number', 'to', String(Number(shown.to) + 100)),
        ...(claim.includes('{from}') ? lie('order', say(claim, swapped)) : []),
        ...lie('unit', said.replace(...EURO[language])),
        ...lie('scale', said.replaceAll(` ${MILLIONS[language][0]} `, ` ${MILLIONS[language][1]} `)),
        ...lie('scale word dropped', said.replaceAll(` ${MILLIONS[language][0]}`, '')),
        ...(said.includes(POINTS[language])
          ? []
          : lie('points for percent', said.replace(PERCENT[language], POINTS[language]))),
        ...lie('percent for points', said.replace(POINTS[language], PERCENT[language])),
        ...slot('year', 'year', different(['2023', '2024', '2025'], slots.year)),
        ...slot(wayOfMonth(claim), 'month', different(MONTHS[language], slots.month)),
        ...lie('period', said.replace(...QUARTERS[language])),
        ...slot('name', 'name', different(NAMES, slots.name)),
        ...slot('place', 'place', different(PLACES, slots.place)),
      ];
    }),
  );
}

/** True statements in another language than their source, with figures and names kept. */
export function translatedStatements(seed: number): Statement[] {
  const random = seeded(seed);
  const pairs: [Language, Language][] = [
    ['en', 'de'],
    ['en', 'fr'],
    ['de', 'en'],
    ['es', 'it'],
    ['fr', 'es'],
  ];
  return pairs.flatMap(([of, from], pair) =>
    [0, 2, 4, 7].map((nth): Statement => {
      const month = Math.floor(random() * 4);
      const isUp = random() < 0.5;
      const slots = { name: NAMES[nth] ?? '', place: PLACES[nth] ?? '', year: String(2021 + pair), from: '', to: '' };
      const say = (language: Language, text: string) => {
        const decimal = language === 'en' ? '.' : ',';
        const own: Slots = { ...slots, month: MONTHS[language][month] ?? '', figure: `${3 + nth}${decimal}${1 + nth}` };
        return text
          .replaceAll(/\[([^|\]]+)\|([^\]]+)\]/g, isUp ? '$1' : '$2')
          .replaceAll(/\{(\w+)\}/g, (_, slot: keyof Slots) => own[slot]);
      };
      return {
        template: `${of} of ${from} ${nth + 1}`,
        claim: say(of, TEMPLATES[of][nth]?.[1] ?? ''),
        source: say(from, TEMPLATES[from][nth]?.[0] ?? ''),
        title: '',
      };
    }),
  );
}

const COMPUTED: Record<Language, [source: string, difference: string, share: string]> = {
  en: [
    'Revenue at {name} rose from {from} million euros to {to} million euros in {year}.',
    'Revenue at {name} rose by {figure} million euros in {year}.',
    'Revenue at {name} rose by {figure} per cent in {year}.',
  ],
  de: [
    'Der Umsatz von {name} stieg {year} von {from} Millionen Euro auf {to} Millionen Euro.',
    'Der Umsatz von {name} stieg {year} um {figure} Millionen Euro.',
    'Der Umsatz von {name} stieg {year} um {figure} Prozent.',
  ],
  fr: [
    'Le chiffre d’affaires de {name} est passé de {from} millions d’euros à {to} millions d’euros en {year}.',
    'Le chiffre d’affaires de {name} a augmenté de {figure} millions d’euros en {year}.',
    'Le chiffre d’affaires de {name} a augmenté de {figure} pour cent en {year}.',
  ],
  es: [
    'Los ingresos de {name} subieron de {from} millones de euros a {to} millones de euros en {year}.',
    'Los ingresos de {name} subieron {figure} millones de euros en {year}.',
    'Los ingresos de {name} subieron un {figure} por ciento en {year}.',
  ],
  it: [
    'I ricavi di {name} sono saliti da {from} milioni di euro a {to} milioni di euro nel {year}.',
    'I ricavi di {name} sono saliti di {figure} milioni di euro nel {year}.',
    'I ricavi di {name} sono saliti del {figure} per cento nel {year}.',
  ],
};

/** Claims with a figure that only a formula gives, and the ways in which the sum is wrong. */
export function computedStatements(seed: number): Statement[] {
  const random = seeded(seed);
  return LANGUAGES.flatMap((language, nth) =>
    [0, 1].flatMap((round): Statement[] => {
      const from = 100 + Math.floor(random() * 300);
      const to = from + 20 + Math.floor(random() * 70);
      const slots = {
        name: NAMES[(2 * nth + round) % NAMES.length] ?? '',
        year: String(2023 + round),
        from: String(from),
        to: String(to),
      };
      const [source, difference, share] = COMPUTED[language].map((text) =>
        text.replaceAll(/\{(name|year|from|to)\}/g, (_, slot: keyof typeof slots) => slots[slot]),
      ) as [string, string, string];
      const rate = (100 * (to - from)) / from;
      const decimals = (value: number) => value.toFixed(1).replace('.', language === 'en' ? '.' : ',');
      const say = (text: string, figure: string) => text.replace('{figure}', figure);
      const base = { template: `computed ${language} ${round}`, source, title: '' };
      const by = { difference: `${to} - ${from}`, share: `(${to} - ${from}) / ${from} * 100` };
      return [
        { ...base, claim: say(difference, String(to - from)), computed: [by.difference] },
        { ...base, claim: say(share, decimals(rate)), computed: [by.share] },
        { ...base, lie: 'wrong arithmetic', claim: say(difference, String(to - from + 3)), computed: [by.difference] },
        { ...base, lie: 'wrong arithmetic', claim: say(share, decimals(rate + 1)), computed: [by.share] },
        {
          ...base,
          lie: 'wrong operands',
          claim: say(difference, String(to - from + 5)),
          computed: [`${to + 5} - ${from}`],
        },
        { ...base, lie: 'no formula', claim: say(difference, String(to - from)), source: `${slots.name}: ${source}` },
        {
          ...base,
          lie: 'computed unit',
          claim: say(share, decimals(rate)).replace(PERCENT[language], POINTS[language]),
          computed: [by.share],
        },
      ];
    }),
  );
}

/** What is put before or behind a text in each language: of the source, and of the claim. */
type Turn = { source?: (text: string) => string; claim?: (text: string) => string };

const before = (text: string) => (said: string) => `${text} ${said}`;
const behind = (text: string) => (said: string) => said.replace(/\.$/, `${text}.`);

const SUBTLE: Record<Language, Record<string, Turn>> = {
  en: {
    'invented cause': { claim: behind(' because fuel was dear') },
    'may as fact': { source: before('This may well happen:') },
    'part for whole': { source: before('For some of its customers only:') },
    'other base': { source: behind(' against the month before'), claim: behind(' against the year before') },
    'attribution dropped': { source: before('A rival claims:') },
    'half true': { claim: behind(' and its rivals followed') },
    'stale as present': { source: before('Formerly it was so:'), claim: before('It is still so:') },
  },
  de: {
    'invented cause': { claim: behind(', weil Treibstoff teuer war') },
    'may as fact': { source: before('Dies könnte geschehen:') },
    'part for whole': { source: before('Nur für einige Kunden:') },
    'other base': { source: behind(' gegenüber dem Vormonat'), claim: behind(' gegenüber dem Vorjahr') },
    'attribution dropped': { source: before('Ein Konkurrent behauptet:') },
    'half true': { claim: behind(' und die Konkurrenz folgte') },
    'stale as present': { source: before('Früher war es so:'), claim: before('Es ist noch immer so:') },
  },
  fr: {
    'invented cause': { claim: behind(' parce que le carburant était cher') },
    'may as fact': { source: before('Cela pourrait arriver :') },
    'part for whole': { source: before('Pour certains clients seulement :') },
    'other base': {
      source: behind(' par rapport au mois précédent'),
      claim: behind(' par rapport à l’année précédente'),
    },
    'attribution dropped': { source: before('Un concurrent affirme :') },
    'half true': { claim: behind(' et la concurrence a suivi') },
    'stale as present': { source: before('Autrefois :'), claim: before('Encore aujourd’hui :') },
  },
  es: {
    'invented cause': { claim: behind(' porque el combustible era caro') },
    'may as fact': { source: before('Esto podría ocurrir:') },
    'part for whole': { source: before('Solo para algunos clientes:') },
    'other base': { source: behind(' frente al mes anterior'), claim: behind(' frente al año anterior') },
    'attribution dropped': { source: before('Un competidor afirma:') },
    'half true': { claim: behind(' y la competencia la siguió') },
    'stale as present': { source: before('Antes era así:'), claim: before('Todavía es así:') },
  },
  it: {
    'invented cause': { claim: behind(' perché il carburante era caro') },
    'may as fact': { source: before('Potrebbe accadere:') },
    'part for whole': { source: before('Solo per alcuni clienti:') },
    'other base': { source: behind(' rispetto al mese precedente'), claim: behind(' rispetto all’anno precedente') },
    'attribution dropped': { source: before('Un concorrente afferma:') },
    'half true': { claim: behind(' e la concorrenza ha seguito') },
    'stale as present': { source: before('Un tempo era così:'), claim: before('È ancora così:') },
  },
};

/** Statements of every template that only reading shows to be false, sorted by the way they are. */
export function subtleStatements(seed: number): Statement[] {
  const truths = statements(seed).filter(({ lie }) => lie === undefined);
  return Object.keys(SUBTLE.en).flatMap((lie) =>
    truths.map(({ template, claim, source, title }): Statement => {
      const turn = SUBTLE[template.slice(0, 2) as Language][lie];
      return { template, lie, title, claim: turn?.claim?.(claim) ?? claim, source: turn?.source?.(source) ?? source };
    }),
  );
}

/** True, and easily taken for false: a loss that narrowed, `less than`, and negations that cancel each other out. */
export const CAREFUL: Statement[] = [
  ['The loss of Norvik narrowed to EUR 3 million in 2025.', 'In 2025 the loss of Norvik fell to EUR 3 million.'],
  ['It is not true that fees at Norvik did not rise in 2025.', 'Fees at Norvik rose in 2025.'],
  [
    'Der Verlust von Norvik hat sich 2025 auf 3 Millionen Euro verringert.',
    'Der Verlust von Norvik sank 2025 auf 3 Millionen Euro.',
  ],
  [
    'Weniger als 20 Schiffe von Norvik warteten im Mai 2025.',
    'Im Mai 2025 warteten weniger als 20 Schiffe von Norvik.',
  ],
  [
    'La perte de Norvik s’est réduite à 3 millions d’euros en 2025.',
    'En 2025, la perte de Norvik a diminué à 3 millions d’euros.',
  ],
  ['Moins de 20 navires de Norvik attendaient en mai 2025.', 'En mai 2025, moins de 20 navires de Norvik attendaient.'],
  [
    'La pérdida de Norvik se redujo a 3 millones de euros en 2025.',
    'En 2025, la pérdida de Norvik bajó a 3 millones de euros.',
  ],
  ['No es cierto que las tasas de Norvik no subieran en 2025.', 'Las tasas de Norvik subieron en 2025.'],
  [
    'La perdita di Norvik si è ridotta a 3 milioni di euro nel 2025.',
    'Nel 2025 la perdita di Norvik è scesa a 3 milioni di euro.',
  ],
  ['Meno di 20 navi di Norvik aspettavano a maggio 2025.', 'A maggio 2025 aspettavano meno di 20 navi di Norvik.'],
].map(([source = '', claim = '']) => ({ template: 'careful', source, claim, title: '' }));

/** False statements whose quote does not stand in the text of the document: edited, or taken from another. */
export function misquotedStatements(seed: number): Statement[] {
  const all = statements(seed);
  const truths = all.filter(({ lie }) => lie === undefined);
  return truths.flatMap(({ template, source, title }, at): Statement[] => {
    const lied = all.find((one) => one.template === template && one.lie === 'year');
    const other = truths[(at + 1) % truths.length];
    const base = { template, title };
    return [
      { ...base, lie: 'quote edited', source, claim: lied?.claim ?? '', quote: lied?.claim ?? '' },
      { ...base, lie: 'wrong document', source, claim: other?.claim ?? '', quote: other?.source ?? '' },
    ];
  });
}

/** Ways of putting a text into a web page that its readers do not see. */
const HIDDEN_WAYS: ((text: string) => string)[] = [
  (text) => `<p style="display:none">${text}</p>`,
  (text) => `<p>Open to all. <span style="color: red; display : none !important">${text}</span></p>`,
  (text) => `<section hidden><p>${text}</p></section>`,
  (text) => `<p style="visibility: hidden">${text}</p>`,
  (text) => `<p aria-hidden="true" style="position:absolute; left:-9999px">${text}</p>`,
  (text) => `<p style="text-indent:-9999px">${text}</p>`,
  (text) => `<p style="position:absolute;clip:rect(0 0 0 0)">${text}</p>`,
  (text) => `<p style="clip-path: inset(50%)">${text}</p>`,
  (text) => `<!-- ${text} -->`,
  (text) => `<template><p>${text}</p></template>`,
  (text) => `<noscript><p>${text}</p></noscript>`,
  (text) => `<script type="text/plain">${text}</script>`,
  (text) => `<img src="ship.png" alt="${text}">`,
  (text) => `<p title="${text}">The harbour is open to all.</p>`,
];

/** Web pages that hide what they are quoted for. The source is what a program reads of them. */
export async function hiddenStatements(seed: number, textOf: (html: string) => Promise<string>): Promise<Statement[]> {
  const truths = statements(seed).filter(({ lie }) => lie === undefined);
  return Promise.all(
    truths.map(async ({ template, claim, source: quote, title }, at): Promise<Statement> => {
      const hidden = HIDDEN_WAYS[at % HIDDEN_WAYS.length]?.(quote) ?? '';
      // Pages that share their texts would be taken for one.
      const [above, below] = [13, 26].map((more) => `<p>${truths[(at + more) % truths.length]?.source}</p>`);
      const html = `<!doctype html><title>Harbour ${at}</title><main><article>${above}${hidden}${below}</article></main>`;
      return { template, lie: 'hidden text', title, claim, quote, source: await textOf(html) };
    }),
  );
}
