/** The language of a text, by its script or by the most frequent words of languages in Latin and Cyrillic script. */
import type { DocumentPart } from './document.ts';

const LOOKED_AT = 20_000;
const MIN_WORDS = 3;
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\p{sc=Hiragana}\p{sc=Katakana}]/gu],
  ['ko', /\p{sc=Hangul}/gu],
  ['zh', /\p{sc=Han}/gu],
  ['ar', /\p{sc=Arabic}/gu],
  ['he', /\p{sc=Hebrew}/gu],
  ['el', /\p{sc=Greek}/gu],
  ['th', /\p{sc=Thai}/gu],
  ['hi', /\p{sc=Devanagari}/gu],
];
const FREQUENT_WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is for that with by this are be or on as',
  de: 'der die und das den von zu mit ist nicht des auf für im dem eine',
  fr: 'le la les des et du est dans pour que une qui sur par au avec',
  es: 'el la los de que y en del las por con para una se es al',
  it: 'il di che la e per un del della non con sono le gli dei è',
  pt: 'o de que e do da em um para com não uma os no na dos',
  nl: 'de het een van en in is dat op te voor met zijn niet aan door',
  pl: 'i w na z do nie się jest że o od za po dla przez oraz',
  sv: 'och att det som en på är av för med den till inte om ett har',
  da: 'og at det som en på er af for med den til ikke om et har',
  ru: 'и в не на что с по как это для от из к за его или',
  uk: 'і в не на що з по як це для від із до за його або',
};
const WORDS_OF = Object.entries(FREQUENT_WORDS).map(
  ([language, words]) => [language, new Set(words.split(' '))] as const,
);
/** A script counts if a fifth of the letters are of it. */
const SCRIPT_SHARE = 0.2;

/** A BCP 47 tag, or null if the text does not tell. */
export function languageOf(parts: readonly DocumentPart[]): string | null {
  const text = parts
    .filter(({ hidden }) => !hidden)
    .map((part) => part.text)
    .join('\n')
    .slice(0, LOOKED_AT);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  for (const [language, script] of SCRIPTS)
    if (letters > 0 && (text.match(script)?.length ?? 0) >= SCRIPT_SHARE * letters) return language;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = WORDS_OF.map(([language, commonWords]) => {
    const matches = words.filter((word) => commonWords.has(word));
    // One word again and again, such as a label, tells no language.
    return { language, count: new Set(matches).size > 1 ? matches.length : 0 };
  }).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  return first && first.count >= MIN_WORDS && first.count > (second?.count ?? 0) ? first.language : null;
}
