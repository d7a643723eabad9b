/** Rules about stored data. */
import type { Any } from '../../support/any.ts';
import { breaches, every, first, of, type Rule } from './rule.ts';

export const DATA: Rule[] = [
  every('the table is paid by use', 'AWS::DynamoDB::Table', {
    isRight: (p) => p.BillingMode === 'PAY_PER_REQUEST',
    spoil: (p) => (p.BillingMode = 'PROVISIONED'),
  }),
  every('the table forgets what has expired', 'AWS::DynamoDB::Table', {
    isRight: (p) => p.TimeToLiveSpecification?.Enabled === true,
    spoil: (p) => delete p.TimeToLiveSpecification,
  }),
  {
    says: 'what is kept is backed up and protected, what is ephemeral neither',
    faults: (template, { isKept }) =>
      breaches(
        of(template, 'AWS::DynamoDB::Table'),
        (p) =>
          (p.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled ?? false) !== isKept ||
          (p.DeletionProtectionEnabled ?? false) !== isKept,
      ),
    spoil: (template, { isKept }) => (first(template, 'AWS::DynamoDB::Table').DeletionProtectionEnabled = !isKept),
  },
  {
    says: 'data goes with an ephemeral stage and stays with any other',
    faults: (template, { isKept }) =>
      ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup']
        .flatMap((type) => of(template, type))
        .flatMap(([id, { DeletionPolicy }]) => (DeletionPolicy === (isKept ? 'Retain' : 'Delete') ? [] : [id])),
    spoil: (template, { isKept }) => {
      const table = of(template, 'AWS::DynamoDB::Table')[0]?.[1];
      if (table) table.DeletionPolicy = isKept ? 'Delete' : 'Retain';
    },
  },
  every('buckets are closed to the public and encrypted', 'AWS::S3::Bucket', {
    isRight: (p) =>
      Object.values(p.PublicAccessBlockConfiguration ?? {}).filter(Boolean).length === 4 && p.BucketEncryption,
    spoil: (p) => (p.PublicAccessBlockConfiguration.BlockPublicAcls = false),
  }),
  every('everything of callers in a bucket ends by a lifecycle rule', 'AWS::S3::Bucket', {
    isRight: (p) => {
      // Buckets that browsers neither upload to nor download from belong to the console.
      if (!p.CorsConfiguration) return true;
      const rules: Any[] = p.LifecycleConfiguration?.Rules ?? [];
      if (p.VersioningConfiguration)
        return rules.some((rule) => rule.ExpirationInDays > 1 && rule.NoncurrentVersionExpiration?.NoncurrentDays > 1);
      const ends = (prefix: string) => rules.some((rule) => rule.Prefix === prefix && rule.ExpirationInDays > 0);
      return ['files/', 'results/'].every(ends) && rules.some((rule) => rule.AbortIncompleteMultipartUpload);
    },
    spoil: (p) => p.LifecycleConfiguration.Rules.pop(),
  }),
  every('secrets are made by chance and stand in no template', 'AWS::SecretsManager::Secret', {
    isRight: (p) => p.GenerateSecretString?.PasswordLength >= 40 && p.SecretString === undefined,
    spoil: (p) => (p.SecretString = 'mine'),
  }),
  every('no log is kept for ever', 'AWS::Logs::LogGroup', {
    isRight: (p) => p.RetentionInDays > 0,
    spoil: (p) => delete p.RetentionInDays,
  }),
];
