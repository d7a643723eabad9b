/** Bounded counters on DynamoDB: one update adds to the counters of a row if every limit holds. */

import {
  type AttributeValue,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { Problem } from '../../shared/core/problem.ts';
import { checkRowKey, checkSpend } from '../../shared/core/row-limits.ts';
import type { Counts, Key, Spend, Table } from '../../shared/ports.ts';
import type { Writing } from './dynamo-access.ts';
import {
  ABSENT,
  ALIVE,
  EXPIRED,
  isOwnWrite,
  NO_VALUE,
  NOT_MINE_YET,
  withinLimitCondition,
  writeOutcome,
} from './dynamo-conditions.ts';
import { ATTRIBUTES as A, attribute, COUNTER_PREFIX, type DynamoItem, dynamoItem } from './dynamo-items.ts';

/** One counter: the amount to add, and its maximum afterwards. */
type UpdateTerm = { name: string; by: number | undefined; atMost: number | undefined };
type CounterAddition = { terms: UpdateTerm[]; expiresAt: number; owner: string; now: number };

function termsOf({ by, atMost }: Spend): UpdateTerm[] {
  const amounts = new Map(Object.entries(by));
  const bounds = new Map(Object.entries(atMost));
  const names = new Set([...amounts.keys(), ...bounds.keys()]);
  return [...names].map((name) => ({ name, by: amounts.get(name), atMost: bounds.get(name) }));
}

/** The highest present count at which the amount still fits. */
const limitOf = ({ by = 0, atMost }: UpdateTerm): number | undefined =>
  atMost === undefined ? undefined : atMost - by;

/** Whether the amounts fit where nothing has been counted yet. */
const fitsEmptyRow = (terms: UpdateTerm[]): boolean => terms.every((term) => (limitOf(term) ?? 0) >= 0);

function addition({ terms, expiresAt, owner, now }: CounterAddition): Partial<UpdateItemCommandInput> {
  return {
    ConditionExpression: [NO_VALUE, ALIVE, NOT_MINE_YET, ...terms.flatMap(boundOf)].join(' AND '),
    UpdateExpression: updateOf(terms),
    ...(terms.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(terms.map(nameOf)) } : {}),
    ExpressionAttributeValues: {
      ':mine': attribute.text(owner),
      ':now': attribute.number(now),
      ':expiresAt': attribute.number(expiresAt),
      ':seconds': attribute.seconds(expiresAt),
      ...Object.fromEntries(terms.flatMap(valuesOf)),
    },
  };
}

/** The counts after the first addition. */
const firstCounts = (terms: UpdateTerm[]): DynamoItem =>
  Object.fromEntries(
    terms.flatMap(({ name, by }) => (by === undefined ? [] : [[COUNTER_PREFIX + name, attribute.number(by)]])),
  );

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
  const limit = limitOf(term);
  return limit === undefined ? [] : [withinLimitCondition(`#c${at}`, `:rest${at}`, limit >= 0)];
}

function valuesOf(term: UpdateTerm, at: number): [string, AttributeValue][] {
  const values: [string, number | undefined][] = [
    [`:by${at}`, term.by],
    [`:rest${at}`, limitOf(term)],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [[name, attribute.number(value)]]));
}

const MAX_ROUNDS = 3;

type CounterOutcome = { spent: boolean; now: Counts };
type CounterAttempt = CounterAddition & { key: Key };

export function counters(o: Writing): Pick<Table, 'spend'> {
  return {
    async spend(key, spend) {
      checkRowKey(key);
      checkSpend(spend);
      const attempt = {
        key,
        terms: termsOf(spend),
        expiresAt: spend.expiresAt,
        owner: o.ids.mark(),
        now: o.clock.now(),
      };
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const added = await add(o, attempt);
        const outcome = added === 'expired' ? await restartCounter(o, attempt) : added;
        if (outcome !== 'taken') return outcome;
      }
      throw new Problem('busy', 'This counter changes too fast; try again shortly.');
    },
  };
}

async function add({ client, tableName }: Writing, attempt: CounterAttempt): Promise<CounterOutcome | 'expired'> {
  let after: DynamoItem = {};
  const response = client
    .send(
      new UpdateItemCommand({
        TableName: tableName,
        Key: dynamoItem.ofKey(attempt.key),
        ...addition(attempt),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    .then(({ Attributes }) => {
      after = Attributes ?? {};
    });
  const outcome = await writeOutcome(response);
  if (outcome === 'done') return { spent: true, now: attribute.readCounts(after) };
  const { was = {} } = outcome;
  if (isOwnWrite(outcome, attempt.owner)) return { spent: true, now: attribute.readCounts(was) };
  if (attribute.hasExpired(was, attempt.now)) return 'expired';
  if (was[A.value]) throw new Error('Only a counter can be spent, and this key holds a plain row.');
  return { spent: false, now: attribute.readCounts(was) };
}

/** `taken`: another caller was first, so there is a counter to add to. */
async function restartCounter(
  { client, tableName }: Writing,
  attempt: CounterAttempt,
): Promise<CounterOutcome | 'taken'> {
  const { key, terms, expiresAt, owner, now } = attempt;
  if (!fitsEmptyRow(terms)) return { spent: false, now: {} };
  const item = {
    ...dynamoItem.ofKey(key),
    [A.version]: attribute.text(owner),
    ...dynamoItem.ofExpiry(expiresAt),
    ...firstCounts(terms),
  };
  const response = client.send(
    new PutItemCommand({
      TableName: tableName,
      Item: item,
      ConditionExpression: `${ABSENT} OR ${EXPIRED}`,
      ExpressionAttributeValues: { ':now': attribute.number(now) },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  const outcome = await writeOutcome(response);
  return outcome === 'done' || isOwnWrite(outcome, owner) ? { spent: true, now: attribute.readCounts(item) } : 'taken';
}
