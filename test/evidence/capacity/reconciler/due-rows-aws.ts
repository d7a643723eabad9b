/**
 * DynamoDB and SQS with many due tasks, simulated in a process of its own, so that its CPU time is not counted for the
 * reconciler. Each call takes as long as docs/operations/costs.md assumes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { attribute, type DynamoItem, dynamoItem } from '../../../../adapters/aws/dynamo-items.ts';
import { ids as makeIds } from '../../../../shared/core/ids.ts';
import { systemClock } from '../../../../shared/core/time.ts';
import { taskDraft } from '../../../../shared/tasks/rows.ts';
import { newTask } from '../../../../shared/tasks/task.ts';
import { MILLISECONDS } from '../../costs/prices.ts';

/** What the reconciler did in the table and the queues. */
type Counts = { moved: number; hints: number };
export type DueRowsAws = { address: string; counts(): Promise<Counts>; close(): void };

/** Opens the simulation with this number of tasks whose hints were lost. */
export async function openDueRowsAws(rows: number): Promise<DueRowsAws> {
  const child = fork(import.meta.filename, [String(rows)], { execArgv: [] });
  const [address] = (await once(child, 'message')) as [string];
  return {
    address,
    async counts() {
      child.send('counts');
      const [counts] = (await once(child, 'message')) as [Counts];
      return counts;
    },
    close: () => child.kill(),
  };
}

/** Long enough that the first reminder of a task is due, and of every task the same one. */
const WAITING_MS = 90_000;
/** A page of a query holds 1 MB, which are about so many entries of the index. */
const PAGE = 5_000;

type Input = Record<string, unknown>;

/** All tasks wait in the middle lane, where most tasks of a stage are. */
function dueItems(rows: number): DynamoItem[] {
  const ids = makeIds(systemClock);
  const now = Date.now() - WAITING_MS;
  return Array.from({ length: rows }, (_, at) => {
    const task = newTask({ now, face: 'agents', type: 'research_agent', priority: 5, hasWebhook: true });
    const draft = taskDraft({ organization: ids.uuid(), taskId: ids.uuid() }, task, now);
    return dynamoItem.ofRow({ ...draft, version: `v${at}` }, JSON.stringify(task));
  });
}

const nameOf = (key: DynamoItem): string => `${attribute.readText(key, 'pk')} ${attribute.readText(key, 'sk')}`;

function simulation(rows: number) {
  const items = dueItems(rows);
  const positions = new Map(items.map((item, at) => [nameOf(item), at]));
  const shards = Map.groupBy(positions.values(), (at) => attribute.readText(items[at] ?? {}, 'h'));
  const counts: Counts = { moved: 0, hints: 0 };
  const itemOf = (key: DynamoItem): DynamoItem | undefined => items[positions.get(nameOf(key)) ?? -1];

  /** The rows of a shard in the order of their creation, which is that of their due times. */
  function query({ ExpressionAttributeValues: values, ExclusiveStartKey: after, Limit: limit }: Input) {
    const { ':shard': shard, ':before': before } = values as DynamoItem;
    const start = after ? (positions.get(nameOf(after as DynamoItem)) ?? 0) : -1;
    const max = Math.min(Number(limit), PAGE);
    const entries: DynamoItem[] = [];
    for (const at of shards.get(shard?.S ?? '') ?? []) {
      const { pk, sk, h, w } = items[at] as DynamoItem;
      if (at > start && Number(w?.N) <= Number(before?.N)) entries.push({ pk, sk, h, w } as DynamoItem);
      if (entries.length === max) return { Items: entries, LastEvaluatedKey: entries.at(-1) };
    }
    return { Items: entries };
  }

  function put({ Item: item }: Input): object {
    const at = positions.get(nameOf(item as DynamoItem));
    if (at === undefined) return {};
    items[at] = item as DynamoItem;
    counts.moved++;
    return {};
  }

  const answers: Record<string, (input: Input) => object> = {
    Query: query,
    PutItem: put,
    GetItem: ({ Key: key }) => ({ Item: itemOf(key as DynamoItem) }),
    BatchGetItem({ RequestItems: wanted }) {
      const found = Object.entries(wanted as Record<string, { Keys: DynamoItem[] }>);
      return {
        Responses: Object.fromEntries(
          found.map(([table, { Keys }]) => [table, Keys.map(itemOf).filter((item) => item !== undefined)]),
        ),
      };
    },
    SendMessageBatch({ Entries: entries }) {
      counts.hints += (entries as unknown[]).length;
      return { Successful: [], Failed: [] };
    },
  };
  return { counts, answer: (operation: string, input: Input): object => answers[operation]?.(input) ?? {} };
}

async function serve(rows: number): Promise<void> {
  const { counts, answer } = simulation(rows);
  async function answerTo(request: IncomingMessage): Promise<object> {
    const [service = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
    const input = (await json(request).catch(() => ({}))) as Input;
    await wait(MILLISECONDS[service === 'AmazonSQS' ? 'a call to SQS' : 'a call to DynamoDB']);
    return answer(operation, input);
  }
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await answerTo(request));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.on('message', () => process.send?.(counts));
  process.on('disconnect', () => process.exit());
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

if (process.send && import.meta.main) await serve(Number(process.argv[2]));
