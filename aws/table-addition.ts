/** The one update that adds to the counters of a row if every bound holds and nothing else stands in the way. */
import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Spend } from '../shared/ports.ts';
import { ALIVE, NO_VALUE, NOT_MINE_YET, within } from './table-conditions.ts';
import { type DynamoItem, number, secondsOf, text } from './table-items.ts';
import { ATTRIBUTES as A, COUNTER_PREFIX } from './table-layout.ts';

/** One counter: what is added to it, and what it may stand at afterwards. */
export type UpdateTerm = { name: string; by: number | undefined; atMost: number | undefined };
export type CounterAddition = { terms: UpdateTerm[]; expiresAt: number; mine: string; now: number };

export function termsOf({ by, atMost }: Spend): UpdateTerm[] {
  const amounts = new Map(Object.entries(by));
  const bounds = new Map(Object.entries(atMost));
  const names = new Set([...amounts.keys(), ...bounds.keys()]);
  return [...names].map((name) => ({ name, by: amounts.get(name), atMost: bounds.get(name) }));
}

/** How much the counter may stand at now for the amount to fit. */
const restOf = ({ by = 0, atMost }: UpdateTerm): number | undefined => (atMost === undefined ? undefined : atMost - by);

/** Whether the amounts fit where nothing has been counted yet. */
export const fitsEmptyRow = (terms: UpdateTerm[]): boolean => terms.every((term) => (restOf(term) ?? 0) >= 0);

export function addition({ terms, expiresAt, mine, now }: CounterAddition): Partial<UpdateItemCommandInput> {
  return {
    ConditionExpression: [NO_VALUE, ALIVE, NOT_MINE_YET, ...terms.flatMap(boundOf)].join(' AND '),
    UpdateExpression: updateOf(terms),
    ...(terms.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(terms.map(nameOf)) } : {}),
    ExpressionAttributeValues: {
      ':mine': text(mine),
      ':now': number(now),
      ':expiresAt': number(expiresAt),
      ':seconds': secondsOf(expiresAt),
      ...Object.fromEntries(terms.flatMap(valuesOf)),
    },
  };
}

/** What the counters stand at when the amounts are the first. */
export const firstCounts = (terms: UpdateTerm[]): DynamoItem =>
  Object.fromEntries(terms.flatMap(({ name, by }) => (by === undefined ? [] : [[COUNTER_PREFIX + name, number(by)]])));

function updateOf(terms: UpdateTerm[]): string {
  const first = [
    `${A.expiresAt} = if_not_exists(${A.expiresAt}, :expiresAt)`,
    `${A.timeToLive} = if_not_exists(${A.timeToLive}, :seconds)`,
  ];
  const added = terms.flatMap(({ by }, at) => (by === undefined ? [] : [`#c${at} :by${at}`]));
  const add = added.length > 0 ? ` ADD ${added.join(', ')}` : '';
  return `SET ${A.version} = :mine, ${first.join(', ')}${add}`;
}

const nameOf = ({ name }: UpdateTerm, at: number): [string, string] => [`#c${at}`, COUNTER_PREFIX + name];

function boundOf(term: UpdateTerm, at: number): string[] {
  const rest = restOf(term);
  return rest === undefined ? [] : [within(`#c${at}`, `:rest${at}`, rest >= 0)];
}

function valuesOf(term: UpdateTerm, at: number): [string, AttributeValue][] {
  const values: [string, number | undefined][] = [
    [`:by${at}`, term.by],
    [`:rest${at}`, restOf(term)],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [[name, number(value)]]));
}
