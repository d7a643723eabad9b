/** Mail: one sender, one role that may send, and one function that handles bounces. */
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ownFunctions, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const sender = 'notifications@errand-tests.org';
const without = templateOf(folder.path, 'dev');
const template = templateWith(folder.path, { sender });

const variablesOf = (of: Template, id: string): Any => {
  const [, found] = Object.entries(ownFunctions(of)).find(([key]) => key.startsWith(`${id}Function`)) ?? [];
  return (found as Any).Properties.Environment.Variables;
};
const statements = (of: Template): Any[] =>
  Object.entries(resourcesOf(of, 'AWS::IAM::Policy')).flatMap(([id, { Properties }]) =>
    (Properties as Any).PolicyDocument.Statement.map((one: Any) => ({ id, ...one })),
  );
const mailing = (of: Template) => statements(of).filter(({ Action }) => JSON.stringify(Action).includes('ses:'));

describe('a stage without a sender', () => {
  it('has no mail resources, and the API says so', () => {
    for (const type of ['AWS::SES::ConfigurationSet', 'AWS::Events::Rule'])
      expect(resourcesOf(without, type), type).toEqual({});
    expect(mailing(without)).toEqual([]);
    expect(variablesOf(without, 'Agents').ERRAND_SENDER).toBe('');
    expect(variablesOf(without, 'RunTask')).toMatchObject({ ERRAND_SENDER: '', ERRAND_MAIL_SET: '' });
  });
});

describe('a stage with a sender', () => {
  const [set] = Object.keys(resourcesOf(template, 'AWS::SES::ConfigurationSet'));

  it('lets only the worker send, only as this sender and in its configuration set', () => {
    const [grant, ...others] = mailing(template);
    expect(others).toEqual([]);
    expect(grant.id).toMatch(/^RunTaskFunction/);
    expect(grant.Action).toEqual(['ses:SendEmail', 'ses:SendRawEmail']);
    expect(grant.Condition).toEqual({ StringEquals: { 'ses:FromAddress': sender } });
    const resources = grant.Resource.map((one: Any) => JSON.stringify(one));
    expect(resources).toHaveLength(3);
    expect(resources[0]).toContain(`identity/${sender}"`);
    expect(resources[1]).toContain('identity/errand-tests.org"');
    expect(resources[2]).toContain('configuration-set/"');
    expect(resources[2]).toContain(`{"Ref":"${set}"}`);
    expect(resources.join()).not.toContain('*');
  });

  it("passes the sender, the configuration set and the URL for links to the worker, and only the sender's existence to the API", () => {
    expect(variablesOf(template, 'RunTask')).toMatchObject({ ERRAND_SENDER: sender, ERRAND_MAIL_SET: { Ref: set } });
    expect(JSON.stringify(variablesOf(template, 'RunTask').ERRAND_AGENTS_URL)).toContain('EdgeDistribution');
    expect(variablesOf(template, 'Agents').ERRAND_SENDER).toBe(sender);
    for (const id of ['FilesAndTasks', 'Login', 'Socket', 'SendWebhook', 'Reconcile'])
      expect(variablesOf(template, id)).not.toHaveProperty('ERRAND_SENDER');
  });

  it('receives bounces and complaints of its own mails only', () => {
    const [heard] = Object.values(resourcesOf(template, 'AWS::SES::ConfigurationSetEventDestination')) as Any[];
    expect(heard.Properties.ConfigurationSetName).toEqual({ Ref: set });
    expect(heard.Properties.EventDestination).toMatchObject({
      Enabled: true,
      MatchingEventTypes: ['bounce', 'complaint'],
    });
    expect(JSON.stringify(heard)).toContain('event-bus/default');
    const [[id, rule] = []] = Object.entries(resourcesOf(template, 'AWS::Events::Rule')) as [string, Any][];
    expect(rule.Properties.EventPattern).toEqual({
      source: ['aws.ses'],
      detail: { mail: { tags: { 'ses:configuration-set': [{ Ref: set }] } } },
    });
    expect(JSON.stringify(rule.Properties.Targets)).toMatch(/ReconcileFunction/);
    const [buried] = Object.keys(resourcesOf(template, 'AWS::SQS::Queue')).filter((key) => /^Undelivered/.test(key));
    const Arn = { 'Fn::GetAtt': [buried, 'Arn'] };
    // Events that did not reach the function, and those that it failed on.
    expect(rule.Properties.Targets[0].DeadLetterConfig).toEqual({ Arn });
    const [, hears] = Object.entries(ownFunctions(template)).find(([key]) => key.startsWith('Reconcile')) ?? [];
    expect(hears?.Properties.DeadLetterConfig).toEqual({ TargetArn: Arn });
    const allowed = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')) as Any[];
    const [permission] = allowed.filter(({ Properties }) => Properties.Principal === 'events.amazonaws.com');
    expect(permission?.Properties.SourceArn).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
  });
});

it.each([
  'ann',
  'ann@host',
  'Ann <ann@host.org>',
  'a@host.org,b@host.org',
  'a b@host.org',
  '*@host.org',
  'ann@host.org ',
])('rejects the sender %j at synth', (wrong) => {
  expect(() => settingsOf('dev', { sender: wrong })).toThrow(/is not a valid sender: use an e-mail address/);
});

it('accepts an address, and the absence of one', () => {
  expect(settingsOf('dev', { sender }).sender).toBe(sender);
  for (const none of ['', undefined]) expect(settingsOf('dev', { sender: none })).not.toHaveProperty('sender');
});
