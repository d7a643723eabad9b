/** How the rehearsal itself reaches an emulator: past the recorder. */
import type { AwsConnection } from '../../../adapters/aws/client/services.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { REGION } from './template.ts';

/** The only key that S3Proxy knows; the others take any. */
export const KEY = { accessKeyId: 'test', secretAccessKey: 'test' };

export const connection = (endpoint: string) => ({ endpoint, region: REGION, credentials: KEY });

/** The same for our own adapters. */
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
