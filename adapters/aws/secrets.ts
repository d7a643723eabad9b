/** The master secret in Secrets Manager: AWSCURRENT, and AWSPREVIOUS where there is one. */
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Clock, MasterSecret, Secrets } from '../../shared/ports.ts';
import { failAs, isAwsError } from './errors.ts';

/** How long the secret is cached: a rotation is noticed after this time. */
const CACHE_MS = 300_000;
/** The shortest interval between reads for unknown versions: any caller can name one. */
const LOOK_AGAIN_MS = 1_000;

type MasterSecrets = [MasterSecret, ...MasterSecret[]];
type SecretLocation = { client: () => SecretsManagerClient; id: string };

const fail = failAs('The master secret');

/**
 * The version before the current one is read when a token or sealed text names it: after a rotation only, so that a cold start
 * usually makes one call.
 */
export function secretsManager({ clock, ...location }: SecretLocation & { clock: Clock }): Secrets {
  const current = cachedReading(clock, async (): Promise<MasterSecrets> => [await readCurrent(location)]);
  const currentAndPrevious = cachedReading(clock, () => readBoth(location));
  return {
    async master(wantedVersion) {
      const masters = await (currentAndPrevious.fresh(CACHE_MS) ?? current.noOlderThan(CACHE_MS));
      const isKnown = wantedVersion === undefined || masters.some(({ version }) => version === wantedVersion);
      return isKnown ? masters : currentAndPrevious.noOlderThan(LOOK_AGAIN_MS);
    },
  };
}

function cachedReading(clock: Clock, read: () => Promise<MasterSecrets>) {
  let latest: MasterSecrets | undefined;
  let reading: { at: number; masters: Promise<MasterSecrets> } | undefined;

  async function readAgain(): Promise<MasterSecrets> {
    try {
      latest = await read();
      return latest;
    } catch (error) {
      // An outage of Secrets Manager must not become one of Errand.
      if (latest && isProblem(error, 'busy')) return latest;
      reading = undefined;
      throw error;
    }
  }

  const fresh = (ms: number) => (reading && clock.now() < reading.at + ms ? reading.masters : undefined);
  return {
    fresh,
    /** Concurrent callers share one reading. */
    noOlderThan(ms: number): Promise<MasterSecrets> {
      const masters = fresh(ms);
      if (masters) return masters;
      reading = { at: clock.now(), masters: readAgain() };
      return reading.masters;
    },
  };
}

const readCurrent = (location: SecretLocation): Promise<MasterSecret> => readStage(location, 'AWSCURRENT').catch(fail);

/** Reads in this order: a rotation between the two reads then shows one version twice, never a gap. */
async function readBoth(location: SecretLocation): Promise<MasterSecrets> {
  const current = await readCurrent(location);
  const previous = await readStage(location, 'AWSPREVIOUS').catch((error) =>
    isAwsError(error, 'ResourceNotFoundException') ? undefined : fail(error),
  );
  if (previous?.version === current.version) return readBoth(location);
  return previous ? [current, previous] : [current];
}

async function readStage(
  { client, id }: SecretLocation,
  VersionStage: 'AWSCURRENT' | 'AWSPREVIOUS',
): Promise<MasterSecret> {
  const { VersionId, SecretString } = await client().send(new GetSecretValueCommand({ SecretId: id, VersionStage }));
  if (!VersionId || !SecretString)
    throw new Problem('badSetting', 'The master secret is not a string; create a new secret version.');
  return { version: VersionId, key: Buffer.from(SecretString, 'utf8') };
}

/** A secret of one text, such as a key. */
export async function readSecretText({ client, id }: SecretLocation): Promise<string | undefined> {
  const { SecretString } = await client()
    .send(new GetSecretValueCommand({ SecretId: id }))
    .catch(failAs('A secret'));
  return SecretString;
}
