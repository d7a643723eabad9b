/** What the caller of an operation must be allowed to do with the key that encrypts its resource, by the documentation of AWS. */
import type { Any } from '../../support/any.ts';

const READ = ['kms:Decrypt'];
const WRITE = ['kms:GenerateDataKey', 'kms:Decrypt'];
const NOTHING: string[] = [];

const KEY_ACTIONS: Record<string, readonly string[]> = {
  // The key of the table is decrypted for whoever reads or writes an item.
  'dynamodb:BatchGetItem': READ,
  'dynamodb:DeleteItem': READ,
  'dynamodb:GetItem': READ,
  'dynamodb:PutItem': READ,
  'dynamodb:Query': READ,
  'dynamodb:UpdateItem': READ,
  's3:CopyObject': WRITE,
  's3:GetObject': READ,
  's3:PutObject': ['kms:GenerateDataKey'],
  // The parts are decrypted when they are put together.
  's3:CreateMultipartUpload': WRITE,
  's3:UploadPart': WRITE,
  's3:CompleteMultipartUpload': READ,
  's3:AbortMultipartUpload': NOTHING,
  's3:DeleteObject': NOTHING,
  's3:DeleteObjectVersion': NOTHING,
  's3:GetBucketPolicy': NOTHING,
  's3:HeadObject': NOTHING,
  's3:ListBucket': NOTHING,
  's3:ListBucketVersions': NOTHING,
  's3:ListObjectVersions': NOTHING,
  's3:ListObjects': NOTHING,
  's3:PutBucketPolicy': NOTHING,
  'secretsmanager:GetSecretValue': READ,
  'sns:Publish': WRITE,
  'sqs:DeleteMessage': NOTHING,
  'sqs:GetQueueAttributes': NOTHING,
  'sqs:ReceiveMessage': READ,
  'sqs:SendMessage': WRITE,
};

/** Throws for an operation that is not listed, so that it cannot pass as one that needs no key. */
export function keyActions(operation: string): readonly string[] {
  const actions = KEY_ACTIONS[operation.replace(/(?<=^sqs:.*)Batch$/, '')];
  if (!actions) throw new Error(`What ${operation} needs of a key is not known here.`);
  return actions;
}

const KEY_OF: Record<string, (properties: Any) => unknown> = {
  'AWS::DynamoDB::Table': (p) => p.SSESpecification?.KMSMasterKeyId,
  'AWS::Logs::LogGroup': (p) => p.KmsKeyId,
  'AWS::S3::Bucket': (p) =>
    p.BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault.KMSMasterKeyID,
  'AWS::SecretsManager::Secret': (p) => p.KmsKeyId,
  'AWS::SNS::Topic': (p) => p.KmsMasterKeyId,
  'AWS::SQS::Queue': (p) => p.KmsMasterKeyId,
};

/** The types of resources that store something. */
export const STORING_TYPES = Object.keys(KEY_OF);

/** The key of the account with which a resource is encrypted. */
export const keyOf = ({ Type, Properties }: { Type: string; Properties: Any }): string | undefined =>
  KEY_OF[Type]?.(Properties ?? {}) as string | undefined;
