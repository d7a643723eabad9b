/** The effective date of a contract, the law that governs it, and its term. */

import { anyWord, isWholeNumber, NUMBER_WORDS } from '../rules/amounts.ts';
import { dates } from '../rules/dates.ts';
import { type Candidate, candidateAt, countsOf, type Line, type Paper } from './lines.ts';

const LOOK_BACK = 160;
const EFFECTIVE =
  /\b(?:effective(?: as of| on| from| date\p{L}*)?|with effect from|(?:takes?|taking|took) effect(?: as of| on| from)?|(?:comes?|came|enters?|entered) into (?:force|effect)(?: as of| on| from)?|(?:starts?|begins?|beginning|commenc(?:e|ing)) (?:as of|on|from)|commenc(?:es|ing) on|beginnt (?:am|zum|mit dem)|in kraft (?:ab|am|seit)|wirksam ab|mit wirkung (?:vom|zum|ab)|gültig ab|prend effet (?:le|au)|entre en vigueur le|entrará en vigor el|con efectos (?:desde|del?)|con effetto dal|met ingang van|com efeito a partir de)\W{0,6}(?:the |this |den |le |el )?$/iu;
const MADE =
  /\b(?:made|entered|executed|dated|concluded|signed|is|agreement)\b[^.;]{0,70}?(?:\b(?:as of|on|this|dated|of|effective)\b[ ,:“"(]*)+(?:the )?$|\b(?:dated|as of|geschlossen am|vom|signé le|fait le|celebrado el|firmado el|stipulato il|gesloten op|celebrado em)\W{0,4}(?:the |this )?$/iu;
/** The date of another agreement that this one mentions. */
const OTHER =
  /\b(?:that certain|pursuant to|merger|purchase|plan|prior|original|amended|previous\w*|employment agreement|filed)\b[^.]{0,100}$/iu;
const DEFINED = /^[^.;]{0,30}\((?:the |as )?[“"']?(?:revised |“)?effective date/iu;
const SIGNED = /(?:^|\W)(?:date|dated|datum|fecha|data)\b\W{0,6}$/iu;
const WITNESSED = /\b(?:witness|executed|signed)\b.{0,120}\b(?:this|on|of|dated)(?: the)? $/iu;
const EARLY = 30;

/** Other papers have dates of their own; an agreement says what it is at its beginning. */
const AGREEMENT =
  /(?<!\p{L})(?:agreement|contract|covenant|\p{L}*vertrag|\p{L}*vereinbarung|contrat|accord|acuerdo|contrato|contratto|accordo|\p{L}*overeenkomst|perjanjian|witness|NDA)(?!\p{L})/iu;

export function effectiveDate({ lines, habits }: Paper): Candidate[] {
  const isAgreement = lines.slice(0, 2 * EARLY).some(({ text }) => AGREEMENT.test(text));
  if (!isAgreement) return [];
  return lines.flatMap((line, at) =>
    dates(line.text, habits).flatMap((match): Candidate[] => {
      if (match.value.length < 10) return [];
      const before = line.text.slice(Math.max(0, match.start - LOOK_BACK), match.start);
      const [score, reason] = dated({
        line,
        at,
        before,
        after: line.text.slice(match.end, match.end + 80),
        length: match.end - match.start,
      });
      const early = at < EARLY && score > 0 ? 0.5 - at / 100 : 0;
      return [candidateAt(line, match, { score: score + early, reason })];
    }),
  );
}

type Dated = { line: Line; at: number; before: string; after: string; length: number };

function dated({ line, at, before, after, length }: Dated): [score: number, reason: string] {
  if (DEFINED.test(after)) return [4, 'defined as the effective date'];
  const other = OTHER.test(before) ? 1.5 : 0;
  if (EFFECTIVE.test(before)) return [3.5 - other, `behind "${before.slice(-30).trim()}"`];
  if (MADE.test(before) && at < EARLY)
    return [(line.isHeading ? 2 : 3) - other, `behind "${before.slice(-30).trim()}"`];
  const isAlone = line.text.trim().length - length < 4;
  if (isAlone && at < EARLY) return [2.4, 'alone on a line at the beginning'];
  if (line.text.length < 400 && at < 12 && before.trim() === '') return [1.8, 'at the beginning of a letter'];
  if (WITNESSED.test(before)) return [1.9, 'the date of the execution'];
  if (SIGNED.test(before.slice(-20))) return [1.7, 'the date of a signature'];
  return [0.5, 'without a label'];
}

/** The states and countries whose law may govern a contract. */
const STATES =
  'Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|District of Columbia|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Puerto Rico|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming';
const PROVINCES =
  'Alberta|British Columbia|Manitoba|New Brunswick|Nova Scotia|Ontario|Qu[ée]bec|Saskatchewan|New South Wales|Queensland|South Australia|Tasmania|Victoria|Western Australia|England and Wales|England|Scotland|Wales|Northern Ireland|Hong Kong';
const COUNTRIES =
  'Argentina|Australia|Austria|Bahrain|Bangladesh|Belgium|Bermuda|Brazil|British Virgin Islands|Bulgaria|Canada|Cayman Islands|Chile|China|Colombia|Croatia|Cyprus|Czech Republic|Denmark|Egypt|Estonia|Finland|France|Germany|Ghana|Gibraltar|Greece|Guernsey|Hungary|Iceland|India|Indonesia|Ireland|Isle of Man|Israel|Italy|Japan|Jersey|Jordan|Kenya|Korea|Kuwait|Latvia|Lebanon|Liechtenstein|Lithuania|Luxembourg|Malaysia|Malta|Mauritius|Mexico|Monaco|Morocco|Netherlands|New Zealand|Nigeria|Norway|Oman|Pakistan|Panama|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|Saudi Arabia|Serbia|Singapore|Slovakia|Slovenia|South Africa|Spain|Sri Lanka|Sweden|Switzerland|Taiwan|Thailand|Turkey|Ukraine|United Arab Emirates|United Kingdom|United States|Uruguay|Vietnam|Deutschland|Österreich|Schweiz|España|Italia|Nederland|België|Brasil';

/** Longer names come first, or `Virginia` would hide `West Virginia`. */
const JURISDICTION = `${STATES}|${PROVINCES}|${COUNTRIES}`
  .split('|')
  .sort((a, b) => b.length - a.length)
  .join('|');

/** `Es gilt deutsches Recht`, `le droit français`, `la ley española`, `la legge italiana`, `Nederlands recht`. */
const OF_LAW: readonly [pattern: RegExp, name: string][] = [
  [/\b(?:deutsche[sn]? Recht|Recht der Bundesrepublik|droit allemand|German law)/iu, 'Germany'],
  [/(?:österreichische[sn]? Recht|droit autrichien|Austrian law)/iu, 'Austria'],
  [/\b(?:schweizerische[sn]? Recht|Schweizer Recht|droit suisse|diritto svizzero|Swiss law)/iu, 'Switzerland'],
  [/\b(?:französische[sn]? Recht|droit français|loi française|French law)/iu, 'France'],
  [/\b(?:ley(?:es)? española|derecho español|legislación española|Spanish law)/iu, 'Spain'],
  [/\b(?:legge italiana|diritto italiano|Italian law)/iu, 'Italy'],
  [/\b(?:Nederlands recht|Dutch law)/iu, 'Netherlands'],
  [/\b(?:lei portuguesa|direito português)/iu, 'Portugal'],
  [/\b(?:lei brasileira|direito brasileiro|leis d[oa] (?:República Federativa do )?Brasil)/iu, 'Brazil'],
  [/\b(?:English law|laws? of England)/iu, 'England and Wales'],
  [/\b(?:droit belge|Belgisch recht)/iu, 'Belgium'],
  [/\bundang-undang Malaysia/iu, 'Malaysia'],
];

const LAWS = new RegExp(
  `(?<![\\p{L}])(?:laws?|statutes)(?: and (?:\\p{L}+ )?\\p{L}+)? of (?:the )?(?:(?:State|Commonwealth|Province|Republic|Kingdom|Federal Republic|People['’]s Republic|Grand Duchy|country) of (?:the )?)?(?<behind>${JURISDICTION})(?![\\p{L}])|(?<![\\p{L}])(?:the )?(?:(?:State|Commonwealth) of )?(?<before>${JURISDICTION})(?:['’]s)?(?: state)? laws?(?![\\p{L}])`,
  'giu',
);
const COURTS = new RegExp(
  `(?:courts?|jurisdiction|venue)[^.]{0,60}?\\b(?:of|in|within) (?:the )?(?:(?:State|Commonwealth|Province) of )?(?<behind>${JURISDICTION})(?![\\p{L}])`,
  'giu',
);
const GOVERNED =
  /govern|constru|interpret|enforce|subject to|accordance with|applicable law|choice of law|gilt|unterlieg|régi|regir|soumis|disciplinat|toepass|tertakluk/iu;
const ORGANIZED = /(?:organi[sz]ed|incorporated|existing|formed|corporation|company|registered)[^.;]{0,60}$/iu;
const MAX_LINE = 8_000;

/** The state or country whose law governs the contract. */
export function jurisdiction({ lines }: Paper): Candidate[] {
  const all = lines.flatMap((line, at) => {
    const previous = lines[at - 1]?.text.slice(-200) ?? '';
    return [...governing(line, previous), ...ofLaw(line), ...ofCourts(line)];
  });
  const counts = countsOf(all.filter(({ score }) => score > 1));
  return all.map((one) => ({ ...one, score: one.score + ((counts.get(one.value) ?? 0) > 1 ? 0.4 : 0) }));
}

function governing(line: Line, previous: string): Candidate[] {
  const text = line.text.slice(0, MAX_LINE);
  return Array.from(text.matchAll(LAWS)).map((found) => {
    const name = found.groups?.behind ?? found.groups?.before ?? '';
    const start = found.index + found[0].toLowerCase().lastIndexOf(name.toLowerCase());
    const before = `${previous} ${text.slice(Math.max(0, found.index - 250), found.index)}`.slice(-250);
    const after = text.slice(start, start + 160);
    const isOrganized = ORGANIZED.test(before.slice(-70)) && !/govern|constru/i.test(before.slice(-80));
    const isGoverned = GOVERNED.test(before) || /\bgovern/i.test(after);
    const score = isOrganized ? 0.3 : isGoverned ? 3 : 1.2;
    const reason = isOrganized
      ? 'the law under which a party exists'
      : isGoverned
        ? 'the law that governs'
        : 'a law that is named';
    return candidateAt(line, { start, end: start + name.length, value: titled(name) }, { score, reason });
  });
}

const titled = (name: string): string =>
  name === name.toUpperCase()
    ? name.toLowerCase().replaceAll(/(?<!\p{L})(?!of |and )\p{L}/gu, (letter) => letter.toUpperCase())
    : name;

const ofLaw = (line: Line): Candidate[] =>
  OF_LAW.flatMap(([pattern, value]) => {
    const found = pattern.exec(line.text.slice(0, MAX_LINE));
    if (!found) return [];
    const match = { start: found.index, end: found.index + found[0].length, value };
    return [candidateAt(line, match, { score: 2.5, reason: 'the law that governs' })];
  });

const ofCourts = (line: Line): Candidate[] =>
  Array.from(line.text.slice(0, MAX_LINE).matchAll(COURTS)).map((found) => {
    const name = found.groups?.behind ?? '';
    const end = found.index + found[0].length;
    return candidateAt(
      line,
      { start: end - name.length, end, value: titled(name) },
      { score: 1.3, reason: 'the courts that decide' },
    );
  });

/** Italian and Dutch words stand here alone, since some, such as `due`, are words of other languages. */
const WORDS = new Map<string, number>([
  ...NUMBER_WORDS,
  ...([
    ['eine', 1],
    ['einem', 1],
    ['due', 2],
    ['tre', 3],
    ['quattro', 4],
    ['cinque', 5],
    ['twee', 2],
    ['drie', 3],
    ['vijf', 5],
  ] as [string, number][]),
]);
const UNITS: readonly [pattern: RegExp, unit: string][] = [
  [/^(?:year|jahr|an|année|año|ann[oi]|jaar|jaren|ano)/iu, 'year'],
  [/^(?:month|monat|mois|mes|mesi|mese|maand)/iu, 'month'],
  [/^(?:week|woche|semaine|semana|settiman)/iu, 'week'],
  [/^(?:day|tag|jour|día|giorn|dag|dia)/iu, 'day'],
];
const DURATION = new RegExp(
  `(?<![\\p{L}\\d.$])(?:(?<word>${anyWord(WORDS)})(?: ?\\((?<inner>\\d{1,3})\\))?|(?<digits>\\d{1,3}))(?:st|nd|rd|th)?[ -](?:full |calendar |consecutive )?(?<unit>(?:year|month|week|day)s?|jahre?n?|monate?n?|wochen?|tagen?|ans?|années?|mois|años?|meses|mes|anni|anno|mesi|mese|jaar|jaren|maand(?:en)?)(?![\\p{L}])`,
  'giu',
);
const LASTS =
  /terminat|expir|remain(?:s)? in (?:full )?(?:force|effect)|continu|in (?:full )?(?:force and )?effect|be (?:effective|binding)|\bterm\b|surviv|no longer|cease|\blasts\b|(?:shall|will) last\b|laufzeit|läuft|endet|dauer|geldig|duurt|durée|\bdure\b|duración|plazo|durata|\bdura\b/iu;
const SUBJECT =
  /this (?:letter )?agreement|obligations?|confidentiality|hereunder|provisions|vertrag|vereinbarung|(?:miet|pacht|arbeits|dienst|vertrags)verhältnis|mietzeit|contrat|\bbail\b|acuerdo|contrato|arrendamiento|contratto|locazione|accordo|overeenkomst/iu;
const FROM =
  /(?:from|after|following|of|ab|à compter|desde|da) (?:the )?(?:date|execution|effective date|last|first|disclosure|receipt|day|signing|dem|du|de)/iu;
const UNRELATED =
  /\b(?:solicit\w*|hir(?:e|ing)|employ\w*|compet(?:e|ing|ition|itive)|standstill|acquir\w*|securities|notice|severance|salary|vest(?:ed|ing)?|base pay|bonus\w*|patents?|return\w*|destroy\w*|retain\w*|audit\w*|insurance|age of|interest|within|preceding|prior to|renew\w*)\b/iu;

const HEADING = /\bterm\b|duration|laufzeit|durée|duración|durata/iu;
const PERIOD_OF = /(?:period|term|duration|zeitraum|dauer) of\W{0,3}(?:at least )?$/iu;

/** How long the contract, or the duty to keep its secrets, lasts: `2 years`. */
export function term({ lines }: Paper): Candidate[] {
  return lines.flatMap((line, at) => {
    const text = line.text.slice(0, MAX_LINE);
    const heading = HEADING.test(`${lines[at - 1]?.text.slice(0, 60) ?? ''} ${text.slice(0, 60)}`) ? 0.8 : 0;
    return Array.from(text.matchAll(DURATION)).flatMap((found): Candidate[] => {
      const value = durationOf(found.groups ?? {});
      if (value === undefined) return [];
      const [start, end] = [found.index, found.index + found[0].length];
      if (found.groups?.word && !isWholeNumber(text, start, start + found.groups.word.length)) return [];
      const days = /day|week/.test(value) ? 1.2 : 0;
      const score = lastingIn(text, start, end) + heading - days;
      const reason = 'in a sentence on how long the agreement lasts';
      return [candidateAt(line, { start, end, value }, { score, reason })];
    });
  });
}

function durationOf({ word = '', inner, digits, unit = '' }: Record<string, string | undefined>): string | undefined {
  const count = Number(inner ?? digits ?? WORDS.get(word.toLowerCase()));
  const name = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
  return name && count > 0 ? `${count} ${name}${count === 1 ? '' : 's'}` : undefined;
}

/** Scores the sentence: whether it says how long the agreement lasts, or something else. */
function lastingIn(text: string, start: number, end: number): number {
  const sentence = sentenceAround(text, start, end);
  const signs: readonly [isThere: boolean, weight: number][] = [
    [LASTS.test(sentence), 1.2],
    [SUBJECT.test(sentence), 0.6],
    [PERIOD_OF.test(text.slice(Math.max(0, start - 30), start)), 0.6],
    [FROM.test(text.slice(end, end + 60)), 0.6],
    [UNRELATED.test(sentence), -0.9],
  ];
  return signs.reduce((sum, [isThere, weight]) => sum + (isThere ? weight : 0), 0);
}

function sentenceAround(text: string, start: number, end: number): string {
  // The point of `1. April` does not end the sentence.
  const ends = Array.from(text.slice(0, start).matchAll(/(?<!\d)\. |; /g), ({ index }) => index + 1);
  const from = Math.max(ends.at(-1) ?? 0, start - 400);
  const stop = text.indexOf('. ', end);
  return text.slice(from, Math.min(stop < 0 ? text.length : stop, end + 300));
}
