/** Tests the calculation of the cost of recorded AWS calls. */
import { describe, expect, it } from 'vitest';
import { ACCESS_LINE, DEFAULT_ACCESS_LINE } from '../../../infra/constructs/access-log.ts';
import { costOf, total, waitingMs } from '../costs/cost-of.ts';
import type { Call } from './recorder/recording.ts';
import { usualWay } from './usual-way.ts';

const callOf = (service: string, operation: string, more: Partial<Call> = {}): Call => ({
  ...{ function: 'f', route: 'r', service, operation, needs: [], units: 1, indexUnits: 0, at: 0, until: 0 },
  ...more,
});

const SPENT = { cpuMs: 0, logBytes: 0, logLines: 0 };

const CALLS = [
  callOf('dynamodb', 'BatchGetItem', { units: 2 }),
  callOf('dynamodb', 'Query', { units: 0.5, indexUnits: 0.5 }),
  callOf('dynamodb', 'PutItem', { units: 3, indexUnits: 2 }),
  callOf('s3', 'CopyObject'),
  callOf('s3', 'DeleteObject'),
  callOf('sqs', 'SendMessageBatch'),
];

describe('the cost of calls', () => {
  it('counts reads and writes, of the table and of its indexes separately', () => {
    const { calls, reads, writes } = costOf(CALLS, { door: 'queue', memoryMegabytes: 1_024, spent: SPENT });
    expect([calls, reads, writes]).toEqual([6, { table: 2, indexes: 0.5 }, { table: 1, indexes: 2 }]);
  });

  it('adds up units, requests, time, memory and the price of the event source', () => {
    const { dollars } = costOf(CALLS, { door: 'gateway', memoryMegabytes: 512, spent: SPENT });
    expect(dollars.dynamodb).toBeCloseTo(3 * 0.625 + 2.5 * 0.125);
    expect([dollars.sqs, dollars.s3, dollars.door]).toEqual([0.4, 5, 1]);
    // Three calls to DynamoDB, two to S3, one to SQS.
    expect(dollars.lambda).toBeCloseTo(0.2 + 0.085 * 0.5 * 13.3334);
    expect(total(dollars)).toBeCloseTo(dollars.dynamodb + dollars.lambda + dollars.logs + 6.4);
  });

  it('scales CPU time by the share of a vCPU, so that work costs the same at any memory size', () => {
    const [small, large] = [256, 1_769].map(
      (memoryMegabytes) =>
        costOf([], { door: 'queue', memoryMegabytes, spent: { ...SPENT, cpuMs: 10 } }).dollars.lambda,
    );
    expect(small).toBeCloseTo(large ?? 0);
    expect(large).toBeCloseTo(0.2 + 0.01 * (1_769 / 1_024) * 13.3334);
  });

  it('counts the longest of parallel calls as the waiting time', () => {
    const side = [callOf('dynamodb', 'GetItem', { at: 0, until: 9 }), callOf('s3', 'GetObject', { at: 3, until: 12 })];
    expect(waitingMs(side)).toBe(30);
    expect(waitingMs([...side, callOf('sqs', 'SendMessageBatch', { at: 12, until: 13 })])).toBe(40);
  });

  it('charges WebSocket messages, the wait for a webhook receiver, and log lines', () => {
    const calls = [
      callOf('execute-api', 'PostToConnection'),
      callOf('dynamodb', 'GetItem', { at: 20, until: 25, rows: ['O#1 WEBHOOK_SECRET'] }),
      callOf('dynamodb', 'PutItem', { at: 25, until: 30, rows: ['O#1#T#1 TASK'] }),
    ];
    const { dollars } = costOf(calls, {
      ...{ door: 'queue', memoryMegabytes: 1_024 },
      spent: { ...SPENT, logBytes: 974, logLines: 1 },
    });
    expect([dollars.sockets, dollars.logs]).toEqual([1, 0.5]);
    expect(waitingMs(calls)).toBe(10 + 5 + 5 + 100);
  });

  it("charges the gateway's access log line for requests that came through the gateway", () => {
    const spent = { ...SPENT, logBytes: 300, logLines: 1 };
    const [without, with_] = (['queue', 'gateway'] as const).map(
      (door) => costOf([], { door, memoryMegabytes: 512, spent }).dollars.logs,
    );
    const line = Buffer.byteLength(JSON.stringify(DEFAULT_ACCESS_LINE)) + 26;
    expect([without, with_]).toEqual([expect.closeTo(0.163), expect.closeTo(0.163 + line / 2_000)]);
    expect(Object.keys(DEFAULT_ACCESS_LINE)).toEqual(Object.keys(ACCESS_LINE));
  });

  it('charges the polling of Lambda to SQS and not to the function', () => {
    const poll = [
      callOf('sqs', 'ReceiveMessage', { route: 'poll q' }),
      callOf('sqs', 'DeleteMessageBatch', { route: 'poll q' }),
    ];
    const [without, with_] = [CALLS, [...CALLS, ...poll]].map((calls) =>
      costOf(calls, { door: 'queue', memoryMegabytes: 1_024, spent: SPENT }),
    );
    expect([with_?.calls, with_?.dollars.lambda]).toEqual([without?.calls, without?.dollars.lambda]);
    expect(with_?.dollars.sqs).toBeCloseTo(3 * 0.4);
  });
});

describe('the usual way', () => {
  it('is the most frequent set of calls, compared by kinds of rows and not by their order', () => {
    const get = (request: string, row: string) => callOf('dynamodb', 'GetItem', { request, rows: [row] });
    const calls = [
      ...[get('1', 'K#1 KEY'), get('1', 'O#1#T#1 TASK')],
      ...[get('2', 'O#1#T#2 TASK'), get('2', 'O#1#T#2 ABOUT')],
      ...[get('3', 'O#1#T#3 ABOUT'), get('3', 'O#1#T#3 TASK')],
    ];
    expect(usualWay(['1', '2', '3'], calls)).toEqual({ requests: ['2', '3'], calls: calls.slice(2, 4) });
  });

  it('is the one of fewer calls if two are equally frequent', () => {
    const get = (request: string, row: string) => callOf('dynamodb', 'GetItem', { request, rows: [row] });
    const calls = [get('1', 'LANES SEATS#normal'), get('1', 'O#1#T#1 TASK'), get('2', 'O#1#T#2 TASK')];
    expect(usualWay(['1', '2'], calls)).toEqual({ requests: ['2'], calls: calls.slice(2) });
  });

  it('may contain no calls', () => {
    expect(usualWay(['1', '2'], [])).toEqual({ requests: ['1', '2'], calls: [] });
  });
});
