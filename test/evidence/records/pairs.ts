/** Pairs of schema and document, generated from a record, so that the truth is known. It shares no code with the product. */

import { seededRandom } from '../../support/seeded-random.ts';

export type Value = string | number | boolean;
type Kind = 'amount' | 'count' | 'date' | 'text' | 'code' | 'choice' | 'flag';

/** What a document says of a field. `rival` is another value in the same sentence; `short` is the number without its scale word. */
export type Fact = {
  name: string;
  label: string;
  kind: Kind;
  value: Value;
  written: string;
  isSentence: boolean;
  rival?: Value;
  short?: number;
};

export type Row = { article: string; quantity: number; price: number; line: string };

const FORMS = ['colons', 'gaps', 'markdown', 'html', 'list', 'csv', 'docx', 'xlsx', 'pdf'] as const;
type Form = (typeof FORMS)[number];

export type Pair = {
  seed: number;
  form: Form;
  schema: Record<string, unknown>;
  /** Facts of the fields in the schema; others stand in the document only. */
  facts: Fact[];
  others: Fact[];
  /** Fields of the schema that the document only denies, with the value that it denies. */
  denied: Fact[];
  /** Fields of the schema that the document does not know. */
  absent: string[];
  rows: Row[];
  /** Rows stand in a table, or each in a line of text. */
  hasTable: boolean;
  sentences: string[];
};

const THINGS = 'harbour storage cleaning transport handling survey repair licence pilot towing crane catering'.split(
  ' ',
);
const MONEY = 'fee charge allowance budget bonus premium'.split(' ');
const COUNTS = [
  'crew size',
  'number of berths',
  'engine hours',
  'deck levels',
  'lifeboats',
  'cabins',
  'radio channels',
];
const DAYS = ['inspection date', 'departure date', 'launch date', 'renewal date', 'arrival date', 'drydock date'];
const TEXTS: Record<string, readonly string[]> = {
  vessel: ['Northern Light', 'Silver Heron', 'Amber Coast', 'Quiet Tide'],
  'home port': ['Bergen', 'Porto Alto', 'Lower Quay', 'Stromness'],
  captain: ['Ada Brandt', 'Joao Pires', 'Mary Oakes', 'Ivo Lund'],
  builder: ['Harland Yard', 'Meyer Dock', 'Odense Steel', 'Viana Works'],
  cargo: ['Timber', 'Dried fruit', 'Roof tiles', 'Machine parts'],
};
const CODES = ['policy number', 'berth code', 'permit number', 'dossier number'];
const CHOICES: Record<string, readonly string[]> = {
  'weather state': ['calm', 'rough', 'stormy'],
  'hull condition': ['sound', 'worn', 'leaking'],
};
const FLAGS = ['insured', 'refrigerated', 'armed guard'];
const ARTICLES = ['Rope', 'Anchor chain', 'Lamp oil', 'Brass bell', 'Canvas', 'Paint', 'Pulley', 'Copper nails'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

export type Chance = {
  whole(least: number, most: number): number;
  one<T>(from: readonly T[]): T;
  is(share: number): boolean;
};

export function chanceOf(seed: number): Chance {
  const next = seededRandom(seed);
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    whole,
    one: (from) => from[whole(0, from.length - 1)] as (typeof from)[number],
    is: (share) => next() < share,
  };
}

const grouped = (whole: number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
const money = (cents: number): string => `${grouped(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`;
const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const fieldName = (label: string): string => label.replaceAll(' ', '_');

/** A label with the kind of its values. */
type Label = { label: string; kind: Kind };

const labelsOf = (kind: Kind, labels: readonly string[]): Label[] => labels.map((label) => ({ label, kind }));
const LABELS: readonly Label[] = [
  ...labelsOf(
    'amount',
    THINGS.flatMap((thing) => MONEY.map((word) => `${thing} ${word}`)),
  ),
  ...labelsOf('count', COUNTS),
  ...labelsOf('date', DAYS),
  ...labelsOf('text', Object.keys(TEXTS)),
  ...labelsOf('code', CODES),
  ...labelsOf('choice', Object.keys(CHOICES)),
  ...labelsOf('flag', FLAGS),
];
const KINDS: readonly Kind[] = [
  'amount',
  'amount',
  'amount',
  'date',
  'date',
  'count',
  'text',
  'text',
  'code',
  'choice',
  'flag',
];

function labelsFor(chance: Chance, count: number): Label[] {
  const taken = new Map<string, Label>();
  while (taken.size < count) {
    const kind = chance.one(KINDS);
    const label = chance.one(LABELS.filter((one) => one.kind === kind));
    taken.set(label.label, label);
  }
  return [...taken.values()];
}

function dateOf(chance: Chance): { value: string; written: string } {
  const [year, month, day] = [chance.whole(2019, 2031), chance.whole(1, 12), chance.whole(1, 28)];
  const [mm, dd] = [String(month).padStart(2, '0'), String(day).padStart(2, '0')];
  const value = `${year}-${mm}-${dd}`;
  const name = MONTHS[month - 1];
  const forms = [
    value,
    `${day} ${name} ${year}`,
    `${name} ${day}, ${year}`,
    ...(day > 12 ? [`${dd}/${mm}/${year}`] : []),
  ];
  return { value, written: chance.one(forms) };
}

function amountOf(chance: Chance, isScaled: boolean): { value: number; written: string; short?: number } {
  if (isScaled) {
    const tenths = chance.whole(11, 98);
    return { value: tenths * 100_000, written: `${tenths / 10} million euros`, short: tenths / 10 };
  }
  const cents = chance.whole(1_000, 9_999_999);
  return { value: cents / 100, written: `${chance.one(['EUR ', '€', ''])}${money(cents)}` };
}

function contentOf(
  { label, kind }: Label,
  chance: Chance,
  isSentence: boolean,
): { value: Value; written: string; short?: number } {
  if (kind === 'amount') return amountOf(chance, isSentence && chance.is(0.2));
  if (kind === 'date') return dateOf(chance);
  const plain = (value: Value) => ({ value, written: String(value) });
  if (kind === 'count') return plain(chance.whole(2, 999));
  if (kind === 'code') return plain(`${chance.one(['AB', 'KX', 'QT'])}-${chance.whole(10_000, 99_999)}`);
  if (kind === 'text') return plain(chance.one(TEXTS[label] ?? []));
  if (kind === 'choice') return plain(chance.one(CHOICES[label] ?? []));
  const isSo = chance.is(0.5);
  return { value: isSo, written: isSo ? 'yes' : 'no' };
}

function factOf(label: Label, chance: Chance, mayBeSentence: boolean): Fact {
  const isSentence = mayBeSentence && label.kind !== 'flag' && chance.is(0.45);
  return { name: fieldName(label.label), ...label, ...contentOf(label, chance, isSentence), isSentence };
}

/** The sentence that states a fact. One with a rival names another value of the same type, too. */
function sentenceOf(fact: Fact, chance: Chance): string {
  const { label, kind, written } = fact;
  if (kind === 'amount' && chance.is(0.4)) {
    const cents = chance.whole(1_000, 999_999);
    fact.rival = cents / 100;
    return chance.is(0.5)
      ? `The ${label} amounts to ${written}, compared with USD ${money(cents)} in the year before.`
      : `After USD ${money(cents)} in the year before, the ${label} amounts to ${written}.`;
  }
  if (kind === 'date' && chance.is(0.4)) {
    const other = dateOf(chance);
    fact.rival = other.value;
    return `The papers were signed on ${other.written}, and the ${label} is ${written}.`;
  }
  return kind === 'amount' ? `The ${label} amounts to ${written}.` : `The ${label} is ${written}.`;
}

const deniedBy = ({ label, written }: Fact, chance: Chance): string =>
  chance.one([
    `A ${label} of ${written} is not due.`,
    `No ${label} of ${written} was agreed.`,
    `It was settled without the ${label} of ${written}.`,
  ]);

function leafOf({ label, kind }: Label): Record<string, unknown> {
  if (kind === 'amount') return { type: 'number' };
  if (kind === 'count') return { type: 'integer' };
  if (kind === 'date') return { type: 'string', format: 'date' };
  if (kind === 'flag') return { type: 'boolean' };
  return kind === 'choice' ? { enum: CHOICES[label] } : { type: 'string' };
}

const ROWS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { article: { type: 'string' }, quantity: { type: 'integer' }, price: { type: 'number' } },
  },
};

function rowsOf(chance: Chance): Row[] {
  const first = chance.whole(0, ARTICLES.length - 1);
  return Array.from({ length: chance.whole(2, 5) }, (_, at) => {
    const cents = chance.whole(100, 99_999);
    const row = {
      article: ARTICLES[(first + at) % ARTICLES.length] as string,
      quantity: chance.whole(1, 99),
      price: cents / 100,
    };
    return { ...row, line: `${row.article}, ${row.quantity} pieces at ${money(cents)} each` };
  });
}

/** Text is cheap to read: real office files and PDFs are one in nine. */
function formOf(seed: number): Form {
  const place = seed % 90;
  return FORMS[place < 80 ? place % 6 : 6 + (place % 3)] as Form;
}

export function pairOf(seed: number): Pair {
  const chance = chanceOf(seed);
  const form = formOf(seed);
  const isSheet = form === 'csv' || form === 'xlsx';
  const labels = labelsFor(chance, chance.whole(7, 12));
  const [absent, ...rest] = labels as [Label, ...Label[]];
  const stated = rest.map((label) => factOf(label, chance, !isSheet));
  const denied = isSheet
    ? []
    : stated.filter(({ kind, short }) => kind === 'amount' && short === undefined).slice(0, 1);
  const told = stated.filter((fact) => !denied.includes(fact));
  const facts = told.slice(0, -2);
  const sentences = [
    ...told.filter(({ isSentence }) => isSentence).map((fact) => sentenceOf(fact, chance)),
    ...denied.map((fact) => deniedBy(fact, chance)),
  ];
  const hasRows = form !== 'csv' && chance.is(0.3);
  const schemaOf = [absent, ...facts, ...denied].map((one) => [fieldName(one.label), leafOf(one)]);
  return {
    seed,
    form,
    facts,
    others: told.slice(-2),
    denied,
    absent: [fieldName(absent.label)],
    rows: hasRows ? rowsOf(chance) : [],
    hasTable: isSheet || chance.is(0.6),
    sentences,
    schema: { type: 'object', properties: Object.fromEntries([...schemaOf, ...(hasRows ? [['lines', ROWS]] : [])]) },
  };
}

export const labelText = ({ label }: Fact): string => titled(label);
