/** Reads the table in order: the rows of a partition, and the two indexes. */
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { checkInstant, checkLimit, checkText, isKeyText, ROW_LIMITS } from '../shared/core/port-limits.ts';
import { cursorOf, parseCursor } from '../shared/core/table-reads.ts';
import type { Clock, Page, Paging, Table } from '../shared/ports.ts';
import type { Dynamo } from './signed/dynamo.ts';
import { ALIVE } from './table-conditions.ts';
import { fail } from './table-failures.ts';
import {
  type DynamoItem,
  isOrder,
  number,
  parseKey,
  parseListed,
  parseRow,
  text,
  textIn,
  toKeyItem,
} from './table-items.ts';
import { ATTRIBUTES as A, INDEXES } from './table-layout.ts';

/** Where expired rows were met there may be many: from then on a read is at least this large. */
const READ_AHEAD = 250;

export type TableReading = { dynamo: Dynamo; tableName: string; clock: Clock };

/** `where` is a key condition over `values`. */
type PageQuery = { where: string; values: DynamoItem; more?: Partial<QueryCommandInput> };

export function pages(o: TableReading): Pick<Table, 'rows' | 'listed' | 'due'> {
  return {
    async rows<T>(pk: string, prefix: string, paging: Paging) {
      checkText(pk, ROW_LIMITS.pkBytes, 'pk');
      return readPage(o, beginningWith(pk, prefix, paging), paging, A.sk, parseRow<T>);
    },
    async listed(list, paging) {
      checkText(list, ROW_LIMITS.pkBytes, 'list');
      return readPage(o, listBehind(list, paging), paging, A.order, parseListed);
    },
    async due(shard, before, limit) {
      checkInstant(before, 'before');
      checkLimit(limit);
      const where = `${A.shard} = :shard AND ${A.dueAt} <= :before`;
      const values = { ':shard': text(String(shard)), ':before': number(before) };
      return (await firstFew(o, { where, values, more: { IndexName: INDEXES.due.name } }, limit)).map(parseKey);
    },
  };
}

function beginningWith(pk: string, prefix: string, { after }: Paging): PageQuery {
  const isPosition = (position: string) => isKeyText(position, ROW_LIMITS.skBytes) && position.startsWith(prefix);
  const start = after === undefined ? {} : { ExclusiveStartKey: toKeyItem({ pk, sk: parseCursor(after, isPosition) }) };
  const more = { ConsistentRead: true, ...start };
  // DynamoDB refuses an empty prefix.
  if (prefix === '') return { where: `${A.pk} = :pk`, values: { ':pk': text(pk) }, more };
  const where = `${A.pk} = :pk AND begins_with(${A.sk}, :prefix)`;
  return { where, values: { ':pk': text(pk), ':prefix': text(prefix) }, more };
}

function listBehind(list: string, { after, newestFirst }: Paging): PageQuery {
  const isPosition = (position: string) => isKeyText(position, ROW_LIMITS.skBytes) && isOrder(position);
  const more = { IndexName: INDEXES.list.name };
  if (after === undefined) return { where: `${A.list} = :list`, values: { ':list': text(list) }, more };
  const where = `${A.list} = :list AND ${A.order} ${newestFirst ? '<' : '>'} :after`;
  return { where, values: { ':list': text(list), ':after': text(parseCursor(after, isPosition)) }, more };
}

/** Reads one item beyond the page, to know whether another page follows. */
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
  return { rows: page.map(read), ...(last ? { next: cursorOf(textIn(last, position)) } : {}) };
}

/** DynamoDB filters what it has read, so a read may answer fewer than its limit, even none, with more to come. */
async function firstFew(o: TableReading, { where, values, more }: PageQuery, most: number): Promise<DynamoItem[]> {
  const input: QueryCommandInput = {
    ...more,
    TableName: o.tableName,
    KeyConditionExpression: where,
    FilterExpression: ALIVE,
    ExpressionAttributeValues: { ...values, ':now': number(o.clock.now()) },
    Limit: most,
  };
  const found: DynamoItem[] = [];
  do {
    const { Items = [], LastEvaluatedKey } = await o.dynamo('Query', input).catch(fail);
    found.push(...Items);
    input.ExclusiveStartKey = LastEvaluatedKey;
    input.Limit = Math.max(most - found.length, READ_AHEAD);
  } while (input.ExclusiveStartKey && found.length < most);
  return found.slice(0, most);
}
