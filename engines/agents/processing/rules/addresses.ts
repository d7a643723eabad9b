/** Postal addresses: a street with its number, and the postal code or the town that goes with it. */
import { apart, matchesOf, oneLine, type Rule } from './match.ts';

const CAPITAL = "\\p{Lu}[\\p{L}'’.-]{0,40}";
const GAP = '(?:,? ?\\n ?|, ?| ?\\| ?)';
const TOWN_WORD = "(?:St\\.|\\p{Lu}[\\p{L}'’-]{0,40})";
const TOWN = `${TOWN_WORD}(?:(?: |-)(?:(?:am|an|der|im|in|sur|sous|de|la|le|les|upon|on|del|di|und|a|ob|bei|den|'t) )?${TOWN_WORD}){0,3}`;
const TOWN_ENDS = '(?= ?(?:$|[\\n,.;:)|(]))';
const NUMBER = '\\d{1,4}(?: ?[a-zA-Z](?![\\p{L}]))?(?: ?[-–/] ?\\d{1,4}[a-z]?)?';

const EN_KINDS =
  'Street|St\\.?|Road|Rd\\.?|Avenue|Ave\\.?|Lane|Ln\\.?|Drive|Dr\\.?|Boulevard|Blvd\\.?|Terrace|Place|Square|Court|Ct\\.?|Crescent|Close|Way|Row|Quay|Quayside|Gardens|Hill|Park|Mews|Parade|Highway|Hwy\\.?|Parkway|Walk|Wharf|Yard|Green|View|Rise|Grove';
const UK_CODE = '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}';
const US_END = `[A-Z]{2},? \\d{5}(?:-\\d{4})?`;
const UNIT = '(?:(?:Suite|Unit|Floor|Apt\\.?|Room|Building|Flat) ?#?[\\w-]{1,6})';

const ENGLISH = `${NUMBER},? (?:(?:${CAPITAL}|\\d{1,3}(?:st|nd|rd|th)) ){0,4}(?:${EN_KINDS})(?![\\p{L}])(?:${GAP}${UNIT})?(?:(?:${GAP}${TOWN}){0,2}(?:${GAP}| )(?:${UK_CODE}|${US_END})|${GAP}${TOWN}(?:${GAP}${TOWN}${TOWN_ENDS})?)?`;
const CODE = '(?:[A-Z]{1,2}-)?(?:\\d{5}|\\d{4}(?: [A-Z]{2})?|\\d{3} ?\\d{2})';

const DE_STREET = `(?:${CAPITAL}(?: |-)){0,3}(?:\\p{Lu}\\p{L}{0,40}(?:straße|strasse|str\\.|weg|allee|platz|gasse|ring|damm|ufer|steig|hof|graben|markt|chaussee|straat|laan|plein|kade|gracht|singel|dijk|gatan|vägen|gade|vej|veien|gata|katu|iela)|(?:Straße|Strasse|Str\\.|Weg|Allee|Platz|Ring|Damm|Ufer))`;
const GERMANIC = `${DE_STREET} ${NUMBER}(?:${GAP}(?:${CODE} )?${TOWN})?`;

/** Streets whose names tell nothing, such as Kouter 12: then the code must follow. */
const UNNAMED = `(?:${CAPITAL} ){1,4}${NUMBER}${GAP}${CODE} ${TOWN}`;

const FR_KINDS = 'rue|avenue|av\\.|boulevard|bd|place|quai|chemin|impasse|allée|cours|route|square|passage';
const FRENCH = `${NUMBER}(?: ?(?:bis|ter))?,? (?:${FR_KINDS}) [^\\n,|]{2,60}?${GAP}\\d{5} ${TOWN}`;
const SP_KINDS = 'Calle|C/|Avda\\.?|Avenida|Plaza|Paseo|Rua|Via|Viale|Piazza|Corso|Largo|Rambla|Carrer|ul\\.|Aleja';
const SOUTHERN = `(?:${SP_KINDS}) ?[^\\n,|]{2,60}?,? (?:n[º°] ?)?${NUMBER}(?:, ?\\d{1,2}[º°ª]? ?\\p{L}?)?${GAP}(?:\\d{2}-\\d{3}|${CODE}) ${TOWN}(?: \\([A-Z]{2}\\))?`;

const PATTERNS = [ENGLISH, GERMANIC, UNNAMED, FRENCH, SOUTHERN].map(
  (form) => new RegExp(`(?<![\\p{L}\\d.,£$€/-])${form}(?![\\p{L}\\d])`, 'gu'),
);

/** A street with a number alone may be anything; with a town or a code behind it, it is where somebody is found. */
const IS_WHOLE = /[,|\n]/;

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
