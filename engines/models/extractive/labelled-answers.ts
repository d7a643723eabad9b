/** Answers questions about the labelled values of a bill, such as the amount due, by quoting the line of the value. */

import type { LabelledName } from '../../../shared/agents/rule-names.ts';
import { isTable, type Passage, type QuoteUnit, readUnits } from './passages.ts';
import { asksHowMuch, type QuestionPart } from './prompt.ts';
import { termsOf } from './terms.ts';
import { fold, stem, wordsOf } from './words.ts';

/** Where a value stands: the line that says it, by its position in the text of a part. */
type LabelledLine = { part: number; start: number; end: number; value: string };
/** The best value of a labelled rule in a document; undefined without enough evidence. */
export type FindLabelled = (
  name: LabelledName,
  parts: readonly { label: string; text: string }[],
) => LabelledLine | undefined;

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

function nameAsked({ text, hint }: QuestionPart): LabelledName | undefined {
  const folded = fold(text.normalize('NFC'));
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

/** The lines that answer one question, one for each document; empty if it asks for no labelled value, or for more. */
export function labelledUnits(
  part: QuestionPart,
  passages: Passage[],
  { language, find }: { language: string; find: FindLabelled | undefined },
): QuoteUnit[] {
  const name = find && nameAsked(part);
  if (!find || !name) return [];
  const others = termsOf(part.text).filter((term) => !KNOWN.has(term.word));
  const sources = [...new Set(passages.map(({ source }) => source))].filter((source) =>
    others.every((term) => wordsOf(source).map(stem).includes(term.word)),
  );
  if (sources.length > MAX_SOURCES) return [];
  return sources.flatMap((source) => {
    const own = passages.flatMap((passage, at) => (passage.source === source ? [{ passage, at }] : []));
    const length = own.reduce((sum, { passage }) => sum + passage.text.length, 0);
    // Rows of data have no label of their own: their totals are counted.
    if (length > MAX_CHARACTERS || own.every(({ passage }) => isTable(passage))) return [];
    const line = find(
      name,
      own.map(({ passage: { place, text } }) => ({ label: place, text })),
    );
    const at = line && own[line.part]?.at;
    return line && at !== undefined ? lineUnit(line, at, passages, language) : [];
  });
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
