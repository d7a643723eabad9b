/** What the customer's own key of KMS costs: computed from AWS's documentation, because emulators have no KMS. */
import { markdownTable } from '../promises/markdown-table.ts';

const ROWS = [
  [
    'DynamoDB',
    'once in five minutes for each caller that is at work',
    '0.03 for each role, of which the reconciler is always at work',
  ],
  ['SQS', 'once in an hour for each queue and caller that receives, twice for one that sends', '0.10 for all queues'],
  ['S3', 'for the key of a bucket, once in a while for each caller', 'a hundredth of a request for each object'],
  [
    'Secrets Manager',
    'for each reading of a secret, which an instance repeats after five minutes',
    '0.03 for an instance that is always at work',
  ],
  ['Lambda', 'for each cold start', '3.00 for a million cold starts'],
  ['CloudWatch Logs', 'for the data keys of its log groups', 'cents'],
  ['SNS, EventBridge', 'for each alarm, and for each event that could not be delivered', 'cents'],
];

export const CUSTOMER_KEY = `### A key of your own

A stage with [\`kms-key\`](settings.md#kms-key) costs a dollar a month for the key and three dollars for a million requests to KMS, of which an
account has 20,000 a month free. Services keep for a while what KMS decrypted for them, so most calls need no request:

${markdownTable(['Service', 'Asks KMS', 'Dollars a month, at most'], ROWS)}

A stage without any request pays little more than the dollar. DynamoDB and SQS tell callers apart by their credentials: if those of each
instance count, the requests of DynamoDB for a hundred instances that work all month cost 2.60. All of this is computed from AWS's
documentation, not measured: emulators have no KMS.`;
