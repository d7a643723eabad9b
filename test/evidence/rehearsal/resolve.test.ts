// biome-ignore-all lint/suspicious/noTemplateCurlyInString: CloudFormation has its own
import { expect, it } from 'vitest';
import { functionName } from './stack/functions.ts';
import { resolve } from './stack/resolve.ts';
import { createdResource, idOfImagined, imaginedResource } from './stack/template.ts';

const look = async (id: string) => {
  if (id === 'Table')
    return createdResource('table-1', { Arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/table-1' });
  if (id === 'Role') return imaginedResource('Role');
  throw new Error(`no resource ${id}`);
};

const resolveValue = (value: unknown) => resolve(value, look);

it.each([
  ['text', 'text'],
  [{ Ref: 'Table' }, 'table-1'],
  [{ Ref: 'AWS::Region' }, 'us-east-1'],
  [{ 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:123456789012:table/table-1'],
  [{ 'Fn::GetAtt': 'Table.Arn' }, 'arn:aws:dynamodb:us-east-1:123456789012:table/table-1'],
  [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 'b']] }, 'a-table-1-b'],
  [{ 'Fn::Select': ['1', { 'Fn::Split': ['-', { Ref: 'Table' }] }] }, '1'],
  [{ 'Fn::Sub': 'x-${Table}-${AWS::AccountId}-${!kept}' }, 'x-table-1-123456789012-${kept}'],
  [
    { 'Fn::Sub': ['${Own}/${Table.Arn}', { Own: { Ref: 'Table' } }] },
    'table-1/arn:aws:dynamodb:us-east-1:123456789012:table/table-1',
  ],
  [{ deep: [{ Ref: 'Table' }, 1, null, true] }, { deep: ['table-1', 1, null, true] }],
  [
    { kept: 1, gone: { Ref: 'AWS::NoValue' }, list: [{ Ref: 'AWS::NoValue' }, 2] },
    { kept: 1, list: [2] },
  ],
  [{}, {}],
])('resolves %j', async (value, wanted) => {
  expect(await resolveValue(value)).toEqual(wanted);
});

it.each([
  [{ 'Fn::ImportValue': 'x' }, /Fn::ImportValue/],
  [{ Ref: 'Nobody' }, /no resource Nobody/],
  [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, /knows no StreamArn/],
])('does not guess what %j is', async (value, reason) => {
  await expect(resolveValue(value)).rejects.toThrow(reason);
});

it('finds the resource of an imagined attribute', async () => {
  expect(idOfImagined(String(await resolveValue({ 'Fn::GetAtt': ['Role', 'Arn'] })))).toBe('Role');
  expect(idOfImagined(String(await resolveValue({ Ref: 'Role' })))).toBe('Role');
});

it.each([
  ['FilesAndTasksFunction9AE73CC7', 'files-and-tasks'],
  ['AgentsFunctionACD50397', 'agents'],
])('reads the name of the bundle in %s', (id, name) => {
  expect(functionName(id)).toBe(name);
});
