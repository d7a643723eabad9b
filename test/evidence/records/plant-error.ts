/** Plants errors into honest results, one in each, of every sort that a judge has to find. */

import type { Any } from '../../support/any.ts';
import { chanceOf, type Fact, type Pair, type Row } from './pairs.ts';
import { swapDigit } from './proposals.ts';

/** The results with an error at a path; undefined if the pair has nothing for it. */
type Plant = (at: Planting) => string | undefined;
type Planting = {
  pair: Pair;
  record: Any;
  fields: Any[];
  /** Fields of the record that are proven, in a random order. */
  proven: Any[];
  /** Fields that a sentence states, which no code proves. */
  judged: Any[];
  factOf(path: string): Fact | undefined;
};

const rowOf = ({ rows }: Pair, path: string): Row | undefined => rows[Number(/^lines\.(\d+)\./.exec(path)?.[1])];

function put(record: Any, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  names.reduce((node, name) => node[name], record.data)[last] = value;
}

function claim({ record }: Planting, field: Any, more: object): string {
  Object.assign(field, more);
  put(record, field.path, field.value);
  record.missing = record.missing.filter((path: string) => path !== field.path);
  record.complete = record.missing.length === 0;
  return field.path;
}

const withQuote = ({ basis: [basis] }: Any, quote: string) => ({ basis: [{ ...basis, quote }] });

/** Another proven field whose value is of the same type. */
const otherOf = ({ proven, factOf }: Planting, field: Any): Any =>
  proven.find(
    (one) =>
      one !== field &&
      factOf(one.path)?.kind === factOf(field.path)?.kind &&
      one.value !== field.value &&
      !one.basis[0].quote.includes(factOf(field.path)?.label ?? ''),
  );

const first = <T, R>(all: readonly T[], use: (one: T) => R | undefined): R | undefined => {
  for (const one of all) {
    const used = use(one);
    if (used !== undefined) return used;
  }
  return undefined;
};

const PLANTS: Readonly<Record<string, Plant>> = {
  'a changed digit': (at) =>
    first(at.proven, (one) =>
      /\d/.test(String(one.value)) ? claim(at, one, { value: swapDigit(one.value) }) : undefined,
    ),
  'a flag the other way': (at) =>
    first(at.proven, (one) => (typeof one.value === 'boolean' ? claim(at, one, { value: !one.value }) : undefined)),
  'another text': (at) =>
    first(at.proven, (one) =>
      at.factOf(one.path)?.kind === 'text' ? claim(at, one, { value: 'Mallory and Sons' }) : undefined,
    ),
  'a quote with another word': (at) =>
    first(at.proven, (one) => claim(at, one, withQuote(one, one.basis[0].quote.replace(/\p{L}{4,}/u, 'Yonder')))),
  'a quote with another digit': (at) =>
    first(at.proven, (one) => {
      const { quote } = one.basis[0];
      return /\d/.test(quote) ? claim(at, one, withQuote(one, String(swapDigit(quote)))) : undefined;
    }),
  'another page': (at) =>
    first(at.proven, (one) => {
      const [basis] = one.basis;
      const others: Record<string, string> = {
        'page 1': 'page 2',
        'page 2': 'page 1',
        'sheet Sheet 1': 'sheet Sheet 2',
      };
      const place = others[basis.place];
      return place ? claim(at, one, { basis: [{ ...basis, place }] }) : undefined;
    }),
  'a place that is not there': (at) =>
    first(at.proven, (one) => claim(at, one, { basis: [{ ...one.basis[0], place: 'page 7' }] })),
  'another document': (at) => first(at.proven, (one) => claim(at, one, { basis: [{ ...one.basis[0], document: 2 }] })),
  "another row's value": (at) =>
    first(at.fields, (one) => {
      const row = rowOf(at.pair, one.path);
      const isIn = (value: unknown) => row !== undefined && Object.values(row).includes(value as string);
      const other = at.fields.find(
        ({ path, value }) => path !== one.path && path.split('.')[2] === one.path.split('.')[2] && row && !isIn(value),
      );
      return row && other ? claim(at, one, { value: other.value }) : undefined;
    }),
  "another row's value and quote": (at) =>
    first(at.fields, (one) => {
      const name = one.path.split('.')[2];
      const other = at.fields.find(
        ({ path, value }) => name && path.split('.')[2] === name && path !== one.path && value !== one.value,
      );
      return other ? claim(at, one, { value: other.value, basis: other.basis }) : undefined;
    }),
  'the value of another label, with its quote': (at) =>
    first(at.proven, (one) => {
      const other = otherOf(at, one);
      return other ? claim(at, one, { value: other.value, basis: other.basis }) : undefined;
    }),
  'the right value with a quote from elsewhere': (at) =>
    first(at.proven, (one) => {
      const other = otherOf(at, one);
      return other ? claim(at, one, { basis: other.basis }) : undefined;
    }),
  'a field that the document does not know, called proven': (at) =>
    first(at.pair.absent, (path) => {
      const one = at.fields.find((field) => field.path === path);
      const other = at.proven.find(({ value }) => typeof value === 'string' && at.pair.schema);
      return one && other ? claim(at, one, { status: 'proven', value: other.value, basis: other.basis }) : undefined;
    }),
  'a denied value, called proven': (at) =>
    first(at.pair.denied, ({ name, value }) => {
      const one = at.fields.find(({ path }) => path === name);
      const quote = at.pair.sentences.at(-1) ?? '';
      const basis = at.proven.find(({ basis: [known] }) => !known.place.startsWith('page'))?.basis[0];
      return one?.value === null && basis
        ? claim(at, one, { status: 'proven', value, basis: [{ document: 1, place: basis.place, quote }] })
        : undefined;
    }),
  'another value of the sentence, called proven': (at) =>
    first(at.judged, (one) => {
      const rival = at.factOf(one.path)?.rival;
      return rival === undefined ? undefined : claim(at, one, { status: 'proven', value: rival });
    }),
  'a number without its scale word, called proven': (at) =>
    first(at.judged, (one) => {
      const short = at.factOf(one.path)?.short;
      return short === undefined ? undefined : claim(at, one, { status: 'proven', value: short });
    }),
  'the head of another column': (at) =>
    first(at.proven, (one) => {
      const [basis] = one.basis;
      const heads: Record<string, string> = { Article: 'Price', Quantity: 'Article', Price: 'Quantity' };
      const column = heads[basis.column];
      return column ? claim(at, one, { basis: [{ ...basis, column }] }) : undefined;
    }),
  'data that differs from its proof': (at) =>
    first(at.proven, ({ path, value }) => {
      put(at.record, path, swapDigit(value));
      return path;
    }),
  'data without a proof': (at) =>
    first(at.pair.absent, (path) => {
      put(at.record, path, 'Mallory and Sons');
      return path;
    }),
  'a gap that is called proven': (at) =>
    first(at.pair.absent, (path) => {
      Object.assign(
        at.fields.find((field) => field.path === path),
        { status: 'proven' },
      );
      return path;
    }),
  'a record called complete with gaps': (at) => {
    if (at.record.missing.length === 0) return undefined;
    at.record.complete = true;
    return '';
  },
};

export const SORTS = Object.keys(PLANTS);

/** A copy of the results with an error of this sort, and the path that it is at. */
export function plantError(sort: string, pair: Pair, results: unknown): { results: Any; path: string } | undefined {
  const copy: Any = structuredClone(results);
  const [record] = copy.records;
  const chance = chanceOf(pair.seed);
  const keyed = record.fields.map((field: Any) => ({ field, key: chance.whole(0, 1_000_000) }));
  const fields: Any[] = keyed.sort((a: Any, b: Any) => a.key - b.key).map(({ field }: Any) => field);
  const proven = fields.filter(({ status }) => status === 'proven');
  const judged = fields.filter(({ status }) => status === 'judged');
  const factOf = (path: string) => pair.facts.find(({ name }) => name === path);
  const path = PLANTS[sort]?.({ pair, record, fields, proven, judged, factOf });
  return path === undefined ? undefined : { results: copy, path };
}
