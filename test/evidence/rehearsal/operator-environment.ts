/** An operator's environment for the rehearsal's table, buckets and secret: as on AWS, with the emulators' URLs. */
import { environment } from '../../../shared/core/environment.ts';
import type { Emulators } from '../../support/emulators/start.ts';
import type { Rehearsal } from './rehearsal.ts';
import { KEY } from './stack/connection.ts';
import { REGION } from './stack/template.ts';

export const operatorEnvironment = (
  emulators: Pick<Emulators, 'awsUrl' | 'dynamoUrl' | 's3Url'>,
  { outputs }: Pick<Rehearsal, 'outputs'>,
) => ({
  AWS_ENDPOINT_URL: emulators.awsUrl,
  AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamoUrl,
  AWS_ENDPOINT_URL_S3: emulators.s3Url,
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: KEY.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
  [environment.table]: outputs.TableName,
  [environment.bucket]: outputs.BucketName,
  [environment.uploadsBucket]: outputs.UploadsBucketName,
  [environment.masterSecret]: outputs.MasterSecretId,
});
