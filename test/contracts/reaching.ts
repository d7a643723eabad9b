/** The emulators' URLs and credentials, from the environment. */
import { environmentAccount } from '../../adapters/aws/client/account.ts';
import type { AwsConnection } from '../../adapters/aws/client/services.ts';
import { systemClock } from '../../shared/core/time.ts';

export const reaching = (env: Record<string, string | undefined> = process.env): AwsConnection => ({
  account: environmentAccount(env),
  clock: systemClock,
  patience: { connectMs: 3_000, answerMs: 30_000 },
});
