/** The words that label a value, by kind and language, as data; and the kind that a label names. */

import { CODES, TOTAL_WORD } from '../rules/amounts.ts';

/** What an amount of money is called. `paid`, `change` and `rounding` only prove a total. */
export type MoneyKind = 'total' | 'due' | 'subtotal' | 'tax' | 'rounding' | 'paid' | 'change' | 'other';

type Label<Kind> = { kind: Kind; weight: number; words: RegExp };

const label = <Kind>(kind: Kind, weight: number, ...words: string[]): Label<Kind> => ({
  kind,
  weight,
  words: new RegExp(`(?<![\\p{L}])(?:${anySpelling(words.join('|'))})(?![\\p{L}])`, 'iu'),
});

/** Programs without umlauts write `ae` for `ä`, and text recognition `a`. */
const anySpelling = (words: string): string =>
  words.replaceAll(/[äöü]/g, (letter) => `(?:${letter}|${{ ä: 'a', ö: 'o', ü: 'u' }[letter]}e?)`);

const TAX = 'gst|vat|tax(?:es)?|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|btw|iva|igv|sst|cukai|moms|dph|podatek';
/** Text recognition joins the word with the currency. */
const TOTAL = `${TOTAL_WORD}(?:${CODES})?`;

/** Labels are tried from the top; the first that matches tells the kind. */
const MONEY: readonly Label<MoneyKind>[] = [
  label('other', 0, `${TOTAL} (?:no of )?(?:qty|quantity|items?|pcs|units?|savings?|points?|disc(?:ount)?|weight)`),
  label('other', 0, `${TOTAL} \\d{1,2} \\p{L}+`),
  label('other', 0, 'qty|discounts?|disc|savings?|points?|rabatt|remise|skonto|exchange rate|balance b f|unit price'),
  label('total', 3, `(?:${TOTAL}|amount) (?:after )?round(?:ing|ed)`, `rounded ${TOTAL}`, `${TOTAL} rounded`),
  label('rounding', 0, 'round(?:ing|ed|ng)?', 'rounding adj(?:ustment)?', 'pembundaran', 'rundung', 'arrondi'),
  label(
    'change',
    0,
    'change',
    'change due',
    'cash change',
    'baki',
    'rückgeld',
    'rendu',
    'cambio',
    'resto',
    'wisselgeld',
  ),
  label(
    'total',
    3,
    `${TOTAL} paid (?:with|incl\\w*) ?(?:of )?(?:${TAX})`,
    `(?:${TOTAL}|amount) (?:with|incl\\w*) (?:of )?(?:${TAX}) paid`,
  ),
  label('tax', 2, `(?<!(?:with(?:out)?|before|(?:incl|excl?)\\w*) (?:of )?)(?:${TAX}) paid`),
  label(
    'paid',
    0,
    'cash',
    'gash',
    'tendered',
    'cash received',
    'paid',
    'visa',
    'master(?:card)?',
    '(?:credit |debit )?card',
    'tunai',
  ),
  label('paid', 0, 'payment', 'bar', 'gegeben', 'espèces', 'carte', 'efectivo', 'contanti', 'contant', 'gezahlt'),
  label('other', 0, '(?:erhaltene )?anzahlungen?', 'acompte', 'deposit', 'outstanding before'),
  label('total', 1.6, `net ?${TOTAL}(?: rounded)?`),
  label('subtotal', 2, `sub ?${TOTAL}s?`, 'zwischensumme', 'sous total', 'sub totaal', 'subtotaal', 'subtotale'),
  label(
    'subtotal',
    3,
    `(?:${TOTAL}|amount|sales|price|bedrag|rechnungssumme|summe|betrag).{0,24}(?:excl?\\w*|without|before|ohne|hors|zzgl|sin|senza) ?(?:of )?(?:${TAX})?`,
    'total h ?t',
    'montant (?:eur )?h ?t',
    'net ?(?:amount|value|sales)?',
    'netto\\p{L}*',
    'nettobetrag',
    'steuerbasisbetrag',
    'basisbetrag',
    'imponibile',
    'base imponible',
    'grondslag',
    'wartość netto',
    'taxable (?:amount|value)',
    'jumlah kecil',
  ),
  label(
    'total',
    3,
    `(?:${TOTAL}|amount|sales|bedrag|betrag|summe|importe|totale).{0,28}(?:incl?\\w*|inclusive|inkl|including|ink1|con|after|with|ttc) ?(?:of )?(?:${TAX})?`,
    `(?:${TAX}) incl\\w*`,
    'total ttc',
    't ?t ?c',
  ),
  label(
    'tax',
    3,
    `${TOTAL} (?:${TAX})`,
    'total taxes',
    'steuerbetrag',
    'steuersumme',
    'total tva',
    'totale iva',
    'btw bedrag',
  ),
  label('tax', 2, `(?:${TAX}) (?:payable|amount|betrag|total)`, `(?:${TAX})`, '\\p{L}*steuer', 'kwota vat'),
  label(
    'total',
    3,
    `grand ${TOTAL}`,
    'gross(?: amount| total| sum)?',
    `${TOTAL} (?:amount )?(?:payable|invoice)`,
    `invoice ${TOTAL}`,
    'gesamtbetrag',
    'gesamtsumme',
    'rechnungsbetrag',
    'endbetrag',
    'endsumme',
    'brutto\\p{L}*',
    'total (?:de la )?factur[ae]',
    'montant total',
    'importe total',
    'total a pagar',
    'totale (?:fattura|documento|da pagare)',
    'totaalbedrag',
    'factuur totaal',
    'valor total',
    'total geral',
    'jumlah besar',
    'należność ogółem',
    'total for this invoice',
  ),
  label(
    'due',
    2.4,
    '(?:total )?amount (?:due|payable)',
    'balance due',
    `${TOTAL} due`,
    'zahlbetrag',
    'zu zahlen\\p{L}*',
    'zahlungsbetrag',
    'net à payer',
    'somme à payer',
    'solde à payer',
    'te betalen',
    'do zapłaty',
    'saldo',
    'payable',
    'balance',
  ),
  label('due', 1.6, 'due'),
  label('total', 2, `${TOTAL}s?`, 'summe', 'totaal', 'totale', 'razem', 'jumlah', 'suma', 'somme', 'gesamt'),
  label(
    'total',
    1,
    'amount',
    'betrag',
    'montant',
    'importe',
    'importo',
    'bedrag',
    'kwota',
    '(?:net )?sales',
    'wartość brutto',
  ),
];

/** Marks are spaces in a label. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\d]+/gu, ' ').trim();

const MAX_LABEL = 120;

export const moneyKindOf = (text: string): Label<MoneyKind> | undefined => {
  const words = plain(text.slice(-MAX_LABEL));
  return MONEY.find((one) => one.words.test(words));
};

export type DateKind = 'issue' | 'due' | 'other';

const DATES: readonly Label<DateKind>[] = [
  label(
    'due',
    3,
    'due(?: date)?',
    'due on',
    'date due',
    'pay(?:able|ment)? (?:due|by|before|until)(?: date)?',
    'fällig\\p{L}*(?: am| bis)?',
    'zahlbar bis',
    'zahlungsziel',
    '(?:netto|zahlung) bis',
    'zu zahlen bis',
    'd échéance',
    'échéance',
    'date limite(?: de paiement)?',
    'à payer avant',
    'vervaldatum',
    'uiterste betaaldatum',
    'betalen voor',
    'scadenza',
    'data scadenza',
    '(?:fecha de )?vencimiento',
    '(?:data de )?vencimento',
    'termin płatności',
    'tarikh akhir',
    'prélèvement à partir du',
  ),
  label(
    'other',
    0,
    'date de (?:la )?facture (?:associée|d origine|initiale|précédente)',
    '(?:related|preceding|original|corrected) invoice date',
    '(?:delivery|order|ship(?:ping|ped|ment)?|birth|period|start|end|expir\\p{L}*|valid|from|until|service|purchase|return|due|print(?:ed)?|closed|check ?(?:in|out)|contract|policy|supply|signature|arrival|departure|p o) ?(?:date)?',
    'liefer\\p{L}*(?: und leistungsdatum)?',
    'leistungs\\p{L}*',
    'bestell\\p{L}*',
    'auftrags?\\p{L}*',
    'lieferschein\\p{L}*',
    'bestellung',
    'abschluss\\p{L}*',
    'date de (?:livraison|commande|naissance)',
    'commande',
    'aankoopdatum',
    'besteldatum',
    'leverdatum',
    'fecha de (?:entrega|pedido|nacimiento)',
    'sprzedaży',
    'skonto',
    'geboren',
    'stand',
    'version',
    'versand\\p{L}*',
  ),
  label(
    'issue',
    3,
    '(?:invoice|bill|issue|receipt|document|statement|billing|transaction|tax) date',
    'date of (?:the )?(?:invoice|issue|receipt|bill)',
    'issued(?: on)?',
    'rechnungsdatum',
    'belegdatum',
    'ausstellungsdatum',
    'datum der rechnung',
    'date (?:de )?(?:la )?factur\\p{L}*',
    'date d émission',
    'fecha de (?:la )?(?:factura|emisión|expedición)',
    'data (?:della )?(?:fattura|fatura|emissione)',
    'data (?:de )?emissão',
    'data wystawienia',
    'factuur ?datum',
    '\\p{L}*overzichtdatum',
    'tarikh invois',
  ),
  label('issue', 2, 'date', 'datum', 'fecha', 'data', 'tarikh', 'dated', 'dt'),
];

export const dateKindOf = (text: string): Label<DateKind> | undefined => {
  const words = plain(text.slice(-MAX_LABEL));
  return DATES.find((one) => one.words.test(words));
};

const INVOICE =
  '(?:(?:tax|retail|commercial|vat) )?invoice|credit note|pro ?forma|\\p{L}*rechnung|rechnungskorrektur|gutschrift|facture|avoir|factura|fattura|factuur|fatura|faktura|invois';
const NUMBER = 'number|num|no|nr|nummer|num[ée]ro|n[úu]mero|n[úu]m|nro|id|#|n[°º]|n';

/** A label for the number of an invoice or a credit note, and with less weight of another document of sale. */
export const NUMBER_LABELS: readonly { weight: number; words: string }[] = [
  { weight: 3, words: `(?:${INVOICE})s?[ -]{0,2}(?:\\([\\p{L}\\d]{1,6}\\) ?)?(?:${NUMBER})\\.?` },
  { weight: 3, words: `(?:${INVOICE})s?(?:nummer|nr\\.?)` },
  {
    weight: 3,
    words: `(?:num[ée]ro|n[°º]|n[úu]mero|no\\.|number) (?:de |del |della |of )?(?:the |la )?(?:${INVOICE})`,
  },
  {
    weight: 2,
    words: `(?:inv|bill|receipt|document|doc|slip|\\p{L}*overzicht|beleg|reçu|recibo|bon|kwit)[ .-]{0,2}(?:${NUMBER})\\.?`,
  },
  { weight: 1.5, words: `(?:${INVOICE})` },
];
