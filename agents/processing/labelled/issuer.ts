/** Who issued an invoice or a receipt and who is billed: by a label, or by the place at the top; and the address below. */

import { LEGAL_FORMS } from '../legal-forms.ts';
import { addresses } from '../rules/contacts.ts';
import { type Candidate, candidateAt, confidenceOf, type Line, type Paper } from './lines.ts';

const SELLER =
  'seller|vendor|supplier|sold by|bill(?:ed)? from|invoice from|issued by|merchant|payee|verk(?:ä|ae)ufer|lieferant|rechnungssteller|vendeur|fournisseur|émetteur|verkoper|leverancier|venditore|cedente|fornitore|vendedor|proveedor|emisor|fornecedor|emitente|sprzedawca|penjual';
const BUYER =
  'buyer|bill(?:ed)? to|invoice(?:d)? to|sold to|customer|client|purchaser|payer|k(?:ä|ae)ufer(?:/leistungsempf(?:ä|ae)nger)?|kunde|rechnungsempf(?:ä|ae)nger|acheteur|client|facturé à|adresse de facturation|koper|klant|factuuradres|acquirente|cliente|cessionario|comprador|destinatario|nabywca|pembeli|billing address';
const NAME_CELL = /^(?:name|firma|company|nom|naam|nome|nombre|nazwa)\W*$/iu;
const LOOSE = /^[^\p{L}\d]+|[^\p{L}\d.)]+$/gu;

/** The name ends before numbers, streets and further labels. */
const NAME_END = /\s{2,}|[,;|(]|\s(?=\d)|\b(?:GLN|Nummer|Number|Tel|Phone|VAT|USt|ATTN)\b|:/u;
const WITH_FORM = new RegExp(
  `(?<![\\p{L}\\d])\\p{Lu}[\\p{L}'’.&-]{0,40}(?: (?:&|\\p{Lu})[\\p{L}'’.&-]{0,40}){0,5}?,? (?:${LEGAL_FORMS}|GMBH|LTD|SDN\\.? BHD)(?![\\p{L}\\d])`,
  'u',
);
/** A name with a legal form, or else the first words that are not a number of the party. */
const nameIn = (text: string): string => {
  const words = text.split(NAME_END).find((part) => /\p{L}{3}/u.test(part) && !NUMBER_LABEL.test(part.trim())) ?? '';
  return (WITH_FORM.exec(text)?.[0] ?? words).replaceAll(LOOSE, '');
};
const NUMBER_LABEL =
  /^[\d ]*(?:globale?|global)?[ -]*(?:\p{L}+-)?(?:nr|no|nummer|number|id|gln|gtin)\.?$|^\d+ \p{Lu}\p{Ll}+$/iu;
const isName = (name: string): boolean =>
  /^[\p{Lu}\d]/u.test(name) && /\p{L}{3}/u.test(name) && name.length <= 80 && !NOT_NAME.test(name) && !isStreet(name);

function labelledParty({ lines }: Paper, words: string): Candidate[] {
  const label = new RegExp(`^\\W{0,4}(?:${words})(?: name)?\\W{0,3}(?:[:|]|$)`, 'iu');
  return lines.flatMap((line, at): Candidate[] => {
    if (line.cells) return besideLabel(line, label);
    const found = label.exec(line.text)?.[0];
    if (found === undefined) return [];
    const rest = line.text.slice(found.length);
    return rest.trim() === '' ? belowLabel(lines, at, found) : named(line, rest, line.start + found.length, found);
  });
}

function besideLabel(line: Line, label: RegExp): Candidate[] {
  const at = line.cells?.findIndex(({ text }) => label.test(text.trim())) ?? -1;
  // A header of several columns has labels beside each other.
  const isHeader = line.head === undefined && (line.cells?.length ?? 0) > 2;
  const value = at < 0 || isHeader ? undefined : line.cells?.[at + 1];
  return value ? named(line, value.text, value.start, line.cells?.[at]?.text ?? '') : [];
}

/** The name is on the next line, or in a row such as `| Name: | Acme Ltd |`. */
function belowLabel(lines: readonly Line[], at: number, label: string): Candidate[] {
  const row = lines.slice(at + 1, at + 4).find(({ cells }) => NAME_CELL.test(cells?.[0]?.text ?? ''));
  const value = row?.cells?.[1];
  if (row && value) return named(row, value.text, value.start, label);
  const next = lines[at + 1];
  return next && !next.cells ? named(next, next.text, next.start, label) : [];
}

function named(line: Line, text: string, from: number, label: string): Candidate[] {
  const value = nameIn(text.slice(0, 200));
  // `Bill to:   Ship to:` are two labels side by side.
  if (!isName(value) || /:\s*$/.test(text)) return [];
  const start = text.indexOf(value);
  return [
    candidateAt(
      line,
      { start, end: start + value.length, value },
      { from, score: 3, reason: `labelled "${label.trim()}"` },
    ),
  ];
}

/** Words that show a sales document; without one, no seller is named. */
const SALE =
  /invoice|tax ?inv|receipt|rechnung|factur|facture|fattura|factuur|faktura|resit|cash (?:bill|sales?)|guest check|\b(?:sub ?)?total(?:e|t)?\b|\b(?:sub)?totaal\b|\bsumme\b|\b(?:gesamt|end|rechnungs)betrag\b|\bzu zahlen\b|\bte betalen\b|\bsuma\b|\bcashier\b|quittung|kassenbon|kassabon|reçu|ticket|scontrino|paragon/iu;
/** Text recognition takes the D of `SDN BHD` for an O. */
const ASIAN_FORM = 's[do0]n\\.? ?bh[do0]|s/b|pte\\.? ltd\\.?|pvt\\.? ltd\\.?|bhd|berhad|plt|ltd|limited|gmbh';
const ASIAN = new RegExp(`(?:^|[ ,.])(?:${ASIAN_FORM})\\.?(?=$|[ (),-])`, 'iu');
const FORM = new RegExp(`\\p{L}{2}[.,)]? (?:${LEGAL_FORMS})$`, 'u');
const FORM_ALONE = new RegExp(`^\\W*(?:co\\.? ?)?(?:\\(\\p{L}{1,2}\\) ?)?(?:${ASIAN_FORM})\\b\\W*$`, 'iu');
/** What shops and firms call themselves. */
const TRADE =
  /(?<![\p{L}\d])(?:enterprise|trading|marketing|restaurant|restoran|kedai|caf[eé]|cafe|mart|market|supermarket|hypermarket|pasaraya|perniagaan|syarikat|store|shop|company|hardware|stationery|book(?:s|store|shop)?|pharmacy|farmasi|apotheke|pharmacie|bakery|bäckerei|boulangerie|hotel|kitchen|florist|machinery|electrical|industries|services|supplies|centre|center|garage|clinic|food|catering|group|holdings|electronics|foundation|motor|auto|gift|deco|fashion|station|petrol|hair|salon|ristorante|gasthaus|brasserie|bar|bistro|trattoria|pizzeria|osteria|taverna|(?:back|brau|wirts|kauf)haus|konditorei|metzgerei|fleischerei|(?:buch|boek|ijzer|wijn)hand(?:lung|el)|eisenwaren|drogerie|drogist(?:erij)?|bakkerij|slagerij|panader[ií]a|panificio|pasticceria|ferreter[ií]a|ferramenta|quincaillerie|librer[ií]a|librairie|farmacia|carnicer[ií]a|macelleria|boucherie|p[âa]tisserie|épicerie|papeler[ií]a|cartoleria|tienda|negozio|winkel|sklep|padaria|livraria|apteka|piekarnia)(?![\p{L}\d])/iu;
const NOT_NAME =
  /\b(?:invoice|receipt|tax|gst|vat|tel|fax|phone|date|time|cash(?:ier)?|bill to|www|http|welcome|thank|formerly|licensee|page|order|customer|copy|table|total|qty|rechnung|facture|factuur|faktura|fattura|seite|description|website|email|reg|no|id|kopie|bank|swift|kundennr|datum|summary|original|duplicate|member|terminal|salesperson|sales person)\b|@|\.com/iu;
/** Words of streets, which a shop may have in its name: `Main Street Restaurant`. */
const STREET_WORD = /\b(?:jalan|jln|lot|taman|street|road|avenue)\b/iu;
const isStreet = (name: string): boolean => STREET_WORD.test(name) && (/\d/.test(name) || !TRADE.test(name));
/** In some countries the legal form stands before the name. */
const FORM_BEFORE = /^(?:SIA|UAB|OÜ|PT|SARL|SAS|EURL|S\.?C\.?) \p{Lu}\p{L}/u;
const REGISTERED =
  /^\W*(?:\(?[\p{L}\d]{0,4}\d{4,}[\p{L}\d]{0,4}[-–~ ]?\w{0,2}\)?|(?:co(?:mpany)?|roc|reg|br|brn|gst|business|registration|siret|ust|vat).{0,40}\d)/iu;
const REG_TAIL = /\s*[([{]?[A-Z]{0,3}\d{4,}[\dA-Z]*\s?[-~–]?\s?[A-Z]{0,2}[)\]}]?\W*$/u;
/** Nothing of a name follows its legal form: a number, something in brackets or stray letters. */
const BEHIND_FORM = new RegExp(
  `(?<=(?:^|[ ,.)])(?:${ASIAN_FORM})\\.?)(?:\\s*[([{]|\\s+[\\d|]|\\s+\\p{L}{1,2}\\W*$).*$`,
  'iu',
);
/** The address behind the name in the line of the sender: `Kessler GmbH · Am Wehr 3 · 64367 Mühltal`. */
const SENDER_LINE = /\s+[·•|]\s(?=.*\d).*$/u;
/** What follows is the owner of the shop. */
const IN_BRACKETS = /^\W{0,3}[([{].*\p{L}{3}.*[)\]}]\W{0,3}$/u;
const OWNED = /\b(?:owned|operated|managed|run) by\W*$/iu;
const TOP = 12;

/** The names at the top of a paper, each scored by what it says and by what stands below it. */
function atTop({ lines }: Paper): Candidate[] {
  const top = lines.slice(0, TOP);
  if (!lines.slice(0, 80).some(({ text }) => text.length < 80 && SALE.test(text))) return [];
  return top.flatMap((line, at) => {
    const name = nameAt(top, at);
    if (!name) return [];
    const { own, value } = name;
    const start = line.text.indexOf(own);
    const hasForm = ASIAN.test(value) || FORM.test(value) || FORM_BEFORE.test(value);
    const reason = hasForm ? 'a name with a legal form at the top' : 'a name at the top';
    const score = (hasForm ? 1.4 : 0) + penaltyAt(top, at, hasForm) + wordsOf(value) + placeAt(top, at) - at * 0.08;
    return [candidateAt(line, { start, end: start + own.length, value }, { score, reason })];
  });
}

/** Returns the name on a line, together with a legal form that stands alone on the next. */
function nameAt(top: readonly Line[], at: number): { own: string; value: string } | undefined {
  const [line, next] = [top[at] as Line, top[at + 1]];
  const text = line.cells ? letterheadIn(line) : line.text;
  if (text.length > 120 || FORM_ALONE.test(text)) return undefined;
  const own = text
    .replace(BEHIND_FORM, '')
    .replace(REG_TAIL, '')
    .replace(SENDER_LINE, '')
    .replace(/^.{3,20}: ?(?=\p{L})/u, '')
    .replace(/, (?=[^,]*\d).*$/u, '')
    .replaceAll(LOOSE, '');
  const form = next && FORM_ALONE.test(next.text) ? ` ${next.text.trim()}` : '';
  const value = `${own}${form}`.replace(/\bS[O0]N(?=\.? ?BH)/iu, 'SDN');
  const letters = value.replaceAll(/[^\p{L}]/gu, '').length;
  const isPlausible = letters >= 5 && letters / value.replaceAll(/[ .()&'’]/g, '').length > 0.75 && value.length <= 70;
  const isWhole = (value.match(/\(/g) ?? []).length === (value.match(/\)/g) ?? []).length;
  return isPlausible &&
    isWhole &&
    !isStreet(value) &&
    !NOT_NAME.test(ASIAN.test(value) ? value.replace(/\.com\b/i, '') : value)
    ? { own, value }
    : undefined;
}

/** A letterhead beside the document's own data is read as a table; its first row begins with the name. */
const letterheadIn = ({ cells = [], head }: Line): string => (head === undefined ? (cells[0]?.text.trim() ?? '') : '');

/** A line of an address, with a label, or in brackets below another name is rarely the name; nor is that of an owner. */
function penaltyAt(top: readonly Line[], at: number, hasForm: boolean): number {
  const { text = '' } = top[at] ?? {};
  const isBehindAddress = top.slice(Math.max(0, at - 2), at).some((line) => ADDRESS_LINE.test(line.text));
  const isOther = IN_BRACKETS.test(text) || OWNED.test(top[at - 1]?.text ?? '');
  return (!hasForm && (isBehindAddress || /,\W*$/.test(text)) ? -1 : 0) - (isOther ? 1 : 0);
}

const wordsOf = (value: string): number =>
  0.8 +
  (TRADE.test(value) ? 0.8 : 0) +
  (value === value.toUpperCase() ? 0.3 : 0) -
  (/^\p{Ll}/u.test(value) ? 0.8 : 0) -
  (/^\p{Ll}+ .*\p{Lu}/u.test(value) ? 0.8 : 0);

/** A street with a number and a town with its code, the lines of most addresses on the Continent, in Britain and in America. */
const HOUSE = /^\p{Lu}[\p{L}.'’ -]{2,40} \d{1,4} ?\p{Ll}?$|^\d{1,5}\p{L}?,? \p{L}[\p{L}.'’ -]{2,40}$/u;
const TOWN =
  /^(?:\p{Lu}{1,2}-)?(?:\d{4,6}|\d{2}-\d{3}|\d{4} ?[A-Z]{2}) \p{Lu}[\p{L}'’ .-]{2,40}$|^\p{Lu}[\p{L}'’ .-]{2,40},? (?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2} \d{5}(?:-\d{4})?)$/u;
const CONTACT =
  /^\W*(?:t[ée]l|phone|fon|ph|fax|www|http|e-?mail|vat|ust|tva|siret|p\.? ?iva|partita|nif|cif|btw|kvk|nip)\b|@/iu;

/** Whether a street with a number and below it a town with its code stand here. */
const isAddressAt = (lines: readonly Line[], at: number): boolean =>
  HOUSE.test(lines[at]?.text.trim() ?? '') && TOWN.test(lines[at + 1]?.text.trim() ?? '');

/** A number of registration or an address follows the name of an issuer. */
function placeAt(top: readonly Line[], at: number): number {
  const { text = '' } = top[at] ?? {};
  const below = top.slice(at + 1, at + 4);
  const isRegistered =
    REG_TAIL.test(text) ||
    below.slice(0, 2).some((line) => REGISTERED.test(line.text)) ||
    IN_BRACKETS.test(below[0]?.text ?? '');
  const isAddressed = below.some((line) => ADDRESS_LINE.test(line.text));
  // An issuer names its telephone below its address; the address of a person who is billed ends with the town.
  const isLetterhead = isAddressAt(top, at + 1) && CONTACT.test(top[at + 3]?.text ?? '');
  return (isLetterhead ? 1.2 : (isRegistered ? 0.5 : 0) + (isAddressed ? 0.5 : 0)) - (text.includes(':') ? 0.8 : 0);
}

/** A name at the top needs more than its place: a form, a word for a trade, or an address below. */
const ENOUGH_AT_TOP = 2;

/** Who is billed did not issue the paper. */
function sellers(paper: Paper): Candidate[] {
  const billed = new Set(buyer(paper).map(({ line }) => line));
  const names = atTop(paper).filter(({ line }) => line.cells !== undefined || !billed.has(line));
  return [
    ...labelledParty(paper, SELLER),
    ...names.map((one) => (one.score < ENOUGH_AT_TOP ? { ...one, score: one.score / 2 } : one)),
  ];
}

/** If a word of the best name may be misread, all are candidates only; the address below it may be right. */
export function seller(paper: Paper): Candidate[] {
  const [best, ...others] = sellers(paper).toSorted((a, b) => b.score - a.score);
  if (!best) return [];
  const share = isUnsure(paper, best) ? 1 / 4 : 1;
  return [best, ...others].map((one) => ({ ...one, score: one.score * share }));
}

/** Text recognition is rarely sure of short words and signs. */
const isUnsure = (paper: Paper, name: Candidate): boolean =>
  confidenceOf(paper, name) < 0.3 || confidenceOf(paper, name, 5) < 0.65;

export const buyer = (paper: Paper): Candidate[] => labelledParty(paper, BUYER);

const ADDRESS_LINE =
  /^\W{0,3}(?:(?:no|lot|unit|level|floor|block|blk|suite|plot|ground floor|shop|building|wisma|menara|plaza|p\.?o\.? box)\b|(?:jalan|jln|lorong|persiaran|taman|rue|via|viale|calle|avenida|ul|street)\b|\d{1,5}[\p{L}\d&/-]*[.,]? ?\p{L}{3})|\b(?:jalan|jln|taman|seksyen|street|road|avenue|lane|boulevard)\b|\p{L}(?:straße|strasse|str\.|weg|straat|laan|gatan)\b|\b\d{4,6}\b[ ,]+\p{L}{3}/iu;
const STREET =
  /\b(?:jalan|jln|lorong|persiaran|street|st\.|road|rd|avenue|ave|lane|drive|boulevard|blvd|rue|via|viale|piazza|calle|avenida|plaza|rua|ul\.|highway|level|floor|lot|batu)\b|\p{L}(?:straße|strasse|str\.|weg|platz|straat|laan|plein|gatan|gade|vej)\b/iu;
const CODE = '(?:\\d{5,6}(?:-\\d{3,4})?|[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|[A-Z]\\d[A-Z] ?\\d[A-Z]\\d|\\d{2}-\\d{3})';
/** Codes of four digits count at the beginning or end of a line only, where no number of a house or lot stands. */
const POSTCODE = new RegExp(
  `(?<!\\b(?:lot|no\\.?|pt|p\\.t\\.?),? ?)(?<![\\p{L}\\d-])${CODE}(?![\\p{L}\\d-])|^(?:[A-Z]{1,2}[- ])?\\d{4}(?: ?[A-Z]{2})? \\p{Lu}|\\p{Lu}{2,3} \\d{4}$`,
  'iu',
);
const ADDRESS_ENDS =
  /\b(?:t[ei]l|fax|phone|gst|tax|vat|ust|reg|invoice|receipt|date|time|cash|bill|email|e-mail|h\/?p|roc|co\.? no|id|table|cashier|www|slip|order|customer|buyer|bill to|ship to|deliver\w*|käufer\S*|kunde|acheteur|nabywca|check|doc|website|siret|hotline|person|rechnung\w*|quittung|beleg\w*|kassenbon|datum|facture|ticket|factura|recibo|fecha|fattura|ricevuta|scontrino|factuur)\b|\p{L}{5,} ?: |@|\.com|\b0\d{1,2}[- ]?\d{6,8}\b|\d{2}[/.-]\d{2}[/.-]\d{2}/iu;
const MAX_ADDRESS_LINES = 6;

/** The lines below the issuer's name up to the telephone or the document's own data, if a street or a code is in them. */
function blockBelow(lines: readonly Line[], at: number, score: number): Candidate[] {
  const below = lines.slice(at + 1, at + 1 + MAX_ADDRESS_LINES + 3);
  const isFirst = (line: Line, index: number): boolean =>
    (ADDRESS_LINE.test(line.text) || isAddressAt(below, index)) && !ADDRESS_ENDS.test(line.text);
  const first = below.findIndex((line, index) => !line.cells && isFirst(line, index));
  const block = first < 0 || first > 3 ? [] : blockFrom(below.slice(first, first + MAX_ADDRESS_LINES));
  const [begin, end] = [block[0], block.at(-1)];
  if (!begin || !end) return [];
  const value = block
    .map(({ text }) => text.replace(/^[^\p{L}\d(]+|[^\p{L}\d.)]+$/gu, ''))
    .join(', ')
    .replaceAll(/\.?,\s*,/g, ',')
    .replace(/[, ]+\(\d{3}\) ?\d{3}.*$/, '');
  const known = {
    from: begin.start,
    score: Math.min(1, score / 2) + evidenceIn(block, value),
    reason: 'below the name of the issuer',
  };
  return [candidateAt(begin, { start: 0, end: end.start + end.text.length - begin.start, value }, known)];
}

/** After the line of the postal code, one short line such as a country may follow, and no heading such as `Invoice`. */
function blockFrom(below: readonly Line[]): Line[] {
  const block: Line[] = [];
  let isCoded = false;
  for (const line of below) {
    const { text, cells, part, isHeading } = line;
    if (cells || ADDRESS_ENDS.test(text) || part !== below[0]?.part || text.length > 90) break;
    if (isCoded && (isHeading || /\d/.test(text) || text.trim().split(/\s+/).length > 4)) break;
    if (/\p{L}{3}/u.test(text)) block.push(line);
    isCoded ||= POSTCODE.test(text);
  }
  return block;
}

/** A block that begins with the code has lost its street. */
const evidenceIn = (block: readonly Line[], value: string): number =>
  (block.some(({ text }) => POSTCODE.test(text)) ? 0.8 : -0.3) -
  (/^(?:[A-Z]{1,2}[- ])?\d{5}/.test(value) ? 0.8 : 0) +
  (STREET.test(value) || isAddressAt(block, 0) ? 0.5 : 0) +
  (block.length > 1 ? 0.2 : 0);

const INLINE = new RegExp(
  `^[\\s,;·•|–-]*(?<address>\\p{L}[^:@\\n]{4,100}?(?:[A-Z]{1,2}[- ])?(?<![\\p{L}\\d-])(?:${CODE}|\\d{4}(?: [A-Z]{2})?),? \\p{Lu}[\\p{L}-]{1,40}(?: \\p{Lu}[\\p{L}-]{1,40}){0,2})`,
  'u',
);

/** A street and a code behind the name on its line. */
function behindName(paper: Paper, { line, end }: Candidate): Candidate[] {
  const rest = paper.parts[line.part]?.text.slice(end, Math.min(end + 200, line.start + line.text.length)) ?? '';
  const value = INLINE.exec(rest)?.groups?.address;
  if (value === undefined || !/\d/.test(value.slice(0, -6))) return [];
  const start = rest.indexOf(value);
  const known = { from: end, score: 1.9, reason: 'behind the name of the seller' };
  return [candidateAt(line, { start, end: start + value.length, value }, known)];
}

/** The address of the seller: the block below the name, or the next address behind it. */
export function sellerAddress(paper: Paper): Candidate[] {
  const [best] = sellers(paper).toSorted((a, b) => b.score - a.score);
  if (!best || best.score < ENOUGH_AT_TOP) return [];
  const at = paper.lines.indexOf(best.line);
  const text = paper.parts[best.line.part]?.text.slice(best.start, best.start + 400) ?? '';
  const known = { from: best.start, score: 1.6, reason: 'behind the name of the seller' };
  const behind = behindName(paper, best);
  if (behind.length > 0) return behind;
  return [
    ...blockBelow(paper.lines, at, best.score),
    ...addresses(text, paper.habits).map((match) => candidateAt(best.line, match, known)),
  ];
}
