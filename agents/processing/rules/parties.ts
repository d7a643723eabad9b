/** Parties of a document: names with a legal form, and names next to the word for a role. */

import { LEGAL_FORMS } from '../legal-forms.ts';
import { linesOf, tablesIn } from './layout.ts';
import { apart, matchesOf, oneLine, type Rule, type RuleMatch } from './match.ts';

/** `&` and short connecting words may occur inside a name, never at its ends. */
const WORD = "(?:\\p{Lu}|\\d{1,4}(?= \\p{Lu}))[\\p{L}\\d'’.&-]{0,40}";
const JOINT = '(?:[ \\u00a0](?:&|et|und|and|y|e|de|De|der|van|von|of|la|le|du|des|di|da|del|the|für|en))';
const WITH_FORM = new RegExp(
  `(?<![\\p{L}\\d.])(?<name>${WORD}(?:${JOINT}{0,2}[ \\u00a0]${WORD}){0,6}?,?[ \\u00a0](?:${LEGAL_FORMS}))(?![\\p{L}\\d])`,
  'gu',
);

const ROLES =
  'bill(?:ed)? to|invoice to|sold to|ship to|seller|buyer|purchaser|customer|client|supplier|vendor|landlord|tenant|lessor|lessee|employer|employee|contractor|licensor|licensee|lender|borrower|payee|payer|insurer|insured|provider|recipient|issuer|guarantor|consultant|company|service provider|agent|distributor|manufacturer|subcontractor|owner|policyholder|account holder|applicant|claimant|taxpayer|donor|creditor|debtor|principal|publisher|author|' +
  'wynajmujący|najemca|sprzedawca|nabywca|zamawiający|wykonawca|säljare|köpare|kund|sælger|køber|kunde|selger|kjøper|fornecedor|contribuente|locatore|conduttore|auftraggeberin|vermieterin|mieterin|versicherungsnehmer|versicherer|donneur d.ordre|assuré|assureur|' +
  +'verkäufer|käufer|kunde|kundin|auftraggeber|auftragnehmer|lieferant|vermieter|mieter|rechnungsempfänger|empfänger|arbeitgeber|arbeitnehmer|arbeitnehmerin|' +
  'vendeur|acheteur|fournisseur|bailleur|locataire|destinataire|employeur|salari[ée]|prestataire|' +
  'vendedor|comprador|proveedor|arrendador|arrendatario|venditore|acquirente|fornitore|committente|cedente|opdrachtgever|leverancier|koper|verkoper|huurder|verhuurder|klant|cliente';
/** Roles in a letterhead. In a table these words may also name towns. */
const OF_LETTERS = 'from|to|attn|attention|von|an';
const NAME_END = '[^\\n|,;(]{2,80}';
const BEHIND_ROLE = new RegExp(
  `^(?:[#*>\\-\\s]{0,6})(?:the )?(?:${ROLES}|${OF_LETTERS})(?: name)?\\*{0,2} ?:\\*{0,2}[ \\u00a0]?(?<name>${NAME_END})`,
  'giu',
);
const ROLE_ALONE = new RegExp(`^(?:[#*>\\-\\s]{0,6})(?:the )?(?:${ROLES})(?: name)?\\*{0,2} ?:?\\*{0,2}$`, 'iu');
const ROLE_WORD = new RegExp(`^(?:the )?(?:${ROLES})(?: name)?:?$`, 'iu');
/** Matches `Ms Ludmila Černá, born on 9 May 1991 (the Employee)`. */
const BEFORE_ROLE = new RegExp(
  `(?<=^|[\\s:])(?<name>(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau|Mme|Mlle|M\\.)\\.? )?\\p{Lu}[\\p{L}'’.&-]{0,40}(?:${JOINT}{0,2} ${WORD}){0,6}(?:,? (?:${LEGAL_FORMS}))?)(?<between>,[^()\\n]{0,200})? ?\\((?:hereinafter[^()"“']{0,30})?["“'„«]{0,2}(?i:the |der |die |le |la |el |l['’])?(?i:${ROLES})["”'“»]{0,2}\\)`,
  'gu',
);

export const parties: Rule = (text) =>
  apart([
    ...matchesOf(WITH_FORM, text, ({ name = '' }) => named(name)),
    ...matchesOf(BEFORE_ROLE, text, ({ name = '' }) => named(name)).map((match) => onlyName(text, match)),
    ...behindRoles(text),
    ...inTables(text),
  ]);

const TITLE = /^(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau|Mme|Mlle|M\.|the|The|between|Between|und|and)\.? )+/u;
const LOOSE = /^[\s"“„'«*]+|[\s"”“'»*]+$/gu;

/** Matches text that is only a legal form and digits, which is not a name. */
const ONLY_FORM = new RegExp(`^[\\d\\s,]*(?:${LEGAL_FORMS})?$`, 'u');

function named(raw: string): Pick<RuleMatch, 'value'> | undefined {
  const value = oneLine(raw).replace(LOOSE, '').replace(TITLE, '');
  return /\p{L}{2}/u.test(value) && !ONLY_FORM.test(value) ? { value } : undefined;
}

const onlyName = (text: string, match: RuleMatch): RuleMatch => {
  const at = text.indexOf(match.value, match.start);
  return at < 0 ? match : { ...match, start: at, end: at + match.value.length };
};

/** Reads the name on the line of the role or, if that line holds nothing else, on the next. */
function behindRoles(text: string): RuleMatch[] {
  const lines = linesOf(text);
  return lines.flatMap(({ text: line, start }, at): RuleMatch[] => {
    const behind = matchesOf(BEHIND_ROLE, line, ({ name = '' }) => onlyPerson(name))[0];
    if (behind) return [onlyName(text, { ...behind, start: start + line.indexOf(':') })];
    if (!ROLE_ALONE.test(line)) return [];
    const next = lines.slice(at + 1, at + 3).find((other) => other.text.trim() !== '');
    if (!next) return [];
    const value = onlyPerson(next.text.split(/[,;(|]/)[0] ?? '');
    return value ? [onlyName(text, { ...value, start: next.start, end: next.start + next.text.length })] : [];
  });
}

/** Cuts at the end of the sentence. A name begins with a capital, or with a digit as in 3M. */
function onlyPerson(raw: string): Pick<RuleMatch, 'value'> | undefined {
  const name = raw.split(/\.\s+(?=\p{Lu}\p{Ll}+ (?:of|is|date|by)\b|Date|Payable)/u)[0] ?? '';
  const value = named(
    name.replace(/[.:]$/, (mark) => (new RegExp(`(?:${LEGAL_FORMS})$`, 'u').test(name.trim()) ? mark : '')),
  )?.value;
  return value !== undefined && /^[\p{Lu}\d]/u.test(value) ? { value } : undefined;
}

function inTables(text: string): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const columns = new Set(head.cells.flatMap((cell, at) => (ROLE_WORD.test(cell.text) ? [at] : [])));
    const isPairs = head.cells.length === 2;
    return [head, ...rows].flatMap(({ cells }, row) =>
      cells.flatMap(({ text: cell, start, end }, at): RuleMatch[] => {
        const isNamed =
          (row > 0 && columns.has(at) && !isPairs) || (isPairs && at === 1 && ROLE_WORD.test(cells[0]?.text ?? ''));
        const value = isNamed ? onlyPerson(cell.split(/[,;(]/)[0] ?? '') : undefined;
        return value ? [onlyName(text, { start, end, ...value })] : [];
      }),
    );
  });
}
