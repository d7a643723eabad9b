/** Connections of the rehearsal itself to an emulator, without the recorder. */
import type { AwsConnection } from '../../../../adapters/aws/connection.ts';
import { REGION } from './template.ts';

/** The only key that S3Proxy accepts; the other emulators accept any key. */
export const KEY = { accessKeyId: 'test', secretAccessKey: 'test' };

export const connection = (endpoint: string) => ({ endpoint, region: REGION, credentials: KEY });

/** The same connection for the product's adapters. */
export const productConnection = (endpoint: string): AwsConnection => ({
  region: REGION,
  credentials: async () => KEY,
  endpoint: () => endpoint,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
});
