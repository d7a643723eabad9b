/** Turns rows into DynamoDB items and back. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { shardOf } from '../../shared/core/port-limits.ts';
import type { Counts, Key, Listed, Row } from '../../shared/ports.ts';
import { ATTRIBUTES as A, COUNTER_PREFIX } from './table-layout.ts';

export type DynamoItem = Record<string, AttributeValue>;

const INSTANT_DIGITS = 16; // holds every safe integer
const ORDER = /^\d{16}#/;

export const text = (S: string): AttributeValue => ({ S });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const secondsOf = (at: number): AttributeValue => number(Math.ceil(at / 1_000));

export const toKeyItem = ({ pk, sk }: Key): DynamoItem => ({ [A.pk]: text(pk), [A.sk]: text(sk) });

export const expiryItem = (expiresAt: number): DynamoItem => ({
  [A.expiresAt]: number(expiresAt),
  [A.timeToLive]: secondsOf(expiresAt),
});

const listedItem = ({ list, at, id, state, type, priority, endedAt }: Listed): DynamoItem => ({
  [A.list]: text(list),
  [A.order]: text(`${String(at).padStart(INSTANT_DIGITS, '0')}#${id}`),
  [A.state]: text(state),
  [A.type]: text(type),
  [A.priority]: number(priority),
  ...(endedAt === undefined ? {} : { [A.endedAt]: number(endedAt) }),
});

export const toItem = (row: Row<unknown>, json: string): DynamoItem => ({
  ...toKeyItem(row),
  [A.version]: text(row.version),
  [A.value]: text(json),
  ...(row.listed ? listedItem(row.listed) : {}),
  ...(row.dueAt === undefined ? {} : { [A.shard]: text(String(shardOf(row))), [A.dueAt]: number(row.dueAt) }),
  ...(row.expiresAt === undefined ? {} : expiryItem(row.expiresAt)),
});

export const textIn = (item: DynamoItem, name: string): string => item[name]?.S ?? '';
const numberIn = (item: DynamoItem, name: string): number => Number(item[name]?.N);

export const hasExpired = (item: DynamoItem, now: number): boolean =>
  item[A.expiresAt] !== undefined && numberIn(item, A.expiresAt) <= now;

export const parseKey = (item: DynamoItem): Key => ({ pk: textIn(item, A.pk), sk: textIn(item, A.sk) });

export const countsIn = (item: DynamoItem): Counts =>
  Object.fromEntries(
    Object.keys(item)
      .filter((name) => name.startsWith(COUNTER_PREFIX))
      .map((name) => [name.slice(COUNTER_PREFIX.length), numberIn(item, name)]),
  );

export const parseRow = <T>(item: DynamoItem): Row<T> => ({
  ...parseKey(item),
  version: textIn(item, A.version),
  value: (item[A.value] ? JSON.parse(textIn(item, A.value)) : countsIn(item)) as T,
  ...(item[A.list] ? { listed: parseListed(item) } : {}),
  ...(item[A.dueAt] ? { dueAt: numberIn(item, A.dueAt) } : {}),
  ...(item[A.expiresAt] ? { expiresAt: numberIn(item, A.expiresAt) } : {}),
});

export const isOrder = (position: string): boolean => ORDER.test(position);

export function parseListed(item: DynamoItem): Listed {
  const order = textIn(item, A.order);
  return {
    list: textIn(item, A.list),
    at: Number(order.slice(0, INSTANT_DIGITS)),
    id: order.slice(INSTANT_DIGITS + 1),
    state: textIn(item, A.state),
    type: textIn(item, A.type),
    priority: numberIn(item, A.priority),
    ...(item[A.endedAt] ? { endedAt: numberIn(item, A.endedAt) } : {}),
  };
}
