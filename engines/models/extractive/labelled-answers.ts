/** Answers questions about the labelled values of a bill or a contract, such as the amount due or the term, by quoting where they stand. */

import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import { isTable, type Passage, plainText, type QuoteUnit, readUnits } from './passages.ts';
import { asksHowMuch, type QuestionPart } from './prompt.ts';
import { termsOf } from './terms.ts';
import { fold, stem, wordsOf } from './words.ts';

/** Where a value stands: the line that says it, by its position in the text of a part. */
type LabelledLine = { part: number; start: number; end: number; value: string };
/** The values of a labelled rule in a document: the best one, or each party of a contract. Empty without enough evidence. */
export type FindLabelled = (
  name: LabelledName,
  parts: readonly { label: string; text: string }[],
) => readonly LabelledLine[];

const word = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'u');

const TAX = word('vat|tax|gst|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva');
const NET = word(
  'net(?! (?:payer|a payer))|subtotal|netto\\w*|zwischensumme|hors taxes?|ht|neto|base imponible|imponibile|excluding|without|before|excl|ohne|senza|sin',
);
const NUMBER =
  /(?<!\p{L})(?:(?:number|no|id) of (?:the |this )?(?:invoice|bill)|(?:invoice|bill) (?:number|no)|rechnungsnummer|nummer der rechnung|numero (?:de|della|di) (?:la )?(?:facture|factura|fattura))(?!\p{L})/u;
const ISSUED =
  /(?<!\p{L})(?:(?:invoice|bill|issue) date|date of (?:the |this )?(?:invoice|bill|issue)|rechnungsdatum|datum der rechnung|(?:date|fecha|data) (?:de|d|della|di) (?:la )?(?:facture|factura|fattura|emission|emissione))(?!\p{L})/u;
const DUE = word('due|fallig\\w*|vence|scade|echeance|vencimiento|scadenza');
const PAYS =
  /(?<!\p{L})(?:due|owed?|pay|paid|payable|total|fallig\w*|zahlen|bezahlen|gesamt\w*|payer|regler|du|pagar|pagare|totale)(?!\p{L})/u;

const LAW = word(
  'govern\\w*|jurisdiction|(?:which|what|whose|applicable) law|(?:welches|anwendbares) recht|gerichtsstand|(?:quel|quelle) (?:droit|loi)|(?:droit|loi) applicable|(?:que )?ley(?: aplicable)?|(?:quale )?legge(?: applicabile)?|foro competente',
);
const PARTIES = word(
  '(?:who|which|what) (?:are|is) the (?:contracting |contractual )?part(?:y|ies)|between (?:whom|which)|contract(?:ing|ual) parties|vertragspartner|(?:vertrags)?parteien|zwischen wem|(?:les )?parties au|entre qui|(?:las )?partes|entre quienes|(?:le )?parti (?:del|dell)|tra chi',
);
const MADE =
  /(?<!\p{L})effective date|(?<!\p{L})(?:when|what date|which day)(?!\p{L}).*(?:made|signed|concluded|dated|entered into|executed|effective)|date of (?:the |this )?(?:agreement|contract|deed)|vertragsdatum|datum des vertrags|(?<!\p{L})wann(?!\p{L}).*(?:abgeschlossen|geschlossen|unterzeichnet|unterschrieben)|date (?:d.effet|du contrat)|(?<!\p{L})quand(?!\p{L}).*(?:conclu|signe)|fecha (?:efectiva|del contrato)|cuando.*(?:firm|celebr)|data (?:del contratto|di stipula)|quando.*(?:firmat|stipulat|conclus)/u;
const TERM = word(
  'how long|(?:until|till) when|terms?|duration|expir\\w*|when does .* (?:end|terminate)|laufzeit|vertragsdauer|wie lange|bis wann|duree|jusqu.a quand|combien de temps|duracion|cuanto (?:tiempo )?dura|hasta cuando|durata|quanto dura|fino a quando',
);

/** What is asked about a contract; a bill has none of it. */
function contractNameAsked(folded: string): LabelledName | undefined {
  if (LAW.test(folded)) return 'jurisdiction';
  if (PARTIES.test(folded)) return 'contract_parties';
  if (MADE.test(folded)) return 'effective_date';
  return TERM.test(folded) ? 'term' : undefined;
}

/** What questions call a contract and these values. */
const KNOWN_OF_CONTRACTS = new Set(
  `agreement contract deed document letter nda non disclosure nondisclosure confidentiality confidential mutual lease employment service
   party parties contracting contractual term duration length long run last valid validity expire expiry expiration end terminate force
   effective effect date day made make sign enter into conclude execute time period law govern governing apply applicable jurisdiction
   state country court name
   vertrag vereinbarung mietvertrag arbeitsvertrag geheimhaltungsvereinbarung laufzeit vertragsdauer dauer dauert lauft gilt gultig endet ende
   recht anwendbar anwendbares gerichtsstand welches vertragspartner vertragsparteien parteien abgeschlossen geschlossen unterzeichnet
   unterschrieben datum vertragsdatum
   contrat accord bail duree valable dure prend fin droit loi applicable regit partie conclu signe date effet
   contrato acuerdo duracion vigente vigencia dura termina ley aplicable rige partes firmado firmo celebrado fecha efectiva
   contratto accordo durata valido dura termina legge applicabile regola parti firmato stipulato data`
    .split(/\s+/)
    .map(stem),
);

function nameAsked({ text, hint }: QuestionPart): { name: LabelledName; known: Set<string> } | undefined {
  const folded = fold(text.normalize('NFC'));
  const ofBill = billNameAsked({ text, hint }, folded);
  if (ofBill) return { name: ofBill, known: KNOWN };
  const ofContract = contractNameAsked(folded);
  return ofContract && { name: ofContract, known: KNOWN_OF_CONTRACTS };
}

function billNameAsked({ text, hint }: QuestionPart, folded: string): LabelledName | undefined {
  if (NUMBER.test(folded)) return 'invoice_number';
  if (hint === 'due') return 'due_date';
  if (hint === 'date') return ISSUED.test(folded) ? 'issue_date' : DUE.test(folded) ? 'due_date' : undefined;
  if (!asksHowMuch(text) && !(hint === 'amount' && PAYS.test(folded))) return undefined;
  if (NET.test(folded)) return 'subtotal';
  return TAX.test(folded) && !INCLUDED.test(folded) ? 'tax' : 'total';
}

const INCLUDED = word('incl\\w*|inkl\\w*|with|mit|ttc|con|avec|brutto\\w*|gross');

/** What questions call a bill and its values; a further word may ask for something else, such as one item of many. */
const KNOWN = new Set(
  `invoice bill receipt document paper statement amount total sum balance price pay paid payment payable due owe owed outstanding
   gross net subtotal final grand overall incl including inclusive excl excluding without vat tax gst charge cost altogether
   date day time deadline latest settle money number issue billing
   rechnung rechnungsbetrag gesamtbetrag endbetrag bruttobetrag nettobetrag zahlbetrag betrag summe gesamtsumme zwischensumme zahlen
   bezahlen bezahlt zahlung fallig falligkeit falligkeitsdatum zahlungsziel hoch brutto netto kosten kostet gesamt beleg quittung
   insgesamt mwst ust umsatzsteuer mehrwertsteuer inklusive rechnungsnummer nummer rechnungsdatum datum spatestens tag enthalten
   facture montant somme payer paye regler paiement reglement echeance ttc ht hors taxe tva inclus recu limite jour numero
   factura importe suma monto pagar recibo vence vencimiento pago fecha limite iva neto base imponible impuesto incluido dia emision
   da del della al fattura importo totale somma pagare ricevuta scade scadenza pagamento entro data imponibile giorno emissione netto`
    .split(/\s+/)
    .map(stem),
);

const MAX_SOURCES = 5;
const MAX_CHARACTERS = 200_000;

/** The lines that answer one question, for each document; empty if it asks for no labelled value, or for more. */
export function labelledUnits(
  part: QuestionPart,
  passages: Passage[],
  { language, find }: { language: string; find: FindLabelled | undefined },
): QuoteUnit[] {
  const asked = find && nameAsked(part);
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
    if (length > MAX_CHARACTERS || own.every(({ passage }) => isTable(passage))) return [];
    const lines = find(
      asked.name,
      own.map(({ passage: { place, text } }) => ({ label: place, text })),
    );
    const quote = asked.known === KNOWN ? lineUnit : sentenceUnit;
    return lines.flatMap((line) => {
      const at = own[line.part]?.at;
      return at === undefined ? [] : quote(line, at, passages, language);
    });
  });
}

/** The sentence of a contract that has the value. */
function sentenceUnit({ start, end }: LabelledLine, passage: number, passages: Passage[], language: string) {
  const shown = plainText(passages[passage]?.text.slice(start, end) ?? '');
  const units = readUnits(passage, passages, language).filter(
    ({ block }) => block.start <= start && block.end >= start,
  );
  const unit = units.find(({ text }) => text.includes(shown)) ?? units[0];
  return unit ? [unit] : [];
}

/** A row is quoted under its header; of prose, the line alone is quoted. */
function lineUnit({ start, end }: LabelledLine, passage: number, passages: Passage[], language: string): QuoteUnit[] {
  const unit = readUnits(passage, passages, language).find(({ block }) => block.start <= start && block.end >= end);
  if (!unit || unit.block.kind === 'row') return unit ? [unit] : [];
  const text = passages[passage]?.text ?? '';
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  const line = text
    .slice(from, to < 0 ? text.length : to)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_LINE);
  const block = { ...unit.block, kind: 'prose' as const };
  return [{ ...unit, block, lead: '', text: line, sentences: [line], nth: 0 }];
}

const MAX_LINE = 400;
