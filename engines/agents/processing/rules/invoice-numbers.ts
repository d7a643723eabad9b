/** Numbers of invoices and credit notes: what stands behind their name, on its line or in the cell beside or below it. */
import { dates } from './dates.ts';
import { tablesIn } from './markdown-tables.ts';
import { apart, matchesOf, type Rule, type RuleMatch } from './match.ts';

const NAMES =
  'invoice|tax invoice|credit note|proforma|bill|rechnung|rechnungs|gutschrift|facture|avoir|factura|fattura|factuur|factuur|fatura|faktura';
const NUMBER_WORD = 'number|num|no|nr|nummer|num[ée]ro|n[úu]mero|n[úu]m|numero|id|ref|reference|#|n[°ºr]|n';
const TOKEN = '(?=[\\p{L}\\d/._-]*\\d)[\\p{L}\\d](?:[\\p{L}\\d/._-]{0,30}[\\p{L}\\d])';
const NAMED = new RegExp(
  `(?<!\\p{L})(?:(?:${NAMES})(?:[ -]?(?:${NUMBER_WORD})(?!\\p{L})\\.?)?|(?:num[ée]ro|n[°º]|n[úu]mero|no\\.|number) (?:de |del |della |of )?(?:the )?(?:${NAMES}))[ \\t\\u00a0:.#*|-]{1,8}(?:(?:no|nr|n[°º]|number)\\.?[ :]{0,2})?(?<number>${TOKEN})(?![\\p{L}\\d])`,
  'giu',
);
const HEAD = new RegExp(
  `^(?:(?:${NAMES})(?:[ -]?(?:${NUMBER_WORD})\\.?)?|(?:num[ée]ro|n[°º]|n[úu]mero) (?:de |del )?(?:${NAMES}))$`,
  'iu',
);
const WHOLE = new RegExp(`^${TOKEN}$`, 'u');

const NO_HABITS = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };
const LEAST = 3;

export const invoiceNumbers: Rule = (text) =>
  apart([...matchesOf(NAMED, text, ({ number = '' }) => read(number)).map(inner), ...inTables(text)]);

/** A date behind the word is a date; so is an amount with cents. */
function read(token: string): Pick<RuleMatch, 'value'> | undefined {
  const isOther =
    dates(token, NO_HABITS).some(({ start, end }) => start === 0 && end === token.length) ||
    /^\d+[.,]\d\d$/.test(token);
  return isOther || token.length < LEAST || /^(?:19|20)\d\d$/.test(token) ? undefined : { value: token };
}

const inner = (match: RuleMatch): RuleMatch => ({ ...match, start: match.end - match.value.length });

function inTables(text: string): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const columns = head.cells.flatMap(({ text: name }, at) => (HEAD.test(name) ? [at] : []));
    return [head, ...rows].flatMap(({ cells }, row) =>
      cells.flatMap(({ text: cell, start, end }, at): RuleMatch[] => {
        const isNamed = (row > 0 && columns.includes(at)) || HEAD.test(cells[at - 1]?.text.replace(/:$/, '') ?? '');
        const value = isNamed && WHOLE.test(cell) ? read(cell) : undefined;
        return value ? [{ start, end, ...value }] : [];
      }),
    );
  });
}
