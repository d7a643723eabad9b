import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_WORKERS, settingsOf } from '../../infra/settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deniesPlainHttp, ownFunctions, type Resource, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');
const queues = Object.entries(resourcesOf(template, 'AWS::SQS::Queue'));
const { runTask, sendWebhook, socket } = settingsOf('dev').sizes;

const isDeadLetters = ([id]: [string, Resource]): boolean => id.includes('DeadLetters');
const fed = queues.filter((queue) => !isDeadLetters(queue));
const nameOf = (id: string): string => id.replace(/^Queues/, '').replace(/Queue.*/, '');

it('has queues for three lanes, webhooks and checks of connections', () => {
  expect(fed.map(([id]) => nameOf(id))).toEqual(['HighLane', 'NormalLane', 'LowLane', 'Webhooks', 'Strangers']);
});

describe.each(fed)('%s', (id, { Properties }) => {
  it('hides a message for six times the timeout of its consumer', () => {
    const { timeoutSeconds } = { Webhooks: sendWebhook, Strangers: socket }[nameOf(id)] ?? runTask;
    expect(Properties.VisibilityTimeout).toBe(6 * timeoutSeconds);
  });

  it('has its own dead-letter queue with the longest retention', () => {
    const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy as {
      deadLetterTargetArn: { 'Fn::GetAtt': [string, string] };
      maxReceiveCount: number;
    };
    const [target] = deadLetterTargetArn['Fn::GetAtt'];
    expect(target).toMatch(new RegExp(`^Queues${nameOf(id)}DeadLetters`));
    expect(resourcesOf(template, 'AWS::SQS::Queue')[target]?.Properties.MessageRetentionPeriod).toBe(14 * 86_400);
    expect(maxReceiveCount).toBeGreaterThanOrEqual(5); // with fewer, throttling alone would send messages to the dead-letter queue
  });
});

/** 50, 30 and 20 % of at most 40 workers. */
const SHARES = { HighLane: 20, NormalLane: 12, LowLane: 8 };

describe('the workers', () => {
  type Mapping = { EventSourceArn: { 'Fn::GetAtt': [string, string] }; FunctionName: { Ref: string } };
  const mappingsOf = (from: Template) =>
    Object.values(resourcesOf(from, 'AWS::Lambda::EventSourceMapping'))
      .map(({ Properties }) => Properties as Mapping & Record<string, unknown>)
      .filter((mapping) => !['Webhooks', 'Strangers'].includes(laneIn(mapping)));
  const laneIn = ({ EventSourceArn }: Mapping): string => nameOf(EventSourceArn['Fn::GetAtt'][0]);
  const atOnceIn = (from: Template) =>
    Object.fromEntries(mappingsOf(from).map((mapping) => [laneIn(mapping), mapping.ScalingConfig]));

  it('receive a few tasks at once from three lanes, and a failed task does not repeat the others', () => {
    const mappings = mappingsOf(template);
    expect(mappings.map(laneIn).sort()).toEqual(Object.keys(SHARES).sort());
    for (const mapping of mappings) {
      expect(mapping.FunctionName.Ref).toMatch(/^RunTaskFunction/);
      expect(mapping.BatchSize).toBe(settingsOf('dev').workers.batchSize);
      expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      // Waiting to fill a batch would delay work.
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    }
  });

  it('know their own number, because an organization may occupy only a part of them', () => {
    const workers = Object.entries(ownFunctions(template)).filter(([id]) => id.startsWith('RunTask'));
    expect(workers).toHaveLength(1);
    const environments = workers.map(([, { Properties }]) => Properties.Environment);
    const ERRAND_WORKERS = `${settingsOf('dev').workers.atOnce}`;
    expect(environments[0]).toMatchObject({ Variables: { ERRAND_WORKERS } });
  });

  it('are divided among the lanes by event source mappings, never by reserved concurrency', () => {
    const shares = Object.entries(SHARES).map(([lane, MaximumConcurrency]) => [lane, { MaximumConcurrency }]);
    expect(atOnceIn(template)).toEqual(Object.fromEntries(shares));
    for (const { Properties } of Object.values(ownFunctions(template))) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  it('are as many as the stage sets, up to the maximum of Lambda for the queue of the largest lane', () => {
    const most = templateWith(folder.path, settingsOf('dev', { workerInstances: String(MAX_WORKERS) }));
    expect(atOnceIn(most)).toEqual({
      HighLane: { MaximumConcurrency: 1_000 },
      NormalLane: { MaximumConcurrency: 600 },
      LowLane: { MaximumConcurrency: 400 },
    });
    const workers = { atOnce: MAX_WORKERS + 1, batchSize: 1 };
    expect(() => templateWith(folder.path, { workers })).toThrow(/between 2 and 1000/);
  });

  it('number at least two in every lane, the minimum of Lambda', () => {
    const few = templateWith(folder.path, { workers: { atOnce: 1, batchSize: 1 } });
    const least = { MaximumConcurrency: 2 };
    expect(atOnceIn(few)).toEqual({ HighLane: least, NormalLane: least, LowLane: least });
  });
});

describe.each(queues)('%s', (id, { Properties }) => {
  it('is encrypted and refuses plain HTTP', () => {
    expect(Properties.SqsManagedSseEnabled).toBe(true);
    const ours = template.findResources('AWS::SQS::QueuePolicy', { Properties: { Queues: [{ Ref: id }] } });
    const statements = Object.values(ours).map(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements).toEqual([[expect.objectContaining(deniesPlainHttp('sqs:*'))]]);
  });
});
