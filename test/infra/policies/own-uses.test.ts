/** The policies of the template allow each use that the template makes, evaluated as IAM does, and nothing of them is idle. */
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { EVERY_SETTING } from '../every-setting.ts';
import { templateOf } from '../stack.ts';
import { isAllowed } from './evaluate.ts';
import { keyPolicy } from './key-policy.ts';
import { keyUses } from './key-uses.ts';
import { ownUses } from './own-uses.ts';
import { attachedStatements, isAllowedBy } from './policies-of-template.ts';
import { resolvedTemplate } from './resolved-template.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const STAGES: Record<string, Record<string, string>> = { dev: EVERY_SETTING, production: EVERY_SETTING, plain: {} };

describe.each(Object.entries(STAGES))('the template of the stage %s', (stage, context) => {
  const template = resolvedTemplate(templateOf(folder.path, stage, undefined, context).toJSON().Resources);
  const uses = [...ownUses(template), ...keyUses(template)];
  const { 'kms-key': key } = context;
  const statements = [...attachedStatements(template), ...(key === undefined ? [] : keyPolicy(key))];

  it('allows every use that it makes itself', () => {
    const refused = uses.filter((use) => !isAllowedBy(use, statements));
    expect(refused.map(({ use, principal, action, resource }) => `${use}: ${principal} ${action} ${resource}`)).toEqual(
      [],
    );
  });

  it('refuses some use of it as soon as any Allow of a resource, a trust or a schedule is removed', () => {
    const schedulers = Object.entries(template)
      .filter(([, { Type, Properties }]) => Type === 'AWS::IAM::Role' && trusts(Properties, 'scheduler'))
      .map(([id]) => `role/${id}`);
    const watched = statements.filter(
      ({ kind, role = '', statement: { Effect } }) =>
        Effect === 'Allow' && (kind !== 'identity' || schedulers.some((scheduler) => role.endsWith(scheduler))),
    );
    expect(watched.length).toBeGreaterThan(10);
    const idle = watched.filter((removed) => {
      const left = statements.filter((each) => each !== removed);
      return uses.every((use) => isAllowedBy(use, left));
    });
    expect(idle.map(({ holder, statement }) => `${holder}: ${statement.Action}`)).toEqual([]);
  });

  it('refuses the same uses without TLS, and from another account', () => {
    const toQueuesAndBuckets = uses.filter(({ action }) => /^(sqs|s3|sns):/.test(action));
    for (const use of toQueuesAndBuckets) {
      const plain = { ...use, context: { ...use.context, 'aws:securetransport': 'false' } };
      expect(isAllowedBy(plain, statements), use.use).toBe(false);
    }
    const elsewhere = { 'aws:sourceaccount': '999999999999', 'aws:sourcearn': 'arn:aws:x:eu-central-1:999999999999:y' };
    for (const use of uses.filter(({ principal }) => /^(cloudwatch|sns|events|scheduler)\./.test(principal))) {
      const foreign = { ...use, context: { ...use.context, ...elsewhere } };
      expect(isAllowedBy(foreign, statements), use.use).toBe(false);
    }
  });
});

const trusts = (properties: Record<string, unknown>, service: string): boolean =>
  JSON.stringify(properties.AssumeRolePolicyDocument).includes(`${service}.amazonaws.com`);

it('finds all kinds of uses in a stage with every setting', () => {
  const template = resolvedTemplate(templateOf(folder.path, 'all', undefined, EVERY_SETTING).toJSON().Resources);
  const uses = [...ownUses(template), ...keyUses(template)];
  expect([...new Set(uses.map(({ use }) => use))].sort()).toEqual([
    'API -> function',
    'API Gateway -> role of its logs',
    'CDK -> bucket that is emptied',
    'CloudFront -> bucket',
    'Lambda -> role',
    'Scheduler -> function',
    'Scheduler -> queue',
    'Scheduler -> queue, encrypted',
    'Scheduler -> role',
    'alarm -> topic',
    'alarm -> topic, encrypted',
    'failed call -> dead letters',
    'failed call -> dead letters, encrypted',
    'function -> environment, encrypted',
    'logs -> key',
    'queue -> function',
    'queue -> function, encrypted',
    'rule -> dead letters',
    'rule -> dead letters, encrypted',
    'rule -> function',
    'topic -> dead letters',
    'topic -> dead letters, encrypted',
  ]);
});

describe('a request', () => {
  const request = { principal: 'sns.amazonaws.com', action: 'sqs:SendMessage', resource: 'arn:q', context: {} };
  const allow = {
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:*',
    Resource: '*',
  } as const;

  it('is refused without an allow, by any deny, and where a condition has no value', () => {
    expect(isAllowed(request, { resource: [allow], identity: [] })).toBe(true);
    expect(isAllowed(request, { resource: [], identity: [] })).toBe(false);
    const deny = { Effect: 'Deny', Principal: '*', Action: 'sqs:Send*', Resource: 'arn:?' } as const;
    expect(isAllowed(request, { resource: [allow, deny], identity: [] })).toBe(false);
    const Condition = { StringEquals: { 'aws:SourceAccount': '1' } };
    expect(isAllowed(request, { resource: [{ ...allow, Condition }], identity: [] })).toBe(false);
    const IfExists = { StringEqualsIfExists: { 'aws:SourceAccount': '1' } };
    const resource = [{ ...allow, Condition: IfExists }];
    expect(isAllowed(request, { resource, identity: [] })).toBe(true);
    expect(isAllowed({ ...request, context: { 'aws:sourceaccount': '2' } }, { resource, identity: [] })).toBe(false);
    expect(
      isAllowed(
        { ...request, context: { 'aws:sourceaccount': '1' } },
        { resource: [{ ...allow, Condition }], identity: [] },
      ),
    ).toBe(true);
  });

  it('with an unknown condition is an error, not an allowance', () => {
    const strange = { ...allow, Condition: { NumericLessThan: { 'aws:x': '1' } } };
    expect(() => isAllowed(request, { resource: [strange], identity: [] })).toThrow('NumericLessThan');
  });
});
