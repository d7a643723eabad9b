/** What the terms of payment say of a date or a number of days: the whole is due then, or only less a discount. */

import { type Line, type Paper, spansOf, type TextSpan } from './lines.ts';

const DISCOUNT =
  /(?<!\p{L})(?:discount\p{L}*|skonto|skt|rabatt|escompte|sconto|descuento|desconto|korting|skonta|early payment)(?!\p{L})/iu;
const WHOLE =
  /(?<!\p{L})(?:(?:without|no|ohne|kein|sans|senza|sin|sem|zonder|utan|uden|uten|bez) (?:any |jeden |jeglichen )?(?:deductions?|discount|abzug|abzüge|skonto|escompte|déduction|sconto|descuento|desconto|korting|avdrag|fradrag|potrąceń)|net|netto|nets?)(?!\p{L})/iu;
/** Terms stand in a short sentence. */
const MAX_TERM = 200;

export type Due = 'whole' | 'less discount' | undefined;

/** What the words around a date say: those behind it up to the next date, or else those before it. */
export function dueBy(before: string, behind: string): Due {
  for (const text of [behind.slice(0, MAX_TERM), before.slice(-MAX_TERM)]) {
    if (WHOLE.test(text)) return 'whole';
    if (DISCOUNT.test(text)) return 'less discount';
  }
  return undefined;
}

/** Whether the row of a cell has a value in the column of discounts. */
export const isDiscountRow = ({ cells = [], head = [] }: Line): boolean =>
  head.some(({ text }, column) => DISCOUNT.test(text) && /\d/.test(cells[column]?.text ?? ''));

const PAYMENT =
  /(?<!\p{L})(?:payment|payable|pay|due|terms?|zahl\p{L}*|fällig\p{L}*|net|netto|règlement|paiement|payer|pago|pagar|pagamento|pagare|pagável|betal\p{L}*|płatn\p{L}*|zapłat\p{L}*|splatn\p{L}*|maksu\p{L}*)(?!\p{L})/iu;
const DAYS =
  /(?<![\p{L}\d]|\d[.,])(?<days>\d{1,3}) ?(?:calendar |kalender)?(?:days?|tagen?|jours?|giorni|días|dias|dagen|dni|dagar|dager|dage|dnů|päivää)(?!\p{L})|(?<!\p{L})net(?:to)?[ -](?<net>\d{1,3})(?![\p{L}\d]| ?%|[.,]\d)/giu;
/** Days that are counted from something else, or to something else than the payment. */
const OTHER =
  /(?<!\p{L})(?:after|nach|après|dopo|late|overdue|arrears|in verzug|verzugs\p{L}*|receipt|delivery|erhalt|eingang|lieferung|réception|ricevimento|recepción|ontvangst|completion|retard|end of|eom|fin de mois|monatsende|fine mese|fin de mes|return\p{L}*|refund\p{L}*|cancel\p{L}*|complain\p{L}*|widerruf\p{L}*|rückgabe|reklamation\p{L}*|warranty|garantie|object\p{L}*|dispute\p{L}*|interest|zinsen|valid\p{L}*|gültig\p{L}*)(?!\p{L})/iu;
const MAX_DAYS = 180;

type DaysOfPayment = { line: Line; from: number; start: number; end: number; days: number; isWhole: boolean };

/** The days within which the whole is to be paid, counted from the date of the invoice: `Net 30`, `zahlbar binnen 14 Tagen`. */
export const daysOfPayment = ({ lines }: Paper): DaysOfPayment[] =>
  lines.flatMap((line, at) => {
    const above = lines[at - 1]?.text.slice(0, MAX_TERM) ?? '';
    return spansOf(line).flatMap((span, column) => daysIn(line, span, column === 0 ? above : line.cells?.[0]?.text));
  });

function daysIn(line: Line, { text, start: from }: TextSpan, context = ''): DaysOfPayment[] {
  let start = 0;
  return text
    .slice(0, 10 * MAX_TERM)
    .split(/(?<=[;,\n]|\p{L}\. )/u)
    .flatMap((clause) => {
      const at = start;
      start += clause.length;
      const isTerm = clause.length <= MAX_TERM && !OTHER.test(clause) && PAYMENT.test(`${context} ${clause}`);
      const isWhole = WHOLE.test(clause);
      if (
        !isTerm ||
        (!isWhole && (DISCOUNT.test(`${clause} ${text.slice(start, start + 40)}`) || clause.includes('%')))
      )
        return [];
      return Array.from(clause.matchAll(DAYS)).flatMap((found): DaysOfPayment[] => {
        const days = Number(found.groups?.days ?? found.groups?.net);
        const place = { start: at + found.index, end: at + found.index + found[0].length };
        return days > 0 && days <= MAX_DAYS ? [{ line, from, ...place, days, isWhole }] : [];
      });
    });
}
