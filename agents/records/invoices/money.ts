/** Total, subtotal, tax and currency: amounts by their label, proved by arithmetic. */

import { amounts, NUMBER, plainNumber, TOTAL_WORD } from '../../values/amounts.ts';
import { CODES, CURRENCY_BEFORE, currencyOf } from '../../values/currencies.ts';
import {
  type Candidate,
  candidateAt,
  candidateConfidence,
  type Line,
  oncePerDocument,
  type ParsedDocument,
  spansOf,
  type TextSpan,
} from '../matching/parsed-document.ts';
import { CURRENCY_LABEL, type MoneyKind, moneyKindOf, TAX_SUMMARY } from './labels.ts';

const SPACE = '[ \\u00a0\\u202f]';
/** Text recognition puts a space behind the decimal point: `5. 83`. */
const SPACED = '\\d{1,6}[.,] \\d\\d(?!\\d)';
/** A code may be joined with the word before it or the number: `TOTALGBP 12.00`, `12.00EUR`. */
const AFTER_TOTAL = `(?<=[l1iLI])(?=(?:${CODES})${SPACE}{0,2}[-−]?\\d)(?<=(?<!\\p{L})(?i:${TOTAL_WORD}))`;
const CODE_BEHIND = `(?:${CODES})(?![\\p{L}\\d])`;
const AMOUNT = new RegExp(
  `(?:(?<![\\p{L}\\d.,/:#@_-])|${AFTER_TOTAL})(?:(?<before>${CURRENCY_BEFORE})\\.?${SPACE}{0,2})?(?<sign>[-−])?(?<number>${SPACED}|${NUMBER})(?![\\d%/:]|${SPACE}?%|[.,-]\\d|(?!${CODE_BEHIND})\\p{L}{2})(?:${SPACE}?(?<after>${CURRENCY_BEFORE})(?![\\p{L}\\d]))?`,
  'giu',
);
const MAX_STRETCH = 1_500;

export const total = (parsed: ParsedDocument): Candidate[] => withCurrency(parsed, scoredAmounts(parsed).total);
export const subtotal = (parsed: ParsedDocument): Candidate[] => withCurrency(parsed, scoredAmounts(parsed).subtotal);
export const tax = (parsed: ParsedDocument): Candidate[] => withCurrency(parsed, scoredAmounts(parsed).tax);

/** The currency that the document's amounts have: by its name, beside amounts, or in the heads of columns. */
export const currency = oncePerDocument((parsed): Candidate[] => {
  const signs = parsed.lines.flatMap((line) => spansOf(line).flatMap((span) => votesIn(parsed, line, span)));
  const votes = signs.length > 0 ? signs : parsed.lines.flatMap((line) => wordsIn(parsed, line));
  const sum = votes.reduce((scoreSum, { score }) => scoreSum + score, 0);
  const best = new Map<string, Candidate>();
  const counts = new Map<string, number>();
  for (const vote of votes) {
    counts.set(vote.value, (counts.get(vote.value) ?? 0) + vote.score);
    if (vote.score > (best.get(vote.value)?.score ?? 0)) best.set(vote.value, vote);
  }
  return [...best.values()].map((candidate) => {
    const share = (counts.get(candidate.value) ?? 0) / sum;
    return { ...candidate, score: share >= 0.6 ? 1.5 + 2 * share : share };
  });
});

const best = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.toSorted((a, b) => b.score - a.score)[0];

const CODE = new RegExp(
  `(?:(?<![\\p{L}\\d])|${AFTER_TOTAL})(?:${CURRENCY_BEFORE})(?![\\p{L}])|(?<=\\d)${CODE_BEHIND}|€|£|US Dollars?|US\\$`,
  'gu',
);
/** A code beside a number, in a head of a column, or in brackets counts; anywhere else a code may be another word. */
const BESIDE = /[\d)(]\s?$|^\s?[-−]?[\d)(]/;
const MAX_READ = 2_000;

/** Without a sign or a code, the words behind amounts tell: `1,214.80 euros`. */
const wordsIn = ({ locale }: ParsedDocument, line: Line): Candidate[] =>
  amounts(line.text.slice(0, MAX_READ), locale).flatMap(({ start, end, more }) => {
    const code = more?.currency;
    const evidence = { score: 1, reason: 'beside amounts' };
    return typeof code === 'string' ? [candidateAt(line, { start, end, value: code }, evidence)] : [];
  });

type Amount = {
  start: number;
  end: number;
  number: number;
  value: string;
  currency: string | undefined;
  cents: boolean;
};

function amountsIn(text: string, crowns: string | undefined): Amount[] {
  return Array.from(text.slice(0, MAX_STRETCH).matchAll(AMOUNT)).flatMap((match) => {
    const { before, after, sign, number = '' } = match.groups ?? {};
    const plain = plainNumber(number.replace(/([.,]) /, '$1'));
    if (plain === undefined || plain.replace(/\..*/, '').length > 9) return [];
    const written = before ?? after;
    const currency = written === undefined ? undefined : currencyOf(written, crowns);
    const cents = /[.,] ?\d\d$/.test(number);
    const value = `${sign ? '-' : ''}${Number(plain).toFixed(2)}`;
    const start = match.index + match[0].search(/[-−\d]/);
    return [{ start, end: match.index + match[0].trimEnd().length, number: Number(value), value, currency, cents }];
  });
}

type Entry = { kind: MoneyKind; weight: number; reason: string; line: Line; from: number; amount: Amount; at: number };

const SUMMARY_LINES = 7;

/** Every amount with a label: right of it, left of it, below it, or by the head of its column. */
function entriesOf({ lines, locale }: ParsedDocument): Entry[] {
  let summary = 0;
  return lines.flatMap((line, at): Entry[] => {
    summary =
      TAX_SUMMARY.test(line.text) && !line.cells ? SUMMARY_LINES : line.isHeading ? 0 : Math.max(0, summary - 1);
    const less = summary > 0 ? 2 : 0;
    const entries = line.cells ? inRow(line, at, locale.crowns) : inLine(lines, at, locale.crowns);
    return entries.map((entry) => ({ ...entry, weight: entry.weight - less }));
  });
}

function inLine(lines: readonly Line[], at: number, crowns: string | undefined): Entry[] {
  const line = lines[at] as Line;
  const amountsOnLine = withoutBases(line.text, amountsIn(line.text, crowns));
  const last = amountsOnLine.at(-1);
  const from = line.start;
  if (!last) return below(lines, at, crowns);
  const several = inRunOn(line, at, amountsOnLine);
  if (several.length > 1) return several;
  const triple = grossNetTax(amountsOnLine);
  const firstAmount = amountsOnLine[0] as Amount;
  const before = line.text.slice(0, firstAmount.start);
  const label = moneyKindOf(before.trimEnd().split(/ {3,}/).at(-1) ?? '') ?? moneyKindOf(before);
  if (triple && (label ?? moneyKindOf(line.text.slice(last.end)))?.kind === 'total')
    return triple.map(([kind, amount]) => ({
      kind,
      weight: 2.5,
      reason: 'net, tax and gross in one row',
      line,
      from,
      amount,
      at,
    }));
  if (label) return [{ ...label, reason: labelled(before), line, from, amount: last, at }];
  const between = line.text.slice(0, last.start);
  const inner = amountsOnLine.length > 1 ? moneyKindOf(between) : undefined;
  if (inner) return [{ ...inner, weight: inner.weight - 0.5, reason: labelled(between), line, from, amount: last, at }];
  const behind = line.text.slice(firstAmount.end);
  const after = amountsOnLine.length === 1 && before.trim().length < 3 ? moneyKindOf(behind) : undefined;
  return after
    ? [
        {
          ...after,
          weight: after.weight - 0.5,
          reason: `left of "${short(behind)}"`,
          line,
          from,
          amount: firstAmount,
          at,
        },
      ]
    : [];
}

/** An amount in brackets before another one says what that was computed on: `VAT 19 % (100.00 EUR): 19.00 EUR`. */
const withoutBases = (text: string, amountsOnLine: readonly Amount[]): Amount[] =>
  amountsOnLine.filter(
    ({ start, end }, nth) =>
      nth === amountsOnLine.length - 1 ||
      !(/\([^()]*$/.test(text.slice(Math.max(0, start - 20), start)) && /^[^()]{0,8}\)/.test(text.slice(end, end + 9))),
  );

/** A reader may join lines: `Subtotal 100.00 VAT 20.00 Total 120.00`. Each amount has the label right before it. */
const inRunOn = (line: Line, at: number, amountsOnLine: readonly Amount[]): Entry[] =>
  amountsOnLine.flatMap((amount, nth): Entry[] => {
    const gap = line.text.slice(amountsOnLine[nth - 1]?.end ?? 0, amount.start);
    const kind = amount.cents && /\p{L}{3}/u.test(gap) ? moneyKindOf(gap.slice(-40)) : undefined;
    return kind ? [{ ...kind, reason: labelled(gap), line, from: line.start, amount, at }] : [];
  });

/** A row such as `24.99 5.00 29.99`, in any order: two amounts and their sum. */
function grossNetTax(amountsOnLine: readonly Amount[]): [MoneyKind, Amount][] | undefined {
  const [gross, net, tax] = amountsOnLine.slice(-3).toSorted((a, b) => b.number - a.number);
  if (!gross || !net || !tax || tax.number === 0 || Math.abs(net.number + tax.number - gross.number) > 0.011)
    return undefined;
  return [
    ['total', gross],
    ['subtotal', net],
    ['tax', tax],
  ];
}

/** A label alone on its line names the amount on the next one. */
function below(lines: readonly Line[], at: number, crowns: string | undefined): Entry[] {
  const [line, next] = [lines[at] as Line, lines[at + 1]];
  if (!next || next.cells || line.text.length > 60) return [];
  const [only, ...otherAmounts] = amountsIn(next.text, crowns);
  if (!only || otherAmounts.length > 0 || next.text.slice(0, only.start).trim().length > 4) return [];
  const kind = moneyKindOf(line.text);
  return kind
    ? [
        {
          ...kind,
          weight: kind.weight - 0.5,
          reason: `below "${short(line.text)}"`,
          line: next,
          from: next.start,
          amount: only,
          at: at + 1,
        },
      ]
    : [];
}

type Cell = { amount: Amount; start: number; column: number };

function inRow(line: Line, at: number, crowns: string | undefined): Entry[] {
  const cells = line.cells ?? [];
  const amountCells = cells.flatMap(({ text, start }, column): Cell[] => {
    const amount = amountsIn(text, crowns).at(-1);
    return amount && amount.end - amount.start + 8 >= text.length ? [{ amount, start, column }] : [];
  });
  const last = amountCells.at(-1);
  if (!last) return [];
  const name = cells
    .flatMap(({ text }, column) => (amountCells.some((cell) => cell.column === column) ? [] : [text]))
    .join(' ');
  const label = moneyKindOf(name);
  const columns = inColumns(line, at, amountCells);
  const isSum =
    label?.kind === 'total' ||
    (line.isLastRow === true && (name.trim() === '' || columns.some(({ kind }) => kind === 'tax')));
  const sums = amountCells.filter(({ column }) => moneyKindOf(line.head?.[column]?.text ?? '')?.kind !== 'other');
  const triple = isSum && sums.length > 2 ? grossNetTax(sums.map(({ amount }) => amount)) : undefined;
  if (triple) {
    const reason = 'net, tax and gross in one row';
    const startOf = (amount: Amount) => amountCells.find((cell) => cell.amount === amount)?.start ?? last.start;
    return triple.map(([kind, amount]) => ({ kind, weight: 2.5, reason, line, from: startOf(amount), amount, at }));
  }
  if (!label) return isSum ? columns.map((entry) => ({ ...entry, weight: entry.weight - 0.5 })) : [];
  // Under the heads of a table, the total of the taxes is not the total.
  const isOwn = ({ column }: Cell) => (moneyKindOf(line.head?.[column]?.text ?? '')?.kind ?? 'total') === 'total';
  const sum = (label.kind === 'total' ? amountCells.findLast(isOwn) : undefined) ?? last;
  const parts = columns.filter(({ kind, amount }) => kind !== 'total' && amount !== sum.amount);
  const rowEntry = { ...label, reason: labelled(name), line, from: sum.start, amount: sum.amount, at };
  return label.kind === 'total' ? [rowEntry, ...parts] : [rowEntry];
}

/** The amounts of a row by the heads of their columns. */
const inColumns = (line: Line, at: number, cells: readonly Cell[]): Entry[] =>
  cells.flatMap(({ amount, start, column }): Entry[] => {
    const head = line.head?.[column]?.text ?? '';
    const kind = moneyKindOf(head);
    return kind ? [{ ...kind, reason: `in the column "${short(head)}"`, line, from: start, amount, at }] : [];
  });

const short = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(-40);
const labelled = (text: string): string => `right of "${short(text)}"`;

const near = (a: number, b: number): boolean => Math.abs(Math.abs(a) - Math.abs(b)) < 0.006;

/** Each label is compared with the others, so only so many of a kind are used: the first ones and the last ones. */
const MAX_OF_KIND = 30;
const firstAndLast = <Item>(items: readonly Item[]): readonly Item[] =>
  items.length <= 2 * MAX_OF_KIND ? items : [...items.slice(0, MAX_OF_KIND), ...items.slice(-MAX_OF_KIND)];

type Proof = [score: number, reason: string];

/** Digits below this confidence need a proof by other amounts. */
const SURE_DIGITS = 0.6;

const isReadSurely = (parsed: ParsedDocument, line: Line, from: number, { start, end }: Amount): boolean =>
  candidateConfidence(parsed, { line, start: from + start, end: from + end }) >= SURE_DIGITS;

const sumsTo = (sum: number, parts: readonly number[]): boolean =>
  parts.some((part, at) => part > 0 && parts.slice(at + 1).some((other) => other > 0 && near(part + other, sum)));

/** A total is at least as much as each item above it. */
const largestAbove = (parsed: ParsedDocument, at: number): number =>
  Math.max(
    0,
    ...lastAmounts(parsed)
      .slice(Math.max(0, at - MAX_ITEMS), at)
      .flatMap((last) => {
        const isItem = last?.amount.cents && (last.kind ?? 'total').endsWith('total');
        return isItem && isReadSurely(parsed, last.line, last.line.start, last.amount) ? [last.amount.number] : [];
      }),
  );
const MAX_ITEMS = 40;

/** The last amount of each line that is not a row, and what the words before it call it. */
const lastAmounts = oncePerDocument(({ lines, locale }: ParsedDocument): (LastAmount | undefined)[] =>
  lines.map((line) => {
    const amount = line.cells ? undefined : amountsIn(line.text, locale.crowns).at(-1);
    return amount && { line, amount, kind: moneyKindOf(line.text.slice(0, amount.start))?.kind };
  }),
);

const toCents = (number: number): number => Math.round(Math.abs(number) * 100);

/** The amounts of a document by kind, each scored by its label and by what the other amounts prove. */
const scoredAmounts = oncePerDocument((parsed): Record<'total' | 'subtotal' | 'tax', Candidate[]> => {
  const entries = entriesOf(parsed);
  const entriesOfKind = (...kinds: MoneyKind[]) => firstAndLast(entries.filter(({ kind }) => kinds.includes(kind)));
  const numbers = (amountEntries: readonly Entry[]) => amountEntries.map(({ amount }) => amount.number);
  const deposits = numbers(entriesOfKind('deposit'));
  const amountsOfLines = lastAmounts(parsed).flatMap((last) => last?.amount.number ?? []);
  // What is left beside a deposit is not the total: both together stand on the paper.
  const isRemainder = ({ kind, amount: { number } }: Entry) =>
    kind === 'due' &&
    deposits.some((deposit) => deposit !== 0 && amountsOfLines.some((sum) => near(number + Math.abs(deposit), sum)));
  const [totals, nets, taxes] = [
    entriesOfKind('total', 'due').filter((entry) => !isRemainder(entry)),
    entriesOfKind('subtotal'),
    entriesOfKind('tax'),
  ];
  const rounding = numbers(entriesOfKind('rounding')).filter((number) => number !== 0);
  const paid = numbers(entriesOfKind('paid')).filter((number) => number !== 0);
  const paidLessChange = paid
    .flatMap((cash) => numbers(entriesOfKind('change')).map((back) => Math.abs(cash) - Math.abs(back)))
    .filter((sum) => sum > 0);
  const isPaid = (number: number) => paidLessChange.some((sum) => near(sum, number));
  const sums = numbers(nets).flatMap((net) => numbers(taxes).map((tax) => net + tax));
  const rounded = [...sums, ...sums.flatMap((sum) => rounding.slice(0, 3).map((part) => sum + part))];
  const afterRounding = numbers(totals).flatMap((number) => rounding.map((part) => number + part));
  const namedSums = numbers(entriesOfKind('total', 'subtotal', 'deposit', 'other'));
  const evidence = { totals: numbers(totals), paid, paidLessChange, rounded, afterRounding, named: namedSums, parsed };
  const proofs = (entry: Entry) => totalProofs(entry, evidence);
  const paidSubtotals = entriesOfKind('subtotal').filter(({ amount }) => isPaid(amount.number));
  // What is paid by card is the total after rounding.
  const cards = entriesOfKind('paid').filter(({ amount }) => afterRounding.some((sum) => near(sum, amount.number)));
  const totalCandidates = [
    ...totals.map((entry) => proved(entry, proofs(entry))),
    ...paidSubtotals.map((entry) => proved({ ...entry, weight: 0.5 }, proofs(entry))),
    ...cards.map((entry) => proved({ ...entry, weight: 2.6 }, proofs(entry))),
    ...firstAndLast(unlabelled(parsed, [...paidLessChange, ...sums])).map((entry) => proved(entry, proofs(entry))),
  ];
  const sum = Number(best(totalCandidates)?.value);
  const parts = (partEntries: readonly Entry[], otherEntries: readonly Entry[]) =>
    partEntries.map((entry) =>
      proved(entry, partProofs(entry, { sum, otherParts: numbers(otherEntries), rounding: [0, ...rounding], parsed })),
    );
  // A smaller total that makes the largest one with the tax is the net, whatever it is called.
  const smaller = totals.filter(({ amount: { number } }) => taxes.some((tax) => near(number + tax.amount.number, sum)));
  const net = nets.length > 0 ? nets : smaller.filter(({ amount: { number } }) => number < sum && number !== 0);
  const sumOfTaxes = numbers(taxes).reduce((whole, part) => whole + part, 0);
  // Taxes by rate are parts of a sum that the paper does not state.
  const rates = new Set(numbers(taxes).filter((tax) => tax !== 0));
  const isSplit = rates.size > 1 && numbers(nets).some((net) => near(net + sumOfTaxes, sum));
  return { total: totalCandidates, subtotal: parts(net, taxes), tax: isSplit ? [] : parts(taxes, net) };
});

type TotalEvidence = Record<
  'totals' | 'paid' | 'paidLessChange' | 'rounded' | 'afterRounding' | 'named',
  readonly number[]
> & {
  parsed: ParsedDocument;
};

/** What else on the paper confirms a total, or contradicts it. */
function totalProofs(entry: Entry, evidence: TotalEvidence): Proof[] {
  const { number, cents, currency: code } = entry.amount;
  const isIn = (sums: readonly number[]) => number !== 0 && sums.some((sum) => near(sum, number));
  const proofs: Proof[] = [
    [isIn(evidence.paidLessChange) ? 2 : 0, 'what was paid less the change'],
    [isIn(evidence.paid) ? 0.7 : 0, 'what was paid'],
    [isIn(evidence.rounded) ? 1.5 : 0, 'net and tax together'],
    [isIn(evidence.afterRounding) ? 1 : 0, 'after rounding'],
    [sumsTo(number, evidence.named) ? 1 : 0, 'the sum of other totals'],
  ];
  const isRepeated = evidence.totals.filter((knownTotal) => near(knownTotal, number)).length > 1;
  return [
    ...proofs,
    [isRepeated ? 0.5 : 0, 'given more than once'],
    [cents || code ? 0 : -2, ''],
    [number === 0 ? -2 : entry.at / (evidence.parsed.lines.length * 4), ''],
    [evidence.paidLessChange.length > 0 && !isIn(evidence.paidLessChange) ? -1 : 0, ''],
    ...(proofs.some(([score]) => score > 0) ? [] : doubtsOf(entry, evidence, isRepeated)),
  ];
}

/** What speaks against a total that no other amount proves. */
function doubtsOf(
  { line, from, amount, at }: Entry,
  { parsed, paidLessChange }: TotalEvidence,
  isRepeated: boolean,
): Proof[] {
  const isSure = isRepeated || isReadSurely(parsed, line, from, amount) || isSumOfItems(parsed, at, amount.number);
  const isTooSmall = largestAbove(parsed, at) > Math.abs(amount.number) + 0.006;
  return [[(isSure ? 0 : -2) - (isTooSmall ? 2 : 0) - (paidLessChange.length > 0 ? 1 : 0), '']];
}

/** Whether the items right above it, which have no label of money, add up to the total. */
function isSumOfItems(parsed: ParsedDocument, at: number, total: number): boolean {
  let [sum, count] = [0, 0];
  for (const last of lastAmounts(parsed)
    .slice(Math.max(0, at - MAX_ITEMS), at)
    .reverse()) {
    if (!last?.amount.cents || last.kind !== undefined) continue;
    sum += last.amount.number;
    count++;
    if (count > 1 && near(sum, total)) return true;
  }
  return false;
}

type Parts = { sum: number; otherParts: readonly number[]; rounding: readonly number[]; parsed: ParsedDocument };

/** Net and tax make the total. */
function partProofs(
  { amount: { number, cents, currency: code }, at }: Entry,
  { sum, otherParts, rounding, parsed }: Parts,
): Proof[] {
  const fits = otherParts.some((other) => rounding.some((part) => near(number + other + part, sum)));
  return [
    [fits ? 2 : 0, 'makes the total with the other part'],
    [number !== 0 && otherParts.length > 0 && near(number, sum) ? -1 : 0, ''],
    [cents || code ? 0 : -1.5, ''],
    [at / (parsed.lines.length * 4), ''],
  ];
}

function proved({ line, from, amount, weight, reason }: Entry, proofs: readonly Proof[]): Candidate {
  const reasons = proofs.filter(([score, text]) => score > 0 && text !== '').map(([, text]) => text);
  const score = weight + proofs.reduce((sum, [part]) => sum + part, 0);
  const match = { ...amount, more: { currency: amount.currency ?? null } };
  return candidateAt(line, match, { from, score, reason: [reason, ...reasons].join(', ') });
}

type LastAmount = { line: Line; amount: Amount; kind: MoneyKind | undefined };

/** The last amounts of lines that no label calls paid or returned, if other amounts prove them. */
function unlabelled(parsed: ParsedDocument, sums: readonly number[]): Entry[] {
  const provedCents = new Set(sums.map(toCents));
  return lastAmounts(parsed).flatMap((last, at): Entry[] => {
    if (!last?.amount.cents || !provedCents.has(toCents(last.amount.number))) return [];
    const { line, amount, kind = 'rounding' } = last;
    return kind === 'rounding'
      ? [{ kind: 'total', weight: 0, reason: 'without a label', line, from: line.start, amount, at }]
      : [];
  });
}

/** An amount without a currency has the document's. */
function withCurrency(parsed: ParsedDocument, candidates: Candidate[]): Candidate[] {
  const documentCurrency = best(currency(parsed))?.value ?? null;
  return candidates.map((candidate) => {
    const code = candidate.more?.currency ?? documentCurrency;
    return {
      ...candidate,
      value: code === null ? candidate.value : `${code} ${candidate.value}`,
      more: { amount: candidate.value, currency: code },
    };
  });
}

/** Each mention of a currency; its name after a label weighs most. */
function votesIn(parsed: ParsedDocument, line: Line, { text: whole, start: from }: TextSpan): Candidate[] {
  const text = whole.slice(0, MAX_READ);
  const left = line.text.slice(0, Math.max(0, from - line.start)).replaceAll(/[|\s]+$/g, ' ');
  const isLabel = text.length < 60 && moneyKindOf(text) !== undefined;
  return Array.from(text.matchAll(CODE)).flatMap((codeMatch): Candidate[] => {
    const [start, end] = [codeMatch.index, codeMatch.index + codeMatch[0].length];
    const isWords = codeMatch[0].startsWith('US D');
    const value = isWords ? 'USD' : currencyOf(codeMatch[0], parsed.locale.crowns);
    const isBeside = BESIDE.test(text.slice(Math.max(0, start - 2), start)) || BESIDE.test(text.slice(end, end + 3));
    if (value === undefined) return [];
    const match = { start, end, value };
    if (isWords || CURRENCY_LABEL.test(`${left}${text.slice(0, start)}`.slice(-100)))
      return [candidateAt(line, match, { from, score: 10, reason: 'named as the currency' })];
    if (isBeside) return [candidateAt(line, match, { from, score: 1, reason: 'beside amounts' })];
    const reason = 'in a label or the head of a column';
    return isLabel ? [candidateAt(line, match, { from, score: 0.99, reason })] : [];
  });
}
