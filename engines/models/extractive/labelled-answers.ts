/** Answers questions about the labelled values of a bill or a contract, such as the amount due or the term, by quoting where they stand. */

import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import { isTable, type Passage, plainText, type QuoteUnit, readUnits } from '../../retrieval/passages.ts';
import { fold, stem, wordsOf } from '../../retrieval/words.ts';
import { asksHowMuch, type QuestionPart } from './prompt.ts';
import { termsOf } from './terms.ts';

/** Where a value stands: the line that says it, by its position in the text of a part. */
type LabelledLine = { part: number; start: number; end: number; value: string };
/** The rules whose values a question may ask for. */
type AskedName = LabelledName | 'ibans' | 'vat_numbers';
/** The values of a rule in a document: the best one, or each of them if there may be several. Empty without enough evidence. */
export type FindLabelled = (
  name: AskedName,
  parts: readonly { label: string; text: string }[],
) => readonly LabelledLine[];

const word = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'u');
const setOf = (...words: string[]): Set<string> => new Set(words.join(' ').split(/\s+/).filter(Boolean).map(stem));

/** What questions call a bill and its amounts; a further word may ask for something else, such as one item of many. */
const BILL = `invoice bill receipt document paper statement number date
  rechnung beleg quittung nummer datum facture recu numero date factura recibo fecha fattura ricevuta data da del della al`;
const AMOUNTS = `amount total sum balance price pay paid payment payable due owe owed outstanding
  gross net subtotal final grand overall incl including inclusive excl excluding without vat tax gst charge cost altogether
  day time deadline latest settle money issue billing
  rechnungsbetrag gesamtbetrag endbetrag bruttobetrag nettobetrag zahlbetrag betrag summe gesamtsumme zwischensumme zahlen
  bezahlen bezahlt zahlung fallig falligkeit falligkeitsdatum zahlungsziel hoch brutto netto kosten kostet gesamt
  insgesamt mwst ust umsatzsteuer mehrwertsteuer inklusive rechnungsnummer rechnungsdatum spatestens tag enthalten
  montant somme payer paye regler paiement reglement echeance ttc ht hors taxe tva inclus limite jour
  importe suma monto pagar vence vencimiento pago limite iva neto base imponible impuesto incluido dia emision
  importo totale somma pagare scade scadenza pagamento entro imponibile giorno emissione netto`;
const SELLER = `seller vendor supplier issuer merchant shop store company firm business sender name
  verkaufer lieferant aussteller laden geschaft firma absender name vendeur fournisseur magasin societe entreprise emetteur nom
  vendedor proveedor tienda empresa emisor nombre venditore fornitore negozio azienda ditta emittente nome`;
const CONTRACT = `agreement contract deed document letter nda non disclosure nondisclosure confidentiality confidential mutual lease employment service
  vertrag vereinbarung mietvertrag arbeitsvertrag geheimhaltungsvereinbarung contrat accord bail contrato acuerdo contratto accordo`;

/** A question for one labelled value, and the words that it may have. */
type LabelledQuestion = { name: AskedName; asks: RegExp; known: Set<string> };

/** The first whose pattern matches decides. */
const OF_BILLS: LabelledQuestion[] = [
  {
    name: 'ibans',
    asks: word(
      'ibans?|(?:which|what|whose) (?:bank )?account|account number|kontonummer|bankverbindung|(?:welches|welche) konto|quel compte|que cuenta|quale conto',
    ),
    known: setOf(
      BILL,
      AMOUNTS,
      SELLER,
      'bank account iban transfer konto kontonummer bankverbindung uberweisen compte virer cuenta conto',
    ),
  },
  {
    name: 'vat_numbers',
    asks: word(
      '(?:vat|tax|ust|tva|iva)[ -]?(?:id|ids|no|numbers?|registration|nummer)|umsatzsteuer-?\\w*nummer|steuernummer|numero (?:de )?(?:tva|iva)|partita iva',
    ),
    known: setOf(
      BILL,
      AMOUNTS,
      SELLER,
      'id registration steuernummer umsatzsteuernummer partita buyer customer client kunde cliente',
    ),
  },
  {
    name: 'invoice_number',
    asks: word(
      '(?:number|no|id) of (?:the |this )?(?:invoice|bill)|(?:invoice|bill|receipt) (?:number|no|id)|(?:which|what) number(?: .*)? (?:invoice|bill)|rechnungsnummer|nummer .*rechnung|numero (?:de|della|di|du)? ?(?:la )?(?:facture|factura|fattura)',
    ),
    known: setOf(BILL, AMOUNTS),
  },
  {
    name: 'currency',
    asks: word(
      '(?:which|what) currency|currency of|welche[rn]? wahrung|quelle (?:devise|monnaie)|que (?:moneda|divisa)|(?:quale|che) valuta',
    ),
    known: setOf(BILL, AMOUNTS, 'currency make issue wahrung ausgestellt devise monnaie moneda divisa valuta'),
  },
  {
    name: 'seller_address',
    asks: word(
      '(?:where|address) (?:is |of )?(?:the |this )?(?:seller|vendor|supplier|issuer|merchant|shop|store|company)|(?:seller|vendor|supplier|issuer|merchant|shop|store|company)(?:.s)? address|(?:adresse|anschrift) (?:des|der) \\w+|adresse (?:du|de la|de l) ?\\w+|direccion (?:del|de la) \\w+|indirizzo (?:del|della|dell) ?\\w+',
    ),
    known: setOf(BILL, SELLER, 'address adresse anschrift direccion indirizzo postal'),
  },
  {
    name: 'seller',
    asks: word(
      'who (?:issued|sent|wrote|sold)|who is (?:the |this )?(?:seller|vendor|supplier|issuer|merchant|sender)|(?:which|what) (?:shop|store|company|vendor|supplier|merchant|seller|business|firm)|from (?:whom|which|what) (?:shop|store|company)?|(?:seller|vendor|supplier|issuer|merchant|shop|store)|wer .*(?:ausgestellt|verkauft|geschickt)|wer ist (?:der )?(?:verkaufer|lieferant|aussteller)|von wem|welche[rs]? (?:firma|laden|geschaft|lieferant)|qui .*(?:emis|vendu)|qui est le (?:vendeur|fournisseur)|quel(?:le)? (?:magasin|fournisseur|societe|entreprise)|quien .*(?:emite|emitio|vende|vendio)|(?:que|cual) (?:tienda|empresa|proveedor)|quien es el (?:vendedor|proveedor)|chi .*(?:emesso|venduto)|(?:quale|che) (?:negozio|ditta|azienda|fornitore)|chi e il (?:venditore|fornitore)',
    ),
    known: setOf(
      BILL,
      SELLER,
      'issue send sent write wrote sell sold buy bought purchase make ausgestellt verkauft geschickt emis vendu emite emitio vende emesso venduto',
    ),
  },
  {
    name: 'buyer',
    asks: word(
      'who is (?:the |this )?(?:buyer|customer|client|recipient|purchaser)|who (?:is|was) (?:billed|invoiced)|(?:billed|addressed|invoiced|issued|sold) to|to whom|name of (?:the )?(?:buyer|customer|client)|wer ist (?:der )?(?:kunde|kaufer|empfanger|rechnungsempfanger)|an wen|qui est (?:le client|l.acheteur)|a qui|quien es el (?:cliente|comprador)|a quien|chi e (?:il cliente|l.acquirente)|a chi',
    ),
    known: setOf(
      BILL,
      'buyer customer client recipient purchaser bill invoice address issue sell name kunde kaufer empfanger rechnungsempfanger gerichtet ausgestellt client acheteur adressee cliente comprador dirigida acquirente intestata',
    ),
  },
];

const LAW = word(
  'govern\\w*|jurisdiction|(?:which|what|whose|applicable) law|(?:welche[ms]|anwendbares) recht|recht welche[rs]|gerichtsstand|(?:quel|quelle) (?:droit|loi)|(?:droit|loi) applicable|(?:que )?ley(?: aplicable)?|(?:quale )?legge(?: applicabile)?|foro competente',
);
const PARTIES = word(
  '(?:who|which|what) (?:are|is) the (?:contracting |contractual )?part(?:y|ies)|between (?:whom|which)|contract(?:ing|ual) parties|vertragspartner|(?:vertrags)?parteien|zwischen wem|(?:les )?parties au|entre qui|(?:las )?partes|entre quienes|(?:le )?parti (?:del|dell)|tra chi',
);
const MADE =
  /(?<!\p{L})effective date|(?<!\p{L})(?:when|what date|which day)(?!\p{L}).*(?:made|signed|concluded|dated|entered into|executed|effective)|date of (?:the |this )?(?:agreement|contract|deed)|vertragsdatum|datum des vertrags|(?<!\p{L})wann(?!\p{L}).*(?:abgeschlossen|geschlossen|unterzeichnet|unterschrieben)|date (?:d.effet|du contrat)|(?<!\p{L})quand(?!\p{L}).*(?:conclu|signe)|fecha (?:efectiva|del contrato)|cuando.*(?:firm|celebr)|data (?:del contratto|di stipula)|quando.*(?:firmat|stipulat|conclus)/u;
const TERM = word(
  'how long|(?:until|till) when|terms?|duration|expir\\w*|when does .* (?:end|terminate)|laufzeit|vertragsdauer|wie lange|bis wann|duree|jusqu.a quand|combien de temps|duracion|cuanto (?:tiempo )?dura|hasta cuando|durata|quanto dura|fino a quando',
);

/** A bill has none of these values. */
const OF_CONTRACTS: LabelledQuestion[] = [
  {
    name: 'jurisdiction',
    asks: LAW,
    known: setOf(
      CONTRACT,
      `law govern governing apply applicable jurisdiction state country court
      recht gilt anwendbar anwendbares unterliegt richtet land gerichtsstand welches droit loi applicable regit ley aplicable rige legge applicabile regola`,
    ),
  },
  {
    name: 'contract_parties',
    asks: PARTIES,
    known: setOf(
      CONTRACT,
      `party parties contracting contractual name conclude make sign enter into
      vertragspartner vertragsparteien parteien abgeschlossen geschlossen partie conclu signe partes firmado celebrado parti stipulato firmato`,
    ),
  },
  {
    name: 'effective_date',
    asks: MADE,
    known: setOf(
      CONTRACT,
      `effective date day made make sign enter into conclude execute party
      abgeschlossen geschlossen unterzeichnet unterschrieben datum vertragsdatum conclu signe date effet
      firmado firmo celebrado fecha efectiva firmato stipulato data concluso`,
    ),
  },
  {
    name: 'term',
    asks: TERM,
    known: setOf(
      CONTRACT,
      `term duration length long run last valid validity expire expiry expiration end terminate force effect time period
      laufzeit vertragsdauer dauer dauert lauft gilt gultig endet ende duree valable dure prend fin duracion vigente vigencia dura termina
      durata valido`,
    ),
  },
];

const NET = word(
  'net(?! (?:payer|a payer))|subtotal|netto\\w*|zwischensumme|hors taxes?|ht|neto|base imponible|imponibile|excluding|without|before|excl|ohne|senza|sin',
);
const TAX = word('vat|tax|taxes|gst|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva');
/** A total with tax; how much tax it includes asks for the tax. */
const INCLUDED = word('incl\\w*|inkl\\w*|with|mit|ttc|con|avec|brutto\\w*|gross');
const HOW_MUCH_TAX = word(
  '(?:how much|wie ?viel|wie hoch (?:ist|sind) die|combien de|cuanto|quanta?) (?:is the |the )?(?:vat|tax|taxes|gst|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva)',
);
const ISSUED = word(
  '(?:invoice|bill|issue|receipt|purchase) date|date of (?:the |this )?(?:invoice|bill|issue|receipt|purchase)|when .*(?:issued|written|dated|made out|buy|bought|purchased?)|rechnungsdatum|datum (?:der|des) (?:rechnung|belegs|quittung|einkaufs)|wann .*(?:ausgestellt|gekauft|geschrieben|datiert)|date (?:de|d) ?(?:la )?(?:facture|emission|achat)|quand .*(?:emise|etablie|achete)|fecha de (?:la )?(?:factura|emision|compra)|cuando .*(?:emitio|emitida|compre|compro)|data (?:di|della) ?(?:fattura|emissione|acquisto)|quando .*(?:emessa|comprato|acquistato)',
);
const DUE = word('due|fallig\\w*|vence|scade|echeance|vencimiento|scadenza');
const PAYS =
  /(?<!\p{L})(?:due|owed?|pay|paid|payable|total|fallig\w*|zahlen|bezahlen|gesamt\w*|payer|regler|du|pagar|pagare|totale)(?!\p{L})/u;
const OF_AMOUNTS = setOf(BILL, AMOUNTS);
const OF_DATES = setOf(
  BILL,
  AMOUNTS,
  'write written date made out buy bought purchase ausgestellt gekauft geschrieben datiert einkauf emise etablie achete achat emitio emitida compre compro compra emessa comprato acquistato acquisto',
);

/** What a question asks for, with the words that it may have, too. */
function labelledAsked({ text, hint }: QuestionPart): Omit<LabelledQuestion, 'asks'> | undefined {
  const folded = fold(text.normalize('NFC'));
  const byName = (questions: LabelledQuestion[]) => questions.find(({ asks }) => asks.test(folded));
  return byName(OF_BILLS) ?? dateAsked(folded, hint) ?? amountAsked(text, folded, hint) ?? byName(OF_CONTRACTS);
}

function dateAsked(folded: string, hint: QuestionPart['hint']): Omit<LabelledQuestion, 'asks'> | undefined {
  if (hint === 'due') return { name: 'due_date', known: OF_AMOUNTS };
  if (ISSUED.test(folded)) return { name: 'issue_date', known: OF_DATES };
  return hint === 'date' && DUE.test(folded) ? { name: 'due_date', known: OF_AMOUNTS } : undefined;
}

function amountAsked(
  text: string,
  folded: string,
  hint: QuestionPart['hint'],
): Omit<LabelledQuestion, 'asks'> | undefined {
  if (hint === 'date' || (!asksHowMuch(text) && !(hint === 'amount' && PAYS.test(folded)))) return undefined;
  const isTax = TAX.test(folded) && (!INCLUDED.test(folded) || HOW_MUCH_TAX.test(folded));
  return { name: NET.test(folded) ? 'subtotal' : isTax ? 'tax' : 'total', known: OF_AMOUNTS };
}

const MAX_SOURCES = 5;
const MAX_CHARACTERS = 200_000;

/** A page may have a form of rows only. */
const isPage = ({ place }: Passage): boolean => /^page \d/.test(place);

/** The lines that answer one question, for each document; empty if it asks for no labelled value, or for more. */
export function labelledUnits(
  part: QuestionPart,
  passages: Passage[],
  { language, find }: { language: string; find: FindLabelled | undefined },
): QuoteUnit[] {
  const asked = find && labelledAsked(part);
  if (!find || !asked) return [];
  const others = termsOf(part.text).filter((term) => !asked.known.has(term.word));
  const sources = [...new Set(passages.map(({ source }) => source))].filter((source) =>
    others.every((term) => wordsOf(source).map(stem).includes(term.word)),
  );
  if (sources.length > MAX_SOURCES) return [];
  return sources.flatMap((source) => {
    const own = passages.flatMap((passage, at) => (passage.source === source ? [{ passage, at }] : []));
    const length = own.reduce((sum, { passage }) => sum + passage.text.length, 0);
    // Rows of data have no label of their own: their totals are counted.
    if (length > MAX_CHARACTERS || own.every(({ passage }) => isTable(passage) && !isPage(passage))) return [];
    const lines = find(
      asked.name,
      own.map(({ passage: { place, text } }) => ({ label: place, text })),
    );
    const quote = isOfContract(asked.name) ? sentenceUnit : lineUnit;
    return lines.flatMap((line) => {
      const at = own[line.part]?.at;
      return at === undefined ? [] : quote(line, at, passages, language);
    });
  });
}

const isOfContract = (name: AskedName): boolean => OF_CONTRACTS.some((question) => question.name === name);

/** The sentence of a contract that has the value. */
function sentenceUnit({ start, end }: LabelledLine, passage: number, passages: Passage[], language: string) {
  const shown = plainText(passages[passage]?.text.slice(start, end) ?? '');
  const units = readUnits(passage, passages, language).filter(
    ({ block }) => block.start <= start && block.end >= start,
  );
  const unit = units.find(({ text }) => text.includes(shown)) ?? units[0];
  return unit ? [unit] : [];
}

/** A row is quoted under its header; of prose, the line alone is quoted, of a long one what is around the value. */
function lineUnit({ start, end }: LabelledLine, passage: number, passages: Passage[], language: string): QuoteUnit[] {
  const text = passages[passage]?.text ?? '';
  const units = readUnits(passage, passages, language);
  const unit =
    units.find(({ block }) => block.start <= start && block.end > start) ??
    units.find(({ block: { lead } }) => lead && lead.start <= start && lead.end >= end);
  if (!unit) return [];
  const isHeader = unit.block.start > start;
  if (unit.block.kind === 'row' && !isHeader) return [unit];
  const line = lineAround(text, { start, end });
  const block = { ...unit.block, start, end, kind: isHeader ? unit.block.kind : ('prose' as const) };
  return [{ ...unit, block, lead: '', text: line, sentences: [line], nth: 0 }];
}

const MAX_LINE = 400;

function lineAround(text: string, { start, end }: { start: number; end: number }): string {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const to = next < 0 ? text.length : next;
  const half = (MAX_LINE - (end - start)) / 2;
  const isLong = to - from > MAX_LINE;
  const [first, last] = isLong ? [Math.max(from, start - half), Math.min(to, end + half)] : [from, to];
  return text
    .slice(first, last)
    .replace(first > from ? /^\S*\s/ : /^/, '')
    .replace(last < to ? /\s\S*$/ : /$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
