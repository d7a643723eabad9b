/** Names of companies, people and places in a statement, and whether a source has them, also under a foreign name. */
import { fold, stem } from '../../../engines/retrieval/words.ts';
import { type ClaimLanguage, LANGUAGES } from './language.ts';

/** Words that begin sentences and are no names. Every other word there is taken for one if its source lacks it. */
const OPENERS = new Set(
  'a an the this that these those it its they their there he she his her we in on at by for from with within without under over after before since until during between among as if when while where although though because despite due according overall however moreover meanwhile also both all most many some several few each every no not none one two three four five six seven eight nine ten eleven twelve dozens hundreds thousands millions more less fewer further total average annual monthly quarterly global domestic foreign local public private new old higher lower first second third last next early late today prices price costs cost fees fee rates rate sales revenue revenues profit profits earnings demand supply exports imports volumes volume growth inflation investment investments analysts experts economists officials companies company firms manufacturers producers suppliers customers consumers households operators ports carriers banks governments regulators authorities ministers researchers scientists workers employees traders investors shareholders managers forecasts data figures results reports studies research evidence compared following given including only nearly almost about around roughly approximately up down net gross operating capital market markets production output employment unemployment wages salaries traffic passengers tourism energy electricity gas oil power water freight shipping cargo container containers trade der die das wie so ein eine einen im in am auf bei nach seit von vom zu zum zur mit ohne laut gegenuber trotz wegen obwohl wahrend dass dies diese dieser dieses es sie er wir insgesamt dagegen jedoch zudem auch beide alle viele einige mehrere weitere le la les l un une des du de d au aux en dans pour par sur avec sans selon depuis apres avant entre ce cet cette ces il elle ils elles on leur leurs plus moins tous toutes plusieurs certains el los las una unos unas al del con sin segun desde hasta tras para por entre este esta estos estas ese esa su sus se lo hay mas menos todos todas varios algunos il lo gli i uno nel nella nei nelle dal dalla secondo dopo prima tra fra per questo questa questi queste suo sua loro si piu meno tutti tutte alcuni'.split(
    ' ',
  ),
);

const TOKEN = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*(?:[-'’&.][\p{L}\p{N}]+)*/gu;
const SENTENCE_START = /(?:^|[.!?:]\s+|["“„«(]\s*)$/u;
/** German writes every noun with a capital; a name stands behind one of these without an article. */
const BEFORE_GERMAN_NAME = /(?:^|\s)(?:in|aus|nach|bei|von|mit|wie|laut)\s+$/iu;
/** Nouns that stand there as well, by their endings. */
const GERMAN_NOUN =
  /(?:ung|ungen|heit|keit|schaft|tion|tionen|angaben|ansicht|meinung|preise?n?|kosten|gebuhren|mengen?|zahlen?|raten?|umsatze?n?|gewinne?n?|verluste?n?|millionenhohe|milliardenhohe|hohe|jahren?|monaten?|wochen|tagen|prozent|euro)$/u;

const isMonthOrDay = (word: string): boolean => CALENDAR.has(word);
const CALENDAR = new Set(
  LANGUAGES.flatMap((language) =>
    [{ month: 'long' } as const, { weekday: 'long' } as const].flatMap((options) =>
      Array.from({ length: 12 }, (_, at) =>
        fold(new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(Date.UTC(2026, at, 1 + at))),
      ),
    ),
  ),
);

type NameOptions = {
  /** The source is in another language: then the first word of a sentence, which may be any word, is not judged. */
  isTranslated?: boolean;
};

/** The names of a text, in their order. */
export function namesIn(
  text: string,
  language: ClaimLanguage | undefined,
  { isTranslated = false }: NameOptions = {},
): string[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    const folded = fold(token);
    const before = text.slice(0, index);
    if (isMonthOrDay(folded) || /^q[1-4]$/.test(folded)) return [];
    if (SENTENCE_START.test(before) && (isTranslated || OPENERS.has(folded))) return [];
    if (language === 'de' && !isGermanName(token, before)) return [];
    return [token];
  });
}

const isGermanName = (token: string, before: string): boolean =>
  /^\p{Lu}{2,}|-\p{Lu}/u.test(token) ||
  ((BEFORE_GERMAN_NAME.test(before) || SENTENCE_START.test(before)) && !GERMAN_NOUN.test(fold(token)));

export type NameSource = { has(name: string, options: { isTranslated: boolean }): boolean };

/** Letters that two forms of one name share at least: `Germany` and `German`, `Gdynia` and `Gdyni`. */
const SHARED_LETTERS = 4;

export function nameSource(text: string): NameSource {
  const words = new Set(fold(text).match(/[\p{L}\p{N}]+/gu) ?? []);
  const stems = new Set([...words].map(stem));
  const capitalized = [...new Set((text.match(/\p{Lu}[\p{L}\p{N}]+/gu) ?? []).map(fold))];
  const initials = [...text.matchAll(PHRASE)].map(({ 0: phrase }) => fold((phrase.match(/\p{Lu}/gu) ?? []).join('')));
  const codes = new Set([...words].flatMap((word) => codesOf(word)));
  const hasWord = (word: string, isTranslated: boolean) =>
    words.has(word) ||
    stems.has(stem(word)) ||
    capitalized.some((other) => sharesStart(word, other)) ||
    codesOf(word).some((code) => codes.has(code) && (isTranslated || code.startsWith('region')));
  return {
    has(name, { isTranslated }) {
      const folded = fold(name);
      if (folded.length > 1 && initials.some((all) => all.endsWith(folded))) return true;
      const parts = folded.replace(/['’]s$/, '').match(/[\p{L}\p{N}]+/gu) ?? [];
      return parts.every((part) => part.length < 2 || hasWord(part, isTranslated));
    },
  };
}

/** Words with capitals in a row, as `European Union` and `Bank of England`. */
const PHRASE = /(?:\p{Lu}\p{L}+[\s-]+(?:(?:of|and|für|und|de|des|du|di|y)\s+)?){1,5}\p{Lu}\p{L}+/gu;

/** True for forms of one word: all but a short ending is the same. */
function sharesStart(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  if (shorter < SHARED_LETTERS) return false;
  let same = 0;
  while (same < shorter && one[same] === other[same]) same++;
  return same >= Math.max(SHARED_LETTERS, shorter - 2) && Math.max(one.length, other.length) - same <= 4;
}

let known: Map<string, string[]> | undefined;

/** The codes of the countries and languages that a word names in any of the five languages; made on first use. */
function codesOf(word: string): string[] {
  known ??= foreignNames();
  return known.get(word) ?? known.get(word.replace(/(?:e|en|er|es|em|s)$/, '')) ?? [];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Names of countries that no list has, and languages of many countries that are also what one of them is called. */
const ALIASES: Record<string, string> = {
  uk: 'gb',
  britain: 'gb',
  british: 'gb',
  usa: 'us',
  american: 'us',
  french: 'fr',
  spanish: 'es',
  portuguese: 'pt',
};
/** Languages of many countries. */
const WORLDWIDE = new Set(['ar', 'en', 'es', 'fr', 'pt']);

/** `Norwegian` goes with `Norway`. */
function regionOf(language: string): string[] {
  const region = WORLDWIDE.has(language) ? undefined : new Intl.Locale(language).maximize().region;
  return region === undefined ? [] : [`region ${region.toLowerCase()}`];
}

function foreignNames(): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const add = (name: string, codes: string[]) => names.set(name, [...(names.get(name) ?? []), ...codes]);
  const pairs = [...LETTERS].flatMap((one) => [...LETTERS].map((two) => one + two));
  for (const language of LANGUAGES) {
    const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    const languages = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
    for (const pair of pairs) {
      add(fold(regions.of(pair.toUpperCase()) ?? ''), [`region ${pair}`]);
      add(fold(languages.of(pair) ?? ''), [`language ${pair}`, ...regionOf(pair)]);
    }
  }
  for (const [name, region] of Object.entries(ALIASES)) add(name, [`region ${region}`]);
  for (const name of names.keys()) if (!/^\S+$/.test(name)) names.delete(name);
  return names;
}
