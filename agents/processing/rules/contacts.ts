/** Email addresses, phone numbers, URLs and postal addresses. */
import { apart, matchesOf, oneLine, type Rule, type RuleMatch } from './match.ts';

/** Removes the backslashes with which document readers escape Markdown characters. */
const plain = (text: string): string => text.replaceAll('\\', '');

const LABEL = '[\\p{L}\\d](?:[\\p{L}\\d-]{0,61}[\\p{L}\\d])?';
const EMAIL = new RegExp(
  `(?<![\\p{L}\\d._%+\\\\-])[\\p{L}\\d](?:[\\p{L}\\d._%+'\\\\-]{0,62}[\\p{L}\\d_+-])?@(?:${LABEL}\\.){1,8}\\p{L}{2,24}(?![\\p{L}\\d])`,
  'gu',
);

export const emails: Rule = (text) =>
  matchesOf(EMAIL, text, (_, [found = '']) => ({ value: plain(found).toLowerCase() }));

const URL_TEXT = /(?<![\p{L}\d@])(?:https?:\/\/|www\.)[^\s<>"|()[\]{}]{3,2000}/giu;
const LOOSE_END = /[.,;:!?'*_`]+$/;

export const urls: Rule = (text) =>
  matchesOf(URL_TEXT, text, (_, [found = '']) => ({ value: plain(found).replace(LOOSE_END, '') })).map((match) => ({
    ...match,
    end: match.end - (text.slice(match.start, match.end).match(LOOSE_END)?.[0].length ?? 0),
  }));

const DIGITS = '(?:\\(0?\\d{1,5}\\)|\\d)(?:[ \\u00a0./()-]{0,3}\\d){5,14}';
const INTERNATIONAL =
  /(?<![\p{L}\d+]|\d )(?:\+|00(?=[1-9]\d))[ \u00a0]?\d{1,3}(?:[ \u00a0./()-]{0,3}\d){6,13}(?![\d])/gu;
const LABELLED = new RegExp(
  `(?<![\\p{L}])(?:tele ?phone|phone|tel|mobile|mobil|cell|fax|telefax|telefon|telefoon|t[ée]l[ée]phone|t[ée]l|tel[ée]fono|telefono|telefone|portable|m[óo]vil|hotline|handy|call(?: us)?(?: on| at)?)(?: ?(?:no|number|nr|nummer)\\b)?[.:]{0,2}[ \\u00a0|*]{0,5}(?<number>${DIGITS})(?!\\d)`,
  'giu',
);
const NORTH_AMERICAN = /(?<![\p{L}\d.+-])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\d-])/gu;
/** Three groups behind the trunk prefix 0, such as 020 7946 0958, that are no part of a longer number. */
const NATIONAL = /(?<![\p{L}\d.,+/-]|\d )0\d{2,4} \d{3,4} \d{3,4}(?![\d/-]|[ .,]\d)/gu;

const MIN_DIGITS = 6;
const MAX_DIGITS = 15;

export const phoneNumbers: Rule = (text) => {
  const labelled = matchesOf(LABELLED, text, ({ number = '' }) => numberOf(number)).map((match) => inner(text, match));
  return apart([
    ...labelled,
    ...[INTERNATIONAL, NORTH_AMERICAN, NATIONAL].flatMap((pattern) =>
      matchesOf(pattern, text, (_, [found = '']) => numberOf(found)),
    ),
  ]);
};

/** Keeps only digits, with a leading plus for international numbers. The zero in `+44 (0)20` is not dialled. */
function numberOf(written: string): Pick<RuleMatch, 'value'> | undefined {
  const isWorldwide = /^(?:\+|00)/.test(written);
  const digits = written
    .replace(/^00(?=[1-9]\d)/, '')
    .replace(isWorldwide ? '(0)' : '\0', '')
    .replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return undefined;
  return { value: `${isWorldwide ? '+' : ''}${digits}` };
}

/** Narrows the match to the number, without the label before it. */
function inner(text: string, match: RuleMatch): RuleMatch {
  const at = text.slice(match.start, match.end).search(/[\d(]/);
  return { ...match, start: match.start + at };
}

const CAPITAL = "\\p{Lu}[\\p{L}'’.-]{0,40}";
const GAP = '(?:,? ?\\n ?|, ?| ?\\| ?)';
/** What stands below or behind an address, in the place of a town. */
const LABELS =
  'Invoice|Order|Account|Customer|Client|Reference|Ref|Telephone|Tel(?! Aviv)|Phone|Fax|Number|No|Nr|Receipt|Total|Subtotal';
const NO_LABEL = `(?!(?:${LABELS}|${LABELS.toUpperCase()}|VAT|GST)(?![\\p{L}'’-]))`;
const TOWN_WORD = `${NO_LABEL}(?:St\\.|\\p{Lu}[\\p{L}'’-]{0,40})`;
/** Only spaces separate the words: they hold hyphens themselves, and two ways to read one would take turns. */
const TOWN = `${TOWN_WORD}(?: (?:(?:am|an|der|im|in|sur|sous|de|la|le|les|upon|on|del|di|und|a|ob|bei|den|'t) )?${TOWN_WORD}){0,3}`;
const TOWN_ENDS = '(?= ?(?:$|[\\n,.;:)|(]))';
const NUMBER = '\\d{1,4}(?: ?[a-zA-Z](?![\\p{L}]))?(?: ?[-–/] ?\\d{1,4}[a-z]?)?';

const EN_KINDS =
  'Street|St\\.?|Road|Rd\\.?|Avenue|Ave\\.?|Lane|Ln\\.?|Drive|Dr\\.?|Boulevard|Blvd\\.?|Terrace|Place|Square|Court|Ct\\.?|Crescent|Close|Way|Row|Quay|Quayside|Gardens|Hill|Park|Mews|Parade|Highway|Hwy\\.?|Parkway|Walk|Wharf|Yard|Green|View|Rise|Grove';
const EN_NAME = `(?:${CAPITAL}|\\d{1,3}(?:st|nd|rd|th|ST|ND|RD|TH)) `;
/** Addresses are often written in capitals throughout; without a name, `12 CT` and `2 GREEN` are goods. */
const EN_STREET = `(?:(?:${EN_NAME}){0,4}(?:${EN_KINDS})|(?:${EN_NAME}){1,4}(?:${EN_KINDS.toUpperCase()}))(?: (?:[NS][EW]?|[EW]|North|South|East|West)(?![\\p{L}'’]))?`;
const UK_CODE = '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}';
const US_END = `[A-Z]{2},? \\d{5}(?:-\\d{4})?`;
const CA_END = '[A-Z]{2},? [A-Z]\\d[A-Z] ?\\d[A-Z]\\d';
const AU_END = '(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT),? \\d{4}';
const IN_END = '[1-9]\\d{2} ?\\d{3}';
const ENDS = [UK_CODE, US_END, CA_END, AU_END].join('|');
const UNIT = '(?:(?:Suite|Unit|Floor|Apt\\.?|Room|Building|Flat|SUITE|UNIT|FLOOR|APT\\.?) ?#?[\\w-]{1,6})';

const ENGLISH = `${NUMBER},? ${EN_STREET}(?![\\p{L}])(?:${GAP}${UNIT})?(?:(?:${GAP}${TOWN}){0,2}(?:${GAP}| )(?:${ENDS})|(?:${GAP}${TOWN}){1,2}(?:,? | ?- ?)${IN_END}|${GAP}${TOWN}(?:${GAP}${TOWN}${TOWN_ENDS})?)?`;
const CODE = '(?:[A-Z]{1,2}-)?(?:\\d{5}|\\d{4}(?: [A-Z]{2})?|\\d{3} ?\\d{2})';

const DE_STREET = `(?:${CAPITAL}(?: |-)){0,3}(?:\\p{Lu}\\p{L}{0,40}(?:straße|strasse|str\\.|weg|allee|platz|gasse|ring|damm|ufer|steig|hof|graben|markt|chaussee|straat|laan|plein|kade|gracht|singel|dijk|gatan|vägen|gade|vej|veien|gata|katu|iela)|(?:Straße|Strasse|Str\\.|Weg|Allee|Platz|Ring|Damm|Ufer))`;
const GERMANIC = `${DE_STREET} ${NUMBER}(?:${GAP}(?:${CODE} )?${TOWN})?`;

/** Streets without a street word, such as Kouter 12, must be followed by a postal code. */
const UNNAMED = `(?:${CAPITAL} ){1,4}${NUMBER}${GAP}${CODE} ${TOWN}`;

const FR_KINDS = 'rue|avenue|av\\.|boulevard|bd|place|quai|chemin|impasse|allée|cours|route|square|passage';
const FR_CAPITALS = FR_KINDS.replaceAll(/(?<=^|\|)\p{Ll}/gu, (letter) => letter.toUpperCase());
const FRENCH = `${NUMBER}(?: ?(?:bis|ter))?,? (?:${FR_KINDS}|${FR_CAPITALS}) [^\\n,|]{2,60}?${GAP}\\d{5} ${TOWN}`;
const SP_KINDS =
  'Calle|C/|Av\\.|Avda\\.?|Avenida|Plaza|Paseo|Rua|Via|Viale|Piazza|Corso|Largo|Rambla|Carrer|ul\\.|Aleja|Strada|Bulevardul|Calea';
const SOUTHERN = `(?:${SP_KINDS}) ?[^\\n,|]{2,60}?,? (?:n[º°] ?)?${NUMBER}(?:, ?\\d{1,2}[º°ª]? ?\\p{L}?)?${GAP}(?:\\d{2}-\\d{3}|\\d{5}-\\d{3}|\\d{6}|${CODE}) ${TOWN}(?: \\([A-Z]{2}\\))?`;

/** The postal code stands at the end: `Avenida Central 90, Recife - PE, 50010-000`. */
const BRAZILIAN = `(?:${SP_KINDS}|R\\.) ?[^\\n,|]{2,60}?,? (?:n[º°] ?)?${NUMBER}(?:${GAP}${TOWN}){1,2}(?: ?[-–/] ?[A-Z]{2})?(?:${GAP}| )(?:CEP:? ?)?\\d{5}-\\d{3}`;
/** The word for a street stands behind its name, as in Latvia and Turkey. */
const NAME_FIRST = `(?:${CAPITAL} ){1,3}(?:iela|gatvė|ulica|utca|út|tee|katu|tie|ulitsa|prospekt|Caddesi|Cad\\.|Sokak|Sokağı|Sok\\.|Bulvarı),? (?:No ?[:.]? ?)?${NUMBER}${GAP}(?:${CODE} ${TOWN}|${TOWN}(?:,? \\d{6})?)`;
const CYRILLIC = `(?:ул\\.|улица|пр\\.|просп\\.|проспект|пер\\.|вул\\.|бул\\.) ?[^\\n,|]{2,40}?,? (?:(?:д|буд)\\. ?)?${NUMBER}(?:${GAP}(?:г\\. ?|м\\. ?|гр\\. ?)?${TOWN})(?:${GAP}\\d{5,6})?`;
const BOX = `P\\.? ?O\\.? Box \\d{1,6}${GAP}${TOWN}(?:,? (?:${ENDS}|\\d{4,6}))?`;
/** From the house to the largest part: `1-1-2 Oshiage, Sumida-ku, Tokyo 131-0045`. */
const JAPANESE_BACKWARDS = `\\d{1,3}(?:-\\d{1,3}){1,3},? ${CAPITAL}(?:${GAP}${TOWN}){1,3}(?:,? |${GAP})\\d{3}-\\d{4}`;
const CHINESE = '\\p{sc=Han}{2,8}[省市区區县縣][\\p{sc=Han}\\d]{1,30}?[路街道巷]\\p{sc=Han}{0,4}\\d{1,5}[号號]';
/** From the largest part to the number, behind the mark of the postal code. */
const JAPANESE = '〒 ?\\d{3}-\\d{4}\\s{0,2}[^\\n|]{4,80}';

const PATTERNS = [
  ENGLISH,
  GERMANIC,
  UNNAMED,
  FRENCH,
  SOUTHERN,
  BRAZILIAN,
  JAPANESE,
  NAME_FIRST,
  CYRILLIC,
  BOX,
  JAPANESE_BACKWARDS,
  CHINESE,
].map((form) => new RegExp(`(?<![\\p{L}\\d.,£$€/-])${form}(?![\\p{L}\\d])`, 'gu'));

/** A street and number alone are ambiguous; an address needs a town or a postal code after them. */
const IS_WHOLE = /[,|\n〒号號]/;

/** Finds postal addresses: a street with its number, and the postal code or town that belongs to it. */
export const addresses: Rule = (text) =>
  apart(
    PATTERNS.flatMap((pattern) =>
      matchesOf(pattern, text, (_, [found = '']) =>
        IS_WHOLE.test(found)
          ? { value: oneLine(found.replaceAll(/ ?(?:,? ?\n|\|) ?/g, ', ')).replaceAll(/,(?:\s*,)+/g, ',') }
          : undefined,
      ),
    ),
  );
