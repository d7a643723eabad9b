/** The rows of the table that a call to DynamoDB touches, as `pk sk`; of a page, the common prefix of its keys. */
import { ATTRIBUTES } from '../../../../adapters/aws/dynamo-items.ts';
import type { Body } from './json-operation.ts';

type Item = Record<string, { S?: string }>;

/** Names of expression values in adapters/aws/dynamo-pages.ts. */
const PARTITIONS = [':pk', ':list', ':shard'];

export function rowsIn({ Key, Item: put, RequestItems = {}, ExpressionAttributeValues }: Body): string[] {
  const asked = Object.values(RequestItems as Record<string, { Keys?: Item[] }>).flatMap(({ Keys = [] }) => Keys);
  const items = [Key, put, ...asked].filter((item) => item !== undefined) as Item[];
  return items.length > 0 ? items.map(nameOf) : pageIn((ExpressionAttributeValues ?? {}) as Item);
}

const nameOf = (item: Item): string => `${item[ATTRIBUTES.pk]?.S} ${item[ATTRIBUTES.sk]?.S}`;

function pageIn(values: Item): string[] {
  const partition = PARTITIONS.map((name) => values[name]?.S).find((text) => text !== undefined);
  return partition === undefined ? [] : [`${partition} ${values[':prefix']?.S ?? ''}`];
}
