/** A stage with the customer's key of KMS is the same stage: nothing but encryption and the rights to the key differ. */
import { Stack } from 'aws-cdk-lib';
import { afterAll, expect, it, vi } from 'vitest';
import { CustomerKey, TO_READ } from '../../infra/constructs/customer-key.ts';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EVERY_SETTING } from './every-setting.ts';
import { templateOf } from './stack.ts';

/** Each test synthesizes two stages. */
vi.setConfig({ testTimeout: 120_000 });

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** The properties by which resources name a key, and what they have instead without one. */
const OF_ENCRYPTION = new Set([
  'BucketEncryption',
  'KmsDataKeyReusePeriodSeconds',
  'KmsKeyArn',
  'KmsKeyId',
  'KmsMasterKeyId',
  'SSESpecification',
  'SqsManagedSseEnabled',
]);

const isOfKey = (statement: Any): boolean =>
  [statement?.Action].flat().some((action) => typeof action === 'string' && action.startsWith('kms:'));

function withoutEncryption(value: Any): Any {
  if (Array.isArray(value)) return value.filter((part) => !isOfKey(part)).map(withoutEncryption);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .filter(([name]) => !OF_ENCRYPTION.has(name))
    .map(([name, part]) => [name, withoutEncryption(part)] as const);
  // The topic has no other property.
  return Object.fromEntries(kept.filter(([name, part]) => name !== 'Properties' || Object.keys(part).length > 0));
}

it.each(['production', 'branch'])('differs from the stage %s without a key in encryption alone', (stage) => {
  const { 'kms-key': key, ...others } = EVERY_SETTING;
  const [encrypted, plain] = [EVERY_SETTING, others].map((given) =>
    templateOf(folder.path, stage, undefined, given).toJSON(),
  );
  expect(JSON.stringify(encrypted)).toContain(key);
  expect(JSON.stringify(plain)).not.toContain('kms');
  expect(withoutEncryption(encrypted)).toEqual(withoutEncryption(plain));
});

it.each([
  ['aws', 'eu-central-1', 'sqs.eu-central-1.amazonaws.com'],
  ['aws-cn', 'cn-north-1', 'sqs.cn-north-1.amazonaws.com.cn'],
])('names services of the partition %s by the hosts of their region', (partition, region, service) => {
  const arn = `arn:${partition}:kms:${region}:111122223333:key/0a1b2c3d-1111-2222-3333-444455556666`;
  const { Condition } = new CustomerKey(new Stack(), { arn, region }).statement('sqs', TO_READ).toStatementJson();
  expect(Condition).toEqual({ StringEquals: { 'kms:ViaService': service } });
});
