/** Every use of the customer's key that the template itself makes, beside those of the product's own calls. */
import { keyActions, keyOf } from './key-actions.ts';
import { type OwnUse, ownUses } from './own-uses.ts';
import { ACCOUNT, arnOf, REGION, type ResolvedTemplate } from './resolved-template.ts';

const STORING = /^(s3|sns|sqs):/;

export function keyUses(template: ResolvedTemplate): OwnUse[] {
  const all = Object.entries(template);
  const typed = (type: string) => all.filter(([, { Type }]) => Type === type);
  const keys = new Map(
    ['AWS::S3::Bucket', 'AWS::SNS::Topic', 'AWS::SQS::Queue']
      .flatMap(typed)
      .flatMap(([id, resource]) => (keyOf(resource) ? [[arnOf(template, id), keyOf(resource) ?? ''] as const] : [])),
  );
  const used = ownUses(template).flatMap((use): OwnUse[] => {
    const key = keys.get(use.resource.replace(/\/.*$/, ''));
    if (key === undefined || !STORING.test(use.action)) return [];
    const [service = ''] = use.action.split(':');
    const via = use.principal.startsWith('arn:') ? { 'kms:viaservice': `${service}.${REGION}.amazonaws.com` } : {};
    const context = { ...use.context, ...via };
    return keyActions(use.action).map((action) => ({
      ...use,
      use: `${use.use}, encrypted`,
      action,
      resource: key,
      context,
    }));
  });
  return [...used, ...typed('AWS::Logs::LogGroup').flatMap(logsUses), ...functionUses(template)];
}

/** CloudWatch names the log group as the context of the encryption. */
function logsUses([id, resource]: [string, ResolvedTemplate[string]]): OwnUse[] {
  const key = keyOf(resource);
  if (key === undefined) return [];
  const name = resource.Properties.LogGroupName ?? `errand-test-${id}-Xy12`;
  const context = { 'kms:encryptioncontext:aws:logs:arn': `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${name}` };
  return ['Encrypt', 'Decrypt', 'ReEncryptFrom', 'ReEncryptTo', 'GenerateDataKey', 'DescribeKey'].map((action) => ({
    use: 'logs -> key',
    principal: `logs.${REGION}.amazonaws.com`,
    action: `kms:${action}`,
    resource: key,
    context,
  }));
}

const functionUses = (template: ResolvedTemplate): OwnUse[] =>
  Object.values(template)
    .filter(({ Type, Properties }) => Type === 'AWS::Lambda::Function' && Properties.KmsKeyArn)
    .map(({ Properties }) => ({
      use: 'function -> environment, encrypted',
      principal: Properties.Role,
      action: 'kms:Decrypt',
      resource: Properties.KmsKeyArn,
      context: { 'kms:viaservice': `lambda.${REGION}.amazonaws.com` },
    }));
