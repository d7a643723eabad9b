/** Bounded counters: one conditional addition, exact however many spend at once. */

import { checkKey, checkSpend } from '../shared/core/port-limits.ts';
import { Problem } from '../shared/core/problem.ts';
import type { Counts, Key, Table } from '../shared/ports.ts';
import { addition, type CounterAddition, firstCounts, fitsEmptyRow, termsOf } from './table-addition.ts';
import { ABSENT, EXPIRED } from './table-conditions.ts';
import { isOwnWrite, refusedBy } from './table-failures.ts';
import { countsIn, type DynamoItem, expiryItem, hasExpired, number, text, toKeyItem } from './table-items.ts';
import { ATTRIBUTES as A } from './table-layout.ts';
import type { Writing } from './table-writes.ts';

const MAX_ROUNDS = 3;

type CounterOutcome = { spent: boolean; now: Counts };
type CounterAttempt = CounterAddition & { key: Key };

export function counters(o: Writing): Pick<Table, 'spend'> {
  return {
    async spend(key, spend) {
      checkKey(key);
      checkSpend(spend);
      const attempt = {
        key,
        terms: termsOf(spend),
        expiresAt: spend.expiresAt,
        mine: o.ids.mark(),
        now: o.clock.now(),
      };
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const outcome = (await add(o, attempt)) ?? (await restartCounter(o, attempt));
        if (outcome) return outcome;
      }
      throw new Problem('busy', 'This counter changes too fast; try again shortly.');
    },
  };
}

/** Undefined when the counter has expired. */
async function add({ dynamo, tableName }: Writing, attempt: CounterAttempt): Promise<CounterOutcome | undefined> {
  let after: DynamoItem = {};
  const sent = dynamo('UpdateItem', {
    TableName: tableName,
    Key: toKeyItem(attempt.key),
    ...addition(attempt),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }).then(({ Attributes }) => {
    after = Attributes ?? {};
  });
  const refused = await refusedBy(sent);
  if (!refused) return { spent: true, now: countsIn(after) };
  const { was = {} } = refused;
  if (isOwnWrite(refused, attempt.mine)) return { spent: true, now: countsIn(was) };
  if (hasExpired(was, attempt.now)) return undefined;
  if (was[A.value]) throw new Error('Only a counter can be spent, and this key holds a plain row.');
  return { spent: false, now: countsIn(was) };
}

/** Undefined when another caller was first: then there is a counter to add to. */
async function restartCounter(
  { dynamo, tableName }: Writing,
  attempt: CounterAttempt,
): Promise<CounterOutcome | undefined> {
  const { key, terms, expiresAt, mine, now } = attempt;
  if (!fitsEmptyRow(terms)) return { spent: false, now: {} };
  const item = { ...toKeyItem(key), [A.version]: text(mine), ...expiryItem(expiresAt), ...firstCounts(terms) };
  const sent = dynamo('PutItem', {
    TableName: tableName,
    Item: item,
    ConditionExpression: `${ABSENT} OR ${EXPIRED}`,
    ExpressionAttributeValues: { ':now': number(now) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const refused = await refusedBy(sent);
  return refused && !isOwnWrite(refused, mine) ? undefined : { spent: true, now: countsIn(item) };
}
