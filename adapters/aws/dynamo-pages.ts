/** Ordered reads of the table on DynamoDB: the rows of a partition, and the two indexes. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { cursorOf, parseCursor } from '../../shared/core/cursor.ts';
import { checkInstant, checkLimit, checkText, isKeyText, ROW_LIMITS } from '../../shared/core/row-limits.ts';
import type { Page, Paging, Table } from '../../shared/ports.ts';
import { fail, type TableReading } from './dynamo-access.ts';
import { ALIVE } from './dynamo-conditions.ts';
import { ATTRIBUTES as A, attribute, type DynamoItem, dynamoItem, INDEXES } from './dynamo-items.ts';

/** After a read that met expired rows there may be many more: later reads are at least this large. */
const READ_AHEAD = 250;

/** `where` is a key condition over `values`. */
type PageQuery = { where: string; values: DynamoItem; more?: Partial<QueryCommandInput> };

export function pages(o: TableReading): Pick<Table, 'rows' | 'listed' | 'due'> {
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
