/** The table's layout and its rows as DynamoDB items. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { shardOf } from '../../shared/core/shard.ts';
import type { Counts, Key, ListEntry, Row } from '../../shared/ports.ts';

/** The names inside the DynamoDB table. Attribute names are short because every row pays for them. */
export const ATTRIBUTES = {
  pk: 'pk',
  sk: 'sk',
  version: 'v',
  /** JSON text; a counter row has none. */
  value: 'd',
  /** In milliseconds, exact: conditions and filters read this attribute. */
  expiresAt: 'x',
  /** The same in seconds, for DynamoDB's own deletion, which may come days later. */
  timeToLive: 'u',
  list: 'l',
  /** Instant and id in one text that sorts by both. */
  order: 'o',
  state: 's',
  type: 't',
  priority: 'p',
  endedAt: 'e',
  shard: 'h',
  dueAt: 'w',
} as const;

/** The prefix of a counter's attribute name. */
export const COUNTER_PREFIX = 'c.';

const A = ATTRIBUTES;

export type IndexLayout = {
  name: string;
  partition: { name: string; type: 'S' };
  sort: { name: string; type: 'S' | 'N' };
  /** Attributes projected in addition to the keys of the index and of the table. */
  include: string[];
};

/** Both are sparse: a row without these attributes costs the index nothing. */
export const INDEXES = {
  list: {
    name: 'list',
    partition: { name: A.list, type: 'S' },
    sort: { name: A.order, type: 'S' },
    include: [A.state, A.type, A.priority, A.endedAt, A.expiresAt],
  },
  due: {
    name: 'due',
    partition: { name: A.shard, type: 'S' },
    sort: { name: A.dueAt, type: 'N' },
    include: [A.expiresAt],
  },
} satisfies Record<string, IndexLayout>;

export type DynamoItem = Record<string, AttributeValue>;

const INSTANT_DIGITS = 16; // holds every safe integer
const ORDER = /^\d{16}#/;

const text = (S: string): AttributeValue => ({ S });
const number = (value: number): AttributeValue => ({ N: String(value) });
const secondsOf = (at: number): AttributeValue => number(Math.ceil(at / 1_000));

const toKeyItem = ({ pk, sk }: Key): DynamoItem => ({ [ATTRIBUTES.pk]: text(pk), [ATTRIBUTES.sk]: text(sk) });

const expiryItem = (expiresAt: number): DynamoItem => ({
  [ATTRIBUTES.expiresAt]: number(expiresAt),
  [ATTRIBUTES.timeToLive]: secondsOf(expiresAt),
});

const listedItem = ({ list, at, id, state, type, priority, endedAt }: ListEntry): DynamoItem => ({
  [ATTRIBUTES.list]: text(list),
  [ATTRIBUTES.order]: text(`${String(at).padStart(INSTANT_DIGITS, '0')}#${id}`),
  [ATTRIBUTES.state]: text(state),
  [ATTRIBUTES.type]: text(type),
  [ATTRIBUTES.priority]: number(priority),
  ...(endedAt === undefined ? {} : { [ATTRIBUTES.endedAt]: number(endedAt) }),
});

const toItem = (row: Row<unknown>, json: string): DynamoItem => ({
  ...toKeyItem(row),
  [ATTRIBUTES.version]: text(row.version),
  [ATTRIBUTES.value]: text(json),
  ...(row.listed ? listedItem(row.listed) : {}),
  ...(row.dueAt === undefined
    ? {}
    : { [ATTRIBUTES.shard]: text(String(shardOf(row))), [ATTRIBUTES.dueAt]: number(row.dueAt) }),
  ...(row.expiresAt === undefined ? {} : expiryItem(row.expiresAt)),
});

const textIn = (item: DynamoItem, name: string): string => item[name]?.S ?? '';
const numberIn = (item: DynamoItem, name: string): number => Number(item[name]?.N);

const hasExpired = (item: DynamoItem, now: number): boolean =>
  item[ATTRIBUTES.expiresAt] !== undefined && numberIn(item, ATTRIBUTES.expiresAt) <= now;

const parseKey = (item: DynamoItem): Key => ({
  pk: textIn(item, ATTRIBUTES.pk),
  sk: textIn(item, ATTRIBUTES.sk),
});

const countsIn = (item: DynamoItem): Counts =>
  Object.fromEntries(
    Object.keys(item)
      .filter((name) => name.startsWith(COUNTER_PREFIX))
      .map((name) => [name.slice(COUNTER_PREFIX.length), numberIn(item, name)]),
  );

const parseRow = <T>(item: DynamoItem): Row<T> => ({
  ...parseKey(item),
  version: textIn(item, ATTRIBUTES.version),
  value: (item[ATTRIBUTES.value] ? JSON.parse(textIn(item, ATTRIBUTES.value)) : countsIn(item)) as T,
  ...(item[ATTRIBUTES.list] ? { listed: parseListed(item) } : {}),
  ...(item[ATTRIBUTES.dueAt] ? { dueAt: numberIn(item, ATTRIBUTES.dueAt) } : {}),
  ...(item[ATTRIBUTES.expiresAt] ? { expiresAt: numberIn(item, ATTRIBUTES.expiresAt) } : {}),
});

const isOrder = (position: string): boolean => ORDER.test(position);

function parseListed(item: DynamoItem): ListEntry {
  const order = textIn(item, ATTRIBUTES.order);
  return {
    list: textIn(item, ATTRIBUTES.list),
    at: Number(order.slice(0, INSTANT_DIGITS)),
    id: order.slice(INSTANT_DIGITS + 1),
    state: textIn(item, ATTRIBUTES.state),
    type: textIn(item, ATTRIBUTES.type),
    priority: numberIn(item, ATTRIBUTES.priority),
    ...(item[ATTRIBUTES.endedAt] ? { endedAt: numberIn(item, ATTRIBUTES.endedAt) } : {}),
  };
}

/** Converts attribute values to DynamoDB and back. */
export const attribute = {
  text,
  number,
  seconds: secondsOf,
  readText: textIn,
  readCounts: countsIn,
  isOrder,
  hasExpired,
};

/** Converts items and keys to DynamoDB and back. */
export const dynamoItem = { ofKey: toKeyItem, ofRow: toItem, ofExpiry: expiryItem, parseKey, parseRow, parseListed };
