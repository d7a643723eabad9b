import { afterAll, describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { deniesPlainHttp, type Resource, resourcesOf, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');
const queues = Object.entries(resourcesOf(template, 'AWS::SQS::Queue'));
const { runTask, sendWebhook } = settingsOf('dev').sizes;

const isDeadLetters = ([id]: [string, Resource]): boolean => id.includes('DeadLetters');
const fed = queues.filter((queue) => !isDeadLetters(queue));
const nameOf = (id: string): string => id.replace(/^Queues/, '').replace(/Queue.*/, '');

it('has three lanes and the webhooks', () => {
  expect(fed.map(([id]) => nameOf(id))).toEqual(['HighLane', 'NormalLane', 'LowLane', 'Webhooks']);
});

describe.each(fed)('%s', (id, { Properties }) => {
  it('hides a message for six times the time its consumer has', () => {
    const { timeoutSeconds } = nameOf(id) === 'Webhooks' ? sendWebhook : runTask;
    expect(Properties.VisibilityTimeout).toBe(6 * timeoutSeconds);
  });

  it('has dead letters of its own, which keep what comes for the longest time there is', () => {
    const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy as {
      deadLetterTargetArn: { 'Fn::GetAtt': [string, string] };
      maxReceiveCount: number;
    };
    const [target] = deadLetterTargetArn['Fn::GetAtt'];
    expect(target).toMatch(new RegExp(`^Queues${nameOf(id)}DeadLetters`));
    expect(resourcesOf(template, 'AWS::SQS::Queue')[target]?.Properties.MessageRetentionPeriod).toBe(14 * 86_400);
    expect(maxReceiveCount).toBeGreaterThanOrEqual(5); // with fewer, throttling alone makes dead letters
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
