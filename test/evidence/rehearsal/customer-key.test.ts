/**
 * The rights to the customer's key against the recorded calls: the recorded stage is synthesized once more with a key, and
 * each call on what the key encrypts needs the rights that AWS documents for it. `npm run rehearse` runs it.
 */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { EVERY_SETTING } from '../../infra/every-setting.ts';
import { keyActions, keyOf } from '../../infra/policies/key-actions.ts';
import { type AttachedStatement, attachedStatements, isAllowedBy } from '../../infra/policies/policies-of-template.ts';
import { REGION, resolvedTemplate } from '../../infra/policies/resolved-template.ts';
import { ownFunctions, templateOf } from '../../infra/stack.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Recording } from './recorder/recording.ts';
import { functionName } from './stack/functions.ts';
import { STAGE } from './stack/rehearsed-stage.ts';
import { UNUSED } from './unused-grants.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const recording = JSON.parse(readFileSync('.cache/rehearsal/calls.json', 'utf8')) as Recording;
const KEY = EVERY_SETTING['kms-key'];
const stack = templateOf(folder.path, STAGE.stage, undefined, { ...STAGE, 'kms-key': KEY });
const template = resolvedTemplate(stack.toJSON().Resources);
const statements = attachedStatements(template);

/** The rehearsal names a resource after its logical id; a bucket in lower case. */
const encrypted = new Set(
  Object.entries(template).flatMap(([id, resource]) => (keyOf(resource) === KEY ? [id.toLowerCase()] : [])),
);
const isEncrypted = (arn: string): boolean => encrypted.has(/rehearsal-(\w+)/.exec(arn)?.[1]?.toLowerCase() ?? '');

type RightToKey = { role: string; service: string; action: string };

const functions = Object.entries(ownFunctions(stack)).map(([id]) => {
  const { Role: role, KmsKeyArn }: Any = template[id]?.Properties ?? {};
  return { name: functionName(id), role: role as string, isEncrypted: KmsKeyArn === KEY };
});

/** A function is started for its first call, with its environment. */
const neededOf = ({ name, role, isEncrypted: isStarted }: (typeof functions)[number]): RightToKey[] => [
  ...(isStarted ? [{ role, service: 'lambda', action: 'kms:Decrypt' }] : []),
  ...recording.calls
    .filter((call) => call.function === name && call.needs.some(({ resource }) => isEncrypted(resource)))
    .flatMap(({ service, operation }) =>
      keyActions(`${service}:${operation}`).map((action) => ({ role, service, action })),
    ),
];

const text = ({ role, service, action }: RightToKey) => `${role.split('/').at(-1)} ${action} by way of ${service}`;
const distinct = (rights: RightToKey[]): RightToKey[] => [
  ...new Map(rights.map((right) => [text(right), right])).values(),
];
const needed = distinct(functions.flatMap(neededOf));

const isGranted = ({ role, service, action }: RightToKey, granted: readonly AttachedStatement[]): boolean =>
  isAllowedBy(
    { principal: role, action, resource: KEY, context: { 'kms:viaservice': `${service}.${REGION}.amazonaws.com` } },
    granted,
  );

it('sees calls of every function on each kind of encrypted resource', () => {
  expect(functions.map(({ name }) => name).toSorted()).toEqual(recording.functions.map(({ name }) => name).toSorted());
  const services = new Set(needed.map(({ service }) => service));
  expect([...services].toSorted()).toEqual(['dynamodb', 'lambda', 's3', 'secretsmanager', 'sqs']);
});

it('allows each recorded call to use the key for what it reads or writes', () => {
  expect(needed.filter((right) => !isGranted(right, statements)).map(text)).toEqual([]);
});

const STORING = /^(dynamodb|s3|secretsmanager|sqs):/;

/** What the grants need that have a reason to be there although no recorded call uses them. */
const excusedOf = ({ name, role }: (typeof functions)[number]): RightToKey[] =>
  UNUSED.filter((entry) => (entry.function ?? name) === name)
    .flatMap(({ grants }) => grants.map((grant) => grant.split(' ', 1)[0] ?? ''))
    .filter((operation) => STORING.test(operation))
    .flatMap((operation) =>
      keyActions(operation).map((action) => ({ role, service: operation.split(':', 1)[0] ?? '', action })),
    );

it('allows a function nothing with the key that neither a recorded call nor an excused grant needs', () => {
  const roles = new Set(functions.map(({ role }) => role));
  const granted = statements
    .filter(({ role = '', statement }) => roles.has(role) && [statement.Action].flat().join().includes('kms:'))
    .flatMap(({ role = '', statement: { Action, Condition } }) =>
      [Action].flat().map((action) => {
        const via = String(Condition?.StringEquals?.['kms:ViaService']);
        return { role, action, service: via.slice(0, via.indexOf('.')) };
      }),
    );
  const useful = new Set([...needed, ...functions.flatMap(excusedOf)].map(text));
  expect(granted.length).toBeGreaterThan(20);
  expect(
    distinct(granted)
      .map(text)
      .filter((right) => !useful.has(right)),
  ).toEqual([]);
});
