/** The group of the schedules that the product creates. */
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Resource, resourcesOf, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');

it('exists once, and is deleted with the stack', () => {
  const groups = Object.values(resourcesOf(template, 'AWS::Scheduler::ScheduleGroup'));
  expect(groups).toMatchObject([{ DeletionPolicy: 'Delete' }]);
});

it('sends messages to the three lanes, and has no other permission', () => {
  const [group = ''] = Object.keys(resourcesOf(template, 'AWS::Scheduler::ScheduleGroup'));
  const roles = Object.entries(resourcesOf(template, 'AWS::IAM::Role')).filter(([id]) => id.startsWith('Schedules'));
  const [[role = '', resource] = []] = roles;
  const trust = (resource as Resource).Properties.AssumeRolePolicyDocument;
  expect(trust).toMatchObject({
    Statement: [
      {
        Principal: { Service: 'scheduler.amazonaws.com' },
        Condition: {
          StringEquals: {
            'aws:SourceAccount': { Ref: 'AWS::AccountId' },
            'aws:SourceArn': { 'Fn::GetAtt': [group, 'Arn'] },
          },
        },
      },
    ],
  });
  const policies = Object.values(resourcesOf(template, 'AWS::IAM::Policy')).filter(({ Properties: { Roles } }) =>
    JSON.stringify(Roles).includes(`"${role}"`),
  );
  const statements = policies.flatMap(
    (policy) =>
      (policy.Properties.PolicyDocument as { Statement: { Action: string; Resource: unknown[] }[] }).Statement,
  );
  expect(statements).toMatchObject([{ Action: 'sqs:SendMessage', Effect: 'Allow' }]);
  expect(
    JSON.stringify(statements[0]?.Resource)
      .match(/(High|Normal|Low)Lane/g)
      ?.sort(),
  ).toEqual(['HighLane', 'LowLane', 'NormalLane']);
});
