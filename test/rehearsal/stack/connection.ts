/** Connections of the rehearsal itself to an emulator, without the recorder. */
import type { AwsConnection } from '../../../adapters/aws/client/services.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { REGION } from './template.ts';

/** The only key that S3Proxy accepts; the other emulators accept any key. */
export const KEY = { accessKeyId: 'test', secretAccessKey: 'test' };

export const connection = (endpoint: string) => ({ endpoint, region: REGION, credentials: KEY });

/** The same connection for the product's adapters. */
export const reaching = (endpoint: string): AwsConnection => ({
  account: {
    region: async () => REGION,
    credentials: async () => KEY,
    endpoint: () => new URL(endpoint),
    variant: () => ({ fips: false, dualStack: false }),
    trace: () => undefined,
  },
  clock: systemClock,
  patience: { connectMs: 3_000, answerMs: 30_000 },
});
