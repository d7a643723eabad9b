/** The words that name a field of a schema, as a document may write them, and the named rules that mean the same. */

import type { LabelledName } from '../../shared/agents/rule-names.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { SchemaLeaf } from '../../shared/tasks/output-schema.ts';
import { normalizedText, withoutDiacritics } from './compare-values.ts';
import FIELDS from './fields.json' with { type: 'json' };
import { dateKindOf, moneyKindOf, NUMBER_LABELS } from './invoices/labels.ts';

/** A leaf with its place in the schema. `names` has `*` for the entries of an array. */
export type Field = {
  names: readonly string[];
  leaf: SchemaLeaf;
  words: FieldWords;
  /** Neither it nor an object around it is optional: without a value, the record is incomplete. */
  isWanted: boolean;
  /** What the schema says of the objects and arrays around it, the outermost first. */
  around?: readonly string[];
};

/** What the label of an amount, a date or a number means. */
export type LabelKind = 'total' | 'subtotal' | 'tax' | 'issue_date' | 'due_date' | 'invoice_number' | 'other';

/** Named rules that know a value by its form alone. */
export type FormName = 'ibans' | 'vat_numbers' | 'emails' | 'phone_numbers' | 'urls';

/** Phrases that mean the same, as names of fields and as labels and column heads of invoices and receipts. */
const GROUPS = FIELDS as readonly Group[];

const NUMBER_WORD = /^(?:no|nr|num|number|nummer|id|code|ref|reference|numero)$/;
const SHORT_WORDS: Readonly<Record<string, string>> = { qty: 'quantity', amt: 'amount', desc: 'description' };
const EMPTY_WORD =
  /^(?:the|of|a|an|in|for|your|our|is|has|was|der|die|das|de|la|le|du|des|del|eur|usd|gbp|chf|per|kg|lbs?|km|cm|mm|pct|percent)$/;

/** `invoiceNumber` and `invoice_number` are `invoice number`. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replaceAll(/[_-]+/g, ' ');

/** `Balance due on delivery` is an amount, `due on` the beginning of a date. */
const DUE_ON_EVENT = /(?<!\p{L})(?:balance|amount|total) due (?:on|upon|at|before) \p{L}/iu;

/** A label names an amount by its words for money, or a date or number; `other` is known and means no field of these. */
export function labelKindOf(label: string): LabelKind | undefined {
  const date = DUE_ON_EVENT.test(label) ? undefined : dateKindOf(label)?.kind;
  if (date) return date === 'other' ? 'other' : `${date}_date`;
  const money = moneyKindOf(label)?.kind;
  if (money === 'total' || money === 'due') return 'total';
  if (money) return money === 'subtotal' || money === 'tax' ? money : 'other';
  return NUMBER.test(label) ? 'invoice_number' : undefined;
}

/** `names` is the path of the leaf, with `*` for array entries. */
export function fieldWords(names: readonly string[], leaf: SchemaLeaf): FieldWords {
  const isRow = names.includes('*');
  const keys = new Set(
    withMoments(phrasesOf(names, leaf), leaf)
      .flatMap((phrase) => [phraseKey(phrase), labelKey(phrase)])
      .filter((key) => key !== ''),
  );
  const groups = groupsOf(keys, names);
  // The first group with a rule decides: a field called `total` is the total of the document, not of a line.
  const mainGroup =
    groups.find(({ rule }) => rule !== undefined) ?? groups.find(({ form }) => form !== undefined) ?? groups[0];
  for (const group of isRow ? groups : mainGroup ? [mainGroup] : []) for (const key of group.keys) keys.add(key);
  const rule = !isRow && isRuleOf(mainGroup?.rule, leaf) ? mainGroup?.rule : undefined;
  const kind = KINDS.find((labelKind) => labelKind === rule) as LabelKind | undefined;
  const form = leaf.kind === 'string' ? mainGroup?.form : undefined;
  const isDue = (leaf.kind === 'number' || leaf.kind === 'integer') && isNamedDue(names);
  return { keys, isDue, ...definedFields({ rule, kind, form }) };
}

/** A rate stands beside the amount that it gives, and a day behind what was paid before: `less deposit of 3 May`. */
const RATE = /\(?\d+(?:[.,]\d+)?\s?%\)?/g;
const LESS =
  /^(?:less|minus|abzgl\.?|abzüglich|moins|à déduire|menos|meno|a dedurre)[ :]+(?<name>\p{L}.*?)(?: (?:vom|dated|of|on|du|del|van) \d[\d./-]*)?\s*:?$/iu;

/** Units behind a head: `Menge m³`, `Preis €/m³`, `Weight kg`. */
const UNIT_BEHIND =
  /(?<=\p{L}[\p{L}.]*\s)(?:[€$£¥]|eur|usd|gbp|chf|[km]?wh|kg|g|km|m|m[²³]|l|h)(?:\s?\/\s?(?:m[²³]|[km]?wh|kg|km|l|h|st(?:ü|u)?ck|stk))?\.?(?=\s*:?$)/iu;

/** The words of a label: notes in brackets and units behind it do not count, as in `Total (EUR):`. */
export function bareLabel(label: string): string {
  const bare = label
    .replaceAll(RATE, '')
    .replace(/\([^)]*\)\s*:?$/u, '')
    .replace(UNIT_BEHIND, '');
  return LESS.exec(bare.trim())?.groups?.name ?? bare;
}

export const labelKey = (label: string): string => phraseKey(bareLabel(label));

const LESS_OR_MORE =
  'less|more|fewer|greater|higher|lower|weniger|mehr|moins|plus|menos|más|meno|più|minder|meer|minore|maggiore|mayor|menor';
const BOUND_BEFORE = new RegExp(
  `(?:[<>≤≥~]|(?<!\\p{L})(?:(?:${LESS_OR_MORE}) (?:than|als|de|que|di|dan)|(?:up|as much as|fino|bis) (?:to|a|zu)|at (?:least|most)|(?:under|(?<!(?:hand|pay|turn|take|carry)(?:s|ed|ing)? )over|below|above|exceeding|mindestens|höchstens|unter|über|jusqu['’]à|au (?:moins|plus)|hasta|al (?:menos|più|massimo|minimo)|minstens|hoogstens)|` +
    '(?:formerly|previously|originally|früher|vormals|ehemals|bisher|auparavant|anciennement|antes|anteriormente|in precedenza|voorheen)))[ \\u00a0:]*$',
  'iu',
);
const BOUND_AFTER = new RegExp(
  `^[ \\u00a0]?(?:\\+|(?:or|and|oder|ou|o|of) (?:${LESS_OR_MORE}|above|below|over|under)(?!\\p{L})|at (?:most|least)(?!\\p{L})|(?:formerly|previously)(?!\\p{L}))`,
  'iu',
);
const BOUND_WORD =
  /(?<!\p{L})(?:max|maximum|min|minimum|limit|cap|least|most|threshold|ceiling|floor|previous?|former|original|old)(?!\p{L})/u;

/** `up to 80`, `80 or more` and `formerly 80` are not the value of a number, unless the field is called a bound itself. */
export const isBound = ({ leaf, words }: Field, before: string, after: string): boolean =>
  (leaf.kind === 'number' || leaf.kind === 'integer') &&
  (BOUND_BEFORE.test(before) || BOUND_AFTER.test(after)) &&
  !BOUND_WORD.test([...words.keys].join(' '));

type FieldWords = {
  /** Each phrase by its key: see `phraseKey`. */
  keys: ReadonlySet<string>;
  rule?: LabelledName;
  /** What is left to pay, as `amount_due`: a label that says so comes before one of the total. */
  isDue?: boolean;
  /** Another label of the same kind is also this field's. */
  kind?: LabelKind;
  /** Values of this form are the field's, even without a label. */
  form?: FormName;
};

type Group = { rule?: LabelledName; form?: FormName; words: readonly string[] };

/** The words without order, number and little words: `Policy No.` and `policy number` are the same; `number of berths` is a count. */
function phraseKey(text: string): string {
  const words = withoutDiacritics(normalizedText(text))
    .replace(/^(?:the )?number of (?!the )/, 'count ')
    .split(' ')
    .filter((word) => word !== '' && !EMPTY_WORD.test(word))
    .map((word) => (NUMBER_WORD.test(word) ? 'number' : word.length > 3 ? word.replace(/s$/, '') : word))
    .map((word) => (Object.hasOwn(SHORT_WORDS, word) ? (SHORT_WORDS[word] ?? word) : word));
  return [...new Set(words)].sort().join(' ');
}

/** Words that mean nothing without the object that they are a property of. */
const GENERIC =
  /^(?:name|full name|address|amount|value|number|id|date|email|phone|telephone|code|type|kind|title|description|text|currency|country|city|street|postal code|zip|vat number|tax id|website)$/;

const MAX_PHRASE_WORDS = 6;

const KEYED_GROUPS = GROUPS.map(({ words, ...group }) => ({ ...group, words, keys: new Set(words.map(phraseKey)) }));

/** A code may be called a number, but it is never the position of a line. */
const CODE = /(?:^| )(?:code|id|ref|reference)$/;
const POSITION = KEYED_GROUPS.find(({ words }) => words.includes('pos'));

function groupsOf(keys: ReadonlySet<string>, names: readonly string[]): typeof KEYED_GROUPS {
  const matches = KEYED_GROUPS.filter((group) => [...keys].some((key) => group.keys.has(key)));
  return CODE.test(normalizedText(wordsOf(names.at(-1) ?? '')))
    ? matches.filter((group) => group !== POSITION)
    : matches;
}

const KINDS: readonly LabelledName[] = ['total', 'subtotal', 'tax', 'issue_date', 'due_date', 'invoice_number'];

const NUMBER = new RegExp(
  `^\\W*(?:${NUMBER_LABELS.filter(({ weight }) => weight >= 2)
    .map(({ words }) => words)
    .join('|')})[ :.#]*$`,
  'iu',
);

/** `opened_at` is what a document calls `Opened`. */
const withMoments = (phrases: readonly string[], { format }: SchemaLeaf): string[] => [
  ...phrases,
  ...(format === 'date' || format === 'date-time' ? phrases.map((phrase) => phrase.replace(/ (?:at|on)$/iu, '')) : []),
];

const isNamedDue = (names: readonly string[]): boolean => moneyKindOf(wordsOf(names.at(-1) ?? ''))?.kind === 'due';

/** The name of the field, with that of the object around it, its title, and its description if that is short. */
function phrasesOf(names: readonly string[], { title = '', description = '' }: SchemaLeaf): string[] {
  const ownWords = wordsOf(names.findLast((name) => name !== '*') ?? '');
  const inner = names.slice(names.lastIndexOf('*') + 1);
  const parent = inner.length > 1 ? wordsOf(inner.at(-2) ?? '') : undefined;
  const described = [title, description].filter((text) => text.split(/\s+/).length <= MAX_PHRASE_WORDS);
  if (parent === undefined) return [ownWords, ...described];
  const isName = /name/.test(normalizedText(ownWords));
  const withParent = [`${parent} ${ownWords}`, ...(isName ? [parent] : [])];
  if (!GENERIC.test(normalizedText(ownWords))) return [ownWords, ...withParent, ...described];
  return [...withParent, ...described.filter((text) => !GENERIC.test(normalizedText(text)))];
}

/** A rule gives values of one type. */
function isRuleOf(rule: LabelledName | undefined, { kind, format }: SchemaLeaf): boolean {
  if (rule === 'total' || rule === 'subtotal' || rule === 'tax') return kind === 'number' || kind === 'integer';
  if (rule === 'issue_date' || rule === 'due_date')
    return kind === 'string' && (format === 'date' || format === undefined);
  return kind === 'string' && format === undefined;
}
