/** Encryption with a key of KMS that the customer made, instead of keys that belong to the services. */
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';

/** A service that uses the key on behalf of a role. */
export type KeyService = 'dynamodb' | 'lambda' | 's3' | 'secretsmanager' | 'sqs';
type KeyAction = 'kms:Decrypt' | 'kms:GenerateDataKey';

/** The rights by which a role reads data that the key encrypts. */
export const TO_READ: KeyAction[] = ['kms:Decrypt'];
/** S3 decrypts the parts of a multipart upload, and SQS its own data keys, for who writes. */
export const TO_WRITE: KeyAction[] = ['kms:GenerateDataKey', 'kms:Decrypt'];

/** The stack cannot change the policy of this key: docs/operations/deploy.md lists the statements that the customer adds. */
export class CustomerKey {
  readonly key: IKey;
  private readonly domain: string;

  constructor(scope: Construct, { arn, region }: { arn: string; region: string }) {
    this.key = Key.fromKeyArn(scope, 'CustomerKey', arn);
    this.domain = `${region}.${RegionInfo.get(region).domainSuffix ?? 'amazonaws.com'}`;
  }

  /** Lets a role use the key by way of one service only, which checks its own permissions on the data. */
  statement(service: KeyService, actions: KeyAction[]): PolicyStatement {
    return new PolicyStatement({
      actions,
      resources: [this.key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${this.domain}` } },
    });
  }
}

/** The property of resources whose default is a key of their service. */
export const encryptedWith = (customerKey: CustomerKey | undefined): { encryptionKey?: IKey } =>
  customerKey ? { encryptionKey: customerKey.key } : {};
