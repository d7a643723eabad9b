/** Rules about encryption: with keys of the services, or with the customer's key. */
import { keyOf, STORING_TYPES } from '../policies/key-actions.ts';
import { breaches, first, functions, of, type Rule, statements, type Template } from './rule.ts';

/** Its files are the same for everybody, and CloudFront reads them. */
const isPublic = (id: string): boolean => id.startsWith('ConsoleBucket');

const stored = (template: Template) =>
  STORING_TYPES.flatMap((type) => of(template, type)).filter(([id]) => !isPublic(id));

const ofKey = (template: Template) =>
  statements(template).filter(([, { Action }]) => [Action].flat().some((action) => action.startsWith('kms:')));

export const ENCRYPTION: Rule[] = [
  {
    says: 'all that is stored is encrypted with the key of the customer, or with no key of the account if there is none',
    faults: (template, { kmsKey }) => [
      ...stored(template).flatMap(([id, resource]) => (keyOf(resource) === kmsKey ? [] : [id])),
      ...breaches(functions(template), (p) => p.KmsKeyArn !== kmsKey),
    ],
    spoil: (template) => (first(template, 'AWS::Logs::LogGroup').KmsKeyId = 'alias/aws/else'),
  },
  {
    says: 'queues are encrypted with keys of SQS, or for at most an hour with a data key of the customer',
    faults: (template) =>
      breaches(of(template, 'AWS::SQS::Queue'), (p) =>
        p.KmsMasterKeyId ? !(p.KmsDataKeyReusePeriodSeconds <= 3_600) : p.SqsManagedSseEnabled !== true,
      ),
    spoil: (template) => {
      const queue = first(template, 'AWS::SQS::Queue');
      queue.SqsManagedSseEnabled = false;
      queue.KmsDataKeyReusePeriodSeconds = 86_400;
    },
  },
  {
    says: 'roles use the key of the customer by way of a service, and no other key',
    faults: (template, { kmsKey }) =>
      ofKey(template).flatMap(([id, { Resource, Condition }]) =>
        Resource === kmsKey &&
        /^[a-z0-9]+\.[a-z0-9-]+\.amazonaws\.com$/.test(Condition?.StringEquals?.['kms:ViaService'])
          ? []
          : [id],
      ),
    spoil: (template) => {
      const { Statement } = first(template, 'AWS::IAM::Policy').PolicyDocument;
      Statement.push({ Effect: 'Allow', Action: 'kms:Decrypt', Resource: '*' });
    },
  },
];
