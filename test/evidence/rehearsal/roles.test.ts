/** Tests the evaluation of IAM policies: patterns, and the statements of a role. */
import { describe, expect, it } from 'vitest';
import { allows, fits } from './recorder/allows.ts';
import { type Statement, statementsOf } from './stack/statements.ts';
import { imaginedResource, type Template } from './stack/template.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/t';
const allow = (actions: string[], resources: string[]): Statement => ({ effect: 'Allow', actions, resources });
const deny = (actions: string[], resources: string[]): Statement => ({ effect: 'Deny', actions, resources });

describe('a pattern', () => {
  it.each([
    ['a*c', 'abbc'],
    ['a*', 'a/b:c\n'],
    ['a?c', 'abc'],
    ['arn:aws:s3:::b/*', 'arn:aws:s3:::b/c/(1)+.txt'],
    ['a.c', 'a.c'],
  ])('%s fits %j', (pattern, text) => expect(fits(pattern, text)).toBe(true));

  it.each([
    ['a*c', 'abcd'],
    ['a?c', 'ac'],
    ['a.c', 'abc'],
    ['arn:aws:s3:::b/*', 'arn:aws:s3:::b'],
    ['', 'a'],
  ])('%s does not fit %j', (pattern, text) => expect(fits(pattern, text)).toBe(false));
});

describe('a role', () => {
  it('allows an action of its list on its resource, whatever the case of the action', () => {
    const role = [allow(['dynamodb:getitem', 'dynamodb:PutItem'], [TABLE])];
    expect(allows(role, { action: 'dynamodb:GetItem', resource: TABLE })).toBe(true);
    expect(allows(role, { action: 'dynamodb:DeleteItem', resource: TABLE })).toBe(false);
    expect(allows(role, { action: 'dynamodb:GetItem', resource: TABLE.toUpperCase() })).toBe(false);
  });

  it('that may query the table may not query its index, and vice versa', () => {
    const index = `${TABLE}/index/list`;
    const needs = [TABLE, index].map((resource) => ({ action: 'dynamodb:Query', resource }));
    expect(needs.map((need) => allows([allow(['dynamodb:Query'], [TABLE])], need))).toEqual([true, false]);
    expect(needs.map((need) => allows([allow(['dynamodb:Query'], [index])], need))).toEqual([false, true]);
    expect(needs.map((need) => allows([allow(['dynamodb:Query'], [`${TABLE}/index/*`])], need))).toEqual([false, true]);
  });

  it('allows nothing by an action and a resource of different statements', () => {
    const role = [allow(['s3:GetObject'], ['a']), allow(['s3:PutObject'], ['b'])];
    expect(allows(role, { action: 's3:GetObject', resource: 'b' })).toBe(false);
  });

  it('allows nothing that is also denied, and nothing without statements', () => {
    const need = { action: 's3:GetObject', resource: 'a' };
    expect(allows([allow(['s3:*'], ['*'])], need)).toBe(true);
    expect(allows([allow(['s3:*'], ['*']), deny(['s3:Get*'], ['a'])], need)).toBe(false);
    expect(allows([], need)).toBe(false);
  });
});

describe('the statements of a role', () => {
  const policy = (role: string, statement: object) => ({
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: role }], PolicyDocument: { Statement: [statement] } },
  });
  const statement = { Effect: 'Allow', Action: 's3:GetObject', Resource: { 'Fn::GetAtt': ['Bucket', 'Arn'] } };
  const read = (Resources: Template['Resources']) =>
    statementsOf({ Resources }, 'Role', async (id) => imaginedResource(id));
  const role = (properties: Record<string, unknown> = {}) => ({ Type: 'AWS::IAM::Role', Properties: properties });

  it('are its inline and attached ones, and belong to no other role', async () => {
    const inline = { PolicyDocument: { Statement: [{ ...statement, Action: ['s3:PutObject'], Resource: ['*'] }] } };
    const found = await read({
      Role: role({ Policies: [inline] }),
      Mine: policy('Role', statement),
      Theirs: policy('Other', { ...statement, Action: 's3:DeleteObject' }),
    });
    expect(found).toEqual([allow(['s3:PutObject'], ['*']), allow(['s3:GetObject'], ['imagined:Bucket:Arn'])]);
  });

  it('are refused when a part of them is unknown', async () => {
    const conditional = policy('Role', { ...statement, Condition: { StringEquals: {} } });
    await expect(read({ Role: role(), Mine: conditional })).rejects.toThrow(/Condition/);
    await expect(read({ Role: role({ ManagedPolicyArns: ['x'] }) })).rejects.toThrow(/what x allow/);
  });
});
