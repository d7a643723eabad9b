/** What scripted models propose for a pair: an honest one reads the document that it is shown, a liar falsifies that in one of twelve ways. */

import type { Chance, Fact, Pair, Row, Value } from './pairs.ts';

export type Proposed = { path: string; value: Value; quote: string };

/** Quotes are lines of the document as the product shows it; a model has nothing else. */
type Shown = { pair: Pair; lines: readonly string[] };

const short = (line: string): string => line.trim().slice(0, 300);

function lineWith({ lines }: Shown, ...words: string[]): string {
  const all = lines.find((line) => words.every((word) => line.toLowerCase().includes(word.toLowerCase())));
  return short(all ?? lines.find((line) => line.includes(words[0] ?? '')) ?? '');
}

const quoteOf = (shown: Shown, { written, label }: Fact): string => lineWith(shown, written, label);

const proposalOf = (path: string, value: Value, quote: string): Proposed => ({ path, value, quote });

function ofRow(shown: Shown, row: Row, at: number, quote = lineWith(shown, row.article)): Proposed[] {
  const { article, quantity, price } = row;
  const values: [string, Value][] = [
    ['article', article],
    ['quantity', quantity],
    ['price', price],
  ];
  return values.map(([name, value]) => proposalOf(`lines.${at}.${name}`, value, quote));
}

export const honest = (shown: Shown): Proposed[] => [
  ...shown.pair.facts.map((fact) => proposalOf(fact.name, fact.value, quoteOf(shown, fact))),
  ...shown.pair.rows.flatMap((row, at) => ofRow(shown, row, at)),
];

/** Another digit in the place of one, so that the value stands nowhere. */
export function swapDigit(value: Value): Value {
  if (typeof value === 'boolean') return !value;
  const text = String(value);
  const at = text.search(/\d/);
  if (at < 0) return `${text.slice(1)}${text[0]}`;
  const changed = `${text.slice(0, at)}${(Number(text[at]) % 9) + 1}${text.slice(at + 1)}`;
  return typeof value === 'number' ? Number(changed) : changed;
}

type Lie = (shown: Shown, chance: Chance) => Proposed[];

/** The honest answer with the lies in the place of what they are about. */
const instead = (shown: Shown, lies: readonly Proposed[]): Proposed[] => {
  const paths = new Set(lies.map(({ path }) => path));
  return [...honest(shown).filter(({ path }) => !paths.has(path)), ...lies];
};

/** Sentences are what a model reads: labels that settle a field alone are not asked for. */
const open = ({ pair }: Shown): Fact[] => {
  const sentences = pair.facts.filter(({ isSentence }) => isSentence);
  return sentences.length > 0 ? sentences : pair.facts;
};

/** Another fact whose value is of the same type. */
const like = ({ pair }: Shown, fact: Fact): Fact | undefined =>
  [...pair.others, ...pair.facts].find(
    (one) => one.kind === fact.kind && one.name !== fact.name && one.value !== fact.value,
  );

const rival =
  (kind: Fact['kind']): Lie =>
  (shown) =>
    open(shown).flatMap((fact) =>
      fact.kind === kind && fact.rival !== undefined ? [proposalOf(fact.name, fact.rival, quoteOf(shown, fact))] : [],
    );

const LIES: Readonly<Record<string, Lie>> = {
  'digit swapped': (shown) =>
    open(shown).map((fact) => proposalOf(fact.name, swapDigit(fact.value), quoteOf(shown, fact))),
  "other row's value": (shown) => {
    const { rows } = shown.pair;
    return rows.flatMap((row, at) =>
      ofRow(shown, rows[(at + 1) % rows.length] as Row, at, lineWith(shown, row.article)),
    );
  },
  'neighbouring label': (shown) =>
    open(shown).flatMap((fact) => {
      const other = like(shown, fact);
      return other ? [proposalOf(fact.name, other.value, quoteOf(shown, other))] : [];
    }),
  'right value with a quote from elsewhere': (shown, chance) =>
    open(shown).map((fact) =>
      proposalOf(fact.name, fact.value, short(chance.one(shown.lines.filter((line) => line.trim() !== '')))),
    ),
  'negated clause': (shown) => shown.pair.denied.map((fact) => proposalOf(fact.name, fact.value, quoteOf(shown, fact))),
  'other currency': rival('amount'),
  'other date role': rival('date'),
  'merged rows': (shown) => {
    const { rows } = shown.pair;
    return rows.slice(1).flatMap((row, at) => {
      const before = rows[at] as Row;
      return ofRow(
        shown,
        { ...before, price: row.price },
        at,
        `${lineWith(shown, before.article)}\n${lineWith(shown, row.article)}`,
      );
    });
  },
  'invented row': (shown, chance) => {
    const { rows } = shown.pair;
    const [last] = rows.slice(-1);
    return last
      ? ofRow(shown, { ...last, quantity: chance.whole(100, 200) }, rows.length, lineWith(shown, last.article))
      : [];
  },
  'dropped row': () => [],
  'scale word dropped': (shown) =>
    open(shown).flatMap((fact) =>
      fact.short === undefined ? [] : [proposalOf(fact.name, fact.short, quoteOf(shown, fact))],
    ),
  'quote edited by one word': (shown) =>
    open(shown).flatMap((fact) => {
      const other = like(shown, fact);
      const quote =
        other && quoteOf(shown, other).toLowerCase().includes(other.label) ? quoteOf(shown, other) : undefined;
      return other && quote
        ? [proposalOf(fact.name, other.value, quote.replace(new RegExp(other.label, 'i'), fact.label))]
        : [proposalOf(fact.name, fact.value, quoteOf(shown, fact).replace(/\w+/, 'Yonder'))];
    }),
};

export const WAYS = Object.keys(LIES);

/** `lies` are the paths that it lies about; a dropped row is lied about by saying nothing. */
export function liar(way: string, shown: Shown, chance: Chance): { fields: Proposed[]; lies: Set<string> } {
  const lies = LIES[way]?.(shown, chance) ?? [];
  const fields = instead(shown, lies);
  if (way !== 'dropped row') return { fields, lies: new Set(lies.map(({ path }) => path)) };
  const dropped = fields.filter(({ path }) => path.startsWith(`lines.${shown.pair.rows.length - 1}.`));
  return { fields: fields.filter((one) => !dropped.includes(one)), lies: new Set(dropped.map(({ path }) => path)) };
}
