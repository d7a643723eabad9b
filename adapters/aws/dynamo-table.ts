/** The table on DynamoDB: one item for each row, two sparse indexes, and bounded counters. */

import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { cursorOf, parseCursor } from '../../shared/core/cursor.ts';
import { Problem } from '../../shared/core/problem.ts';
import {
  checkedJson,
  checkInstant,
  checkLimit,
  checkRowKey,
  checkRowKeys,
  checkSpend,
  checkText,
  isKeyText,
  ROW_LIMITS,
} from '../../shared/core/row-limits.ts';
import type {
  Clock,
  Counts,
  Draft,
  Ids,
  Key,
  Page,
  Paging,
  Prerequisites,
  ReplaceOptions,
  Row,
  Spend,
  Table,
} from '../../shared/ports.ts';
import {
  ATTRIBUTES as A,
  ATTRIBUTES,
  attribute,
  COUNTER_PREFIX,
  type DynamoItem,
  dynamoItem,
  INDEXES,
} from './dynamo-items.ts';
import { failAs, isAwsError } from './errors.ts';

// Why a conditional write failed, and how a writer recognizes its own write.

/** The row that the condition met, and how many attempts the client had made. */
type WriteRefusal = { was: DynamoItem | undefined; attempts: number };

/** A handler for `catch`: the client has already retried. */
export const fail = failAs('The table');

/** Waits for a conditional write. */
const outcomeOf = (response: Promise<unknown>): Promise<WriteRefusal | 'done'> =>
  response.then(() => 'done' as const, refusal);

function refusal(error: unknown): WriteRefusal {
  if (!isAwsError(error, 'ConditionalCheckFailedException')) return fail(error);
  return { was: error.Item, attempts: error.$metadata?.attempts ?? 1 };
}

/** The first attempt succeeded, its response was lost, and the retry met its own row. */
const isOwnWrite = ({ was }: WriteRefusal, version: string): boolean =>
  was !== undefined && attribute.readText(was, ATTRIBUTES.version) === version;

// The conditions of writes: each is named after its requirement and documented by the race that it prevents.

/** Two callers insert concurrently: the second finds the key taken. */
const ABSENT = `attribute_not_exists(${A.pk})`;

/** An expired row stays until DynamoDB deletes it; until then it must not block its key. */
const EXPIRED = `${A.expiresAt} <= :now`;

/** A row may expire between our read and our write: a write must not continue a row that others already see as absent. */
const ALIVE = `(attribute_not_exists(${A.expiresAt}) OR ${A.expiresAt} > :now)`;

/** Another writer changed the row between our read and our write, or replaced it by a new one. */
const HELD = `${A.version} = :held`;

/**
 * A retried addition whose first response was lost must not be added twice. If another caller added in between, ours
 * cannot be recognized and may count twice, but never beyond its limit.
 */
const NOT_MINE_YET = `(attribute_not_exists(${A.version}) OR ${A.version} <> :mine)`;

/** A plain row has this key: it must not be mixed with a counter. */
const NO_VALUE = `attribute_not_exists(${A.value})`;

/** Other callers spend at the same time, so the write itself checks what is left. An absent counter is at zero. */
const within = (counter: string, limit: string, mayBeAbsent: boolean): string =>
  mayBeAbsent ? `(attribute_not_exists(${counter}) OR ${counter} <= ${limit})` : `${counter} <= ${limit}`;

// Ordered reads: the rows of a partition, and the two indexes.

/** After a read that met expired rows there may be many more: later reads are at least this large. */
const READ_AHEAD = 250;

type TableReading = { client: DynamoDBClient; tableName: string; clock: Clock };

/** `where` is a key condition over `values`. */
type PageQuery = { where: string; values: DynamoItem; more?: Partial<QueryCommandInput> };

function pages(o: TableReading): Pick<Table, 'rows' | 'listed' | 'due'> {
  return {
    async rows<T>(pk: string, prefix: string, paging: Paging) {
      checkText(pk, ROW_LIMITS.pkBytes, 'pk');
      return readPage(o, beginningWith(pk, prefix, paging), paging, A.sk, dynamoItem.parseRow<T>);
    },
    async listed(list, paging) {
      checkText(list, ROW_LIMITS.pkBytes, 'list');
      return readPage(o, listBehind(list, paging), paging, A.order, dynamoItem.parseListed);
    },
    async due(shard, before, limit) {
      checkInstant(before, 'before');
      checkLimit(limit);
      const where = `${A.shard} = :shard AND ${A.dueAt} <= :before`;
      const values = { ':shard': attribute.text(String(shard)), ':before': attribute.number(before) };
      return (await firstFew(o, { where, values, more: { IndexName: INDEXES.due.name } }, limit)).map(
        dynamoItem.parseKey,
      );
    },
  };
}

function beginningWith(pk: string, prefix: string, { after }: Paging): PageQuery {
  const isPosition = (position: string) => isKeyText(position, ROW_LIMITS.skBytes) && position.startsWith(prefix);
  const start =
    after === undefined ? {} : { ExclusiveStartKey: dynamoItem.ofKey({ pk, sk: parseCursor(after, isPosition) }) };
  const more = { ConsistentRead: true, ...start };
  // DynamoDB refuses an empty prefix.
  if (prefix === '') return { where: `${A.pk} = :pk`, values: { ':pk': attribute.text(pk) }, more };
  const where = `${A.pk} = :pk AND begins_with(${A.sk}, :prefix)`;
  return { where, values: { ':pk': attribute.text(pk), ':prefix': attribute.text(prefix) }, more };
}

function listBehind(list: string, { after, newestFirst }: Paging): PageQuery {
  const isPosition = (position: string) => isKeyText(position, ROW_LIMITS.skBytes) && attribute.isOrder(position);
  const more = { IndexName: INDEXES.list.name };
  if (after === undefined) return { where: `${A.list} = :list`, values: { ':list': attribute.text(list) }, more };
  const where = `${A.list} = :list AND ${A.order} ${newestFirst ? '<' : '>'} :after`;
  return {
    where,
    values: { ':list': attribute.text(list), ':after': attribute.text(parseCursor(after, isPosition)) },
    more,
  };
}

/** Reads one more item than the page holds, to know whether another page follows. */
async function readPage<R>(
  o: TableReading,
  question: PageQuery,
  { limit, newestFirst = false }: Paging,
  position: string,
  read: (item: DynamoItem) => R,
): Promise<Page<R>> {
  checkLimit(limit);
  const more = { ...question.more, ScanIndexForward: !newestFirst };
  const items = await firstFew(o, { ...question, more }, limit + 1);
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1) : undefined;
  return { rows: page.map(read), ...(last ? { next: cursorOf(attribute.readText(last, position)) } : {}) };
}

/** DynamoDB filters after reading, so a read may return fewer items than its limit, even none, with more to come. */
async function firstFew(o: TableReading, { where, values, more }: PageQuery, max: number): Promise<DynamoItem[]> {
  const input: QueryCommandInput = {
    ...more,
    TableName: o.tableName,
    KeyConditionExpression: where,
    FilterExpression: ALIVE,
    ExpressionAttributeValues: { ...values, ':now': attribute.number(o.clock.now()) },
    Limit: max,
  };
  const items: DynamoItem[] = [];
  do {
    const { Items = [], LastEvaluatedKey } = await o.client.send(new QueryCommand(input)).catch(fail);
    items.push(...Items);
    input.ExclusiveStartKey = LastEvaluatedKey;
    input.Limit = Math.max(max - items.length, READ_AHEAD);
  } while (input.ExclusiveStartKey && items.length < max);
  return items.slice(0, max);
}

const MAX_BATCH_ROUNDS = 7;
const FIRST_WAIT_MS = 10;

const keyText = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

function batch(o: TableReading): Pick<Table, 'getMany'> {
  return {
    async getMany<T>(keys: Key[]) {
      checkRowKeys(keys);
      // DynamoDB refuses a batch that names a key twice.
      const keyItems = new Map(keys.map((key) => [keyText(key), dynamoItem.ofKey(key)]));
      const itemsByKey = await readBatch(o, [...keyItems.values()]);
      const now = o.clock.now();
      return keys.map((key) => {
        const item = itemsByKey.get(keyText(key));
        return item && !attribute.hasExpired(item, now) ? dynamoItem.parseRow<T>(item) : undefined;
      });
    },
  };
}

/** A response holds 16 MB at most, and a busy partition leaves keys unprocessed: the remaining keys are requested again. */
async function readBatch({ client, tableName }: TableReading, keys: DynamoItem[]): Promise<Map<string, DynamoItem>> {
  const itemsByKey = new Map<string, DynamoItem>();
  let remaining = keys;
  for (let round = 0; remaining.length > 0; round++) {
    if (round === MAX_BATCH_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const RequestItems = { [tableName]: { Keys: remaining, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems })).catch(fail);
    for (const item of Responses?.[tableName] ?? []) itemsByKey.set(keyText(dynamoItem.parseKey(item)), item);
    remaining = UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return itemsByKey;
}

// Adds to the counters of a row in one update, if every limit holds.

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
  return limit === undefined ? [] : [within(`#c${at}`, `:rest${at}`, limit >= 0)];
}

function valuesOf(term: UpdateTerm, at: number): [string, AttributeValue][] {
  const values: [string, number | undefined][] = [
    [`:by${at}`, term.by],
    [`:rest${at}`, limitOf(term)],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [[name, attribute.number(value)]]));
}

type Writing = TableReading & { ids: Ids };

function writes({ client, tableName, clock, ids }: Writing): Pick<Table, 'insert' | 'replace' | 'remove'> {
  const now = () => attribute.number(clock.now());
  const onRefusal = { TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

  async function insert<T>(draft: Draft<T>, prerequisites: Prerequisites = []): Promise<Row<T> | undefined> {
    await Promise.all(prerequisites.map((prerequisite) => insert(prerequisite)));
    const row = { ...draft, version: ids.mark() };
    const response = client.send(
      new PutItemCommand({
        ...onRefusal,
        Item: dynamoItem.ofRow(row, checkedJson(row)),
        ConditionExpression: `${ABSENT} OR ${EXPIRED}`,
        ExpressionAttributeValues: { ':now': now() },
      }),
    );
    const outcome = await outcomeOf(response);
    return outcome === 'done' || isOwnWrite(outcome, row.version) ? row : undefined;
  }

  return {
    insert,

    async replace<T>(
      current: Key & { version: string },
      next: Omit<Draft<T>, keyof Key>,
      { prerequisites = [] }: ReplaceOptions = {},
    ) {
      await Promise.all(prerequisites.map((prerequisite) => insert(prerequisite)));
      const row = { ...next, pk: current.pk, sk: current.sk, version: ids.mark() };
      const response = client.send(
        new PutItemCommand({
          ...onRefusal,
          Item: dynamoItem.ofRow(row, checkedJson(row)),
          ConditionExpression: `${HELD} AND ${ALIVE}`,
          ExpressionAttributeValues: { ':held': attribute.text(current.version), ':now': now() },
        }),
      );
      const outcome = await outcomeOf(response);
      return outcome === 'done' || isOwnWrite(outcome, row.version) ? row : undefined;
    },

    async remove(current) {
      checkRowKey(current);
      const response = client.send(
        new DeleteItemCommand({
          ...onRefusal,
          Key: dynamoItem.ofKey(current),
          ConditionExpression: `${HELD} AND ${ALIVE}`,
          ExpressionAttributeValues: { ':held': attribute.text(current.version), ':now': now() },
        }),
      );
      const outcome = await outcomeOf(response);
      // A retry that finds no row: the first attempt removed it, and its response was lost.
      return outcome === 'done' || (outcome.was === undefined && outcome.attempts > 1);
    },
  };
}

const MAX_ROUNDS = 3;

type CounterOutcome = { spent: boolean; now: Counts };
type CounterAttempt = CounterAddition & { key: Key };

function counters(o: Writing): Pick<Table, 'spend'> {
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
  const outcome = await outcomeOf(response);
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
  const outcome = await outcomeOf(response);
  return outcome === 'done' || isOwnWrite(outcome, owner) ? { spent: true, now: attribute.readCounts(item) } : 'taken';
}

/** The table on DynamoDB: one item for each row, two sparse indexes. */
export function dynamoTable(o: Writing): Table {
  const { client, tableName, clock } = o;
  return {
    async get(key, { consistency = 'strong' } = {}) {
      checkRowKey(key);
      const input = { TableName: tableName, Key: dynamoItem.ofKey(key), ConsistentRead: consistency === 'strong' };
      const { Item: item } = await client.send(new GetItemCommand(input)).catch(fail);
      return item && !attribute.hasExpired(item, clock.now()) ? dynamoItem.parseRow(item) : undefined;
    },
    ...batch(o),
    ...writes(o),
    ...pages(o),
    ...counters(o),
  };
}
