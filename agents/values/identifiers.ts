/** IBANs, VAT numbers and invoice numbers. */

import { dates } from './dates.ts';
import { matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';
import { tablesIn } from './tables.ts';
import { hasVatCheckDigits } from './vat-check-digits.ts';

/** The length of an IBAN by country, of the whole registry (SWIFT, IBAN Registry 99). */
const LENGTHS: Record<string, number> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 ' +
    'YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const IBAN =
  /(?<![\p{L}\d])(?<country>[A-Z]{2})(?<check>\d{2})(?=(?<rest>[ \u00a0-]?(?:[A-Z\d]{1,4}[ \u00a0-]?){3,9}))/gu;
const LABEL_BEFORE = /\bIBAN\b[^\p{L}\d]{0,6}$/u;
const LOOK_BACK = 16;

export const ibans: Rule = (text) => {
  let before = 0;
  return Array.from(text.matchAll(IBAN)).flatMap((match) => {
    const { country = '', rest = '' } = match.groups ?? {};
    const length = LENGTHS[country];
    if (length === undefined || match.index < before) return [];
    const cut = firstCharacters(match[0] + rest, length);
    if (cut === undefined || /[\p{L}\d]/u.test(text[match.index + cut.end] ?? '')) return [];
    const isValid = hasIbanCheckDigits(cut.value);
    // An IBAN with a wrong check digit is reported only if the document labels it as an IBAN. Elsewhere it is something
    // else.
    if (!isValid && !LABEL_BEFORE.test(text.slice(Math.max(0, match.index - LOOK_BACK), match.index))) return [];
    before = match.index + cut.end;
    return [{ start: match.index, end: before, value: cut.value, more: { valid: isValid } }];
  });
};

export const vatNumbers: Rule = (text, locale) => {
  const accounts = ibans(text, locale);
  return withoutOverlaps([
    ...numbersWithoutCountry(text),
    ...matchesOf(VAT, text, (_, [written = '']) => {
      const value = written.replaceAll(/[ \u00a0.-]/g, '').replace(/(?:MWST|TVA|IVA)$/, '');
      const valid = hasVatCheckDigits(value);
      return { value, ...(valid === undefined ? {} : { more: { valid } }) };
    }),
  ]).filter(({ start }) => !accounts.some((account) => start >= account.start && start < account.end));
};

const NAMES =
  'invoice|tax invoice|credit note|proforma|bill|rechnung|rechnungs|gutschrift|facture|avoir|factura|fattura|factuur|factuur|fatura|faktura';
const NUMBER_WORD = 'number|num|no|nr|nummer|num[ée]ro|n[úu]mero|n[úu]m|numero|id|ref|reference|#|n[°ºr]|n';
const TOKEN = '(?=[\\p{L}\\d/._-]*\\d)[\\p{L}\\d](?:[\\p{L}\\d/._-]{0,30}[\\p{L}\\d])';
const NAMED = new RegExp(
  `(?<!\\p{L})(?:(?:${NAMES})(?:[ -]?(?:${NUMBER_WORD})(?!\\p{L})\\.?)?|(?:num[ée]ro|n[°º]|n[úu]mero|no\\.|number) (?:de |del |della |of )?(?:the )?(?:${NAMES}))[ \\t\\u00a0:.#*|-]{1,8}(?:(?:no|nr|n[°º]|number)\\.?[ :]{0,2})?(?<number>${TOKEN})(?![\\p{L}\\d])`,
  'giu',
);

/**
 * Finds numbers of invoices and credit notes: after their label, on the same line or in the cell next to or below it.
 */
export const invoiceNumbers: Rule = (text) =>
  withoutOverlaps([
    ...matchesOf(NAMED, text, ({ number = '' }) => toInvoiceNumber(number)).map(withoutLabel),
    ...inTables(text),
  ]);

/** Returns the first `length` letters and digits, and where they end. */
function firstCharacters(text: string, length: number): { value: string; end: number } | undefined {
  let value = '';
  for (let at = 0; at < text.length; at++) {
    if (/[A-Z\d]/.test(text[at] ?? '')) value += text[at];
    if (value.length === length) return { value, end: at + 1 };
  }
  return undefined;
}

/** Verifies the check digits by ISO 7064, modulo 97. */
function hasIbanCheckDigits(iban: string): boolean {
  let remainder = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of String(Number.parseInt(sign, 36))) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}

const GAP = '[ \\u00a0.-]?';
const digitsPattern = (count: number) => `(?:${GAP}\\d){${count}}`;
const VAT_FORMS = [
  `ATU${digitsPattern(8)}`,
  `BE${GAP}[01]${digitsPattern(9)}`,
  `(?:DE|EE|EL|PT)${digitsPattern(9)}`,
  `CHE${digitsPattern(9)}(?: ?(?:MWST|TVA|IVA))?`,
  `(?:FI|HU|LU|SI|DK|MT)${digitsPattern(8)}`,
  `FR${GAP}[A-HJ-NP-Z\\d]{2}${digitsPattern(9)}`,
  `GB${digitsPattern(9)}`,
  `IE${digitsPattern(7)}[A-Z]{1,2}`,
  `(?:IT|LV|HR)${digitsPattern(11)}`,
  `NL${digitsPattern(9)}${GAP}B${digitsPattern(2)}`,
  `NO${digitsPattern(9)}${GAP}MVA`,
  `(?:PL|SK)${digitsPattern(10)}`,
  `SE${digitsPattern(12)}`,
  `ES${GAP}[A-Z]${digitsPattern(7)}${GAP}[A-Z\\d]`,
  `ES${digitsPattern(8)}${GAP}[A-Z]`,
  `(?:CZ|RO)(?:${GAP}\\d){8,10}`,
  `RO(?:${GAP}\\d){6,7}`,
  `BG(?:${GAP}\\d){9,10}`,
  `CY${digitsPattern(8)}${GAP}[A-Z]`,
  `LT(?:${digitsPattern(12)}|${digitsPattern(9)})`,
];
const VAT = new RegExp(`(?<![\\p{L}\\d])(?:${VAT_FORMS.join('|')})(?![\\p{L}\\d]|[ ]\\d{2})`, 'gu');
const WHOLE_VAT = new RegExp(`^(?:${VAT_FORMS.join('|')})$`, 'u');

const VAT_WORD =
  '(?:[ .-]{0,2}(?:reg(?:istration|istered)?|id(?:ent(?:ification|ifikations)?)?|intracommunautaire|idn[or]|no|nr|number|nummer|n[°º])(?!\\p{L})){1,3}';
/** Labels of numbers without letters, with the countries that call them so. */
const UNLETTERED = [
  [`VAT${VAT_WORD}`, 'GB'],
  [`(?:USt|UStG|Umsatzsteuer)${VAT_WORD}`, 'DE', 'ATU'],
  [`(?:TVA|BTW)${VAT_WORD}|n[°º] (?:de )?TVA`, 'FR', 'BE', 'NL'],
  ['P\\. ?IVA|PIVA|Partita IVA', 'IT'],
  ['NIP', 'PL'],
  ['NIF|NIPC|CIF|CUI', 'ES', 'PT', 'RO'],
  ['OIB', 'HR'],
  [`CVR(?:${VAT_WORD})?`, 'DK'],
].map(([label, ...countries]) => ({
  countries,
  pattern: new RegExp(
    `(?<![\\p{L}\\d])(?:${label})[ \\u00a0.:|#*]{1,6}(?<number>(?:[A-Z][ -]?)?\\d(?:${GAP}\\d){6,11}(?:${GAP}B\\d\\d|-?[A-Z])?)(?![\\p{L}\\d%]|[ .,/-]\\d)`,
    'giu',
  ),
}));

/** Without letters a number says its country only if the check digits are right for one in which the label is used. */
function numbersWithoutCountry(text: string): RuleMatch[] {
  return UNLETTERED.flatMap(({ pattern, countries }) =>
    matchesOf(pattern, text, ({ number = '' }) => {
      if (isDate(number)) return undefined;
      const value = number.replaceAll(/[ \u00a0.-]/g, '').toUpperCase();
      const country = countries.find((code) => WHOLE_VAT.test(code + value) && hasVatCheckDigits(code + value));
      return {
        value,
        more: { written: number.length, ...(country ? { country: country.slice(0, 2), valid: true } : {}) },
      };
    }),
  ).map(({ more: { written, ...more } = {}, ...match }) => ({ ...match, start: match.end - Number(written), more }));
}

const HEAD = new RegExp(
  `^(?:(?:${NAMES})(?:[ -]?(?:${NUMBER_WORD})\\.?)?|(?:num[ée]ro|n[°º]|n[úu]mero) (?:de |del )?(?:${NAMES}))$`,
  'iu',
);
const WHOLE = new RegExp(`^${TOKEN}$`, 'u');

const UNKNOWN_LOCALE = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };
const LEAST = 3;

/** Rejects dates and amounts with cents. */
function toInvoiceNumber(token: string): Pick<RuleMatch, 'value'> | undefined {
  const isOther = isDate(token) || /^\d+[.,]\d\d$/.test(token);
  return isOther || token.length < LEAST || /^(?:19|20)\d\d$/.test(token) ? undefined : { value: token };
}

const isDate = (token: string): boolean =>
  dates(token, UNKNOWN_LOCALE).some(({ start, end }) => start === 0 && end === token.length);

const withoutLabel = (match: RuleMatch): RuleMatch => ({ ...match, start: match.end - match.value.length });

function inTables(text: string): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const columns = head.cells.flatMap(({ text: name }, at) => (HEAD.test(name) ? [at] : []));
    return [head, ...rows].flatMap(({ cells }, row) =>
      cells.flatMap(({ text: cell, start, end }, at): RuleMatch[] => {
        const isNamed = (row > 0 && columns.includes(at)) || HEAD.test(cells[at - 1]?.text.replace(/:$/, '') ?? '');
        const value = isNamed && WHOLE.test(cell) ? toInvoiceNumber(cell) : undefined;
        return value ? [{ start, end, ...value }] : [];
      }),
    );
  });
}
