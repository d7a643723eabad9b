/** The master secret in Secrets Manager: AWSCURRENT, and AWSPREVIOUS where there is one. */
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Clock, MasterSecret, Secrets } from '../../shared/ports.ts';
import { failAs, isAwsError } from './errors.ts';

/** How long the secret is cached: a rotation is noticed after this time. */
const KEPT_MS = 300_000;
/** The shortest interval between reads for unknown versions: any caller can name one. */
const LOOK_AGAIN_MS = 1_000;

type MasterSecrets = [MasterSecret, ...MasterSecret[]];
type SecretLocation = { client: () => SecretsManagerClient; id: string };

const fail = failAs('The master secret');

export function secretsManager({ clock, ...place }: SecretLocation & { clock: Clock }): Secrets {
  let known: MasterSecrets | undefined;
  let reading: { at: number; masters: Promise<MasterSecrets> } | undefined;

  async function readAgain(): Promise<MasterSecrets> {
    try {
      known = await readBoth(place);
      return known;
    } catch (error) {
      // An outage of Secrets Manager must not become one of Errand.
      if (known && isProblem(error, 'busy')) return known;
      reading = undefined;
      throw error;
    }
  }

  function noOlderThan(ms: number): Promise<MasterSecrets> {
    const now = clock.now();
    if (!reading || now >= reading.at + ms) reading = { at: now, masters: readAgain() };
    return reading.masters;
  }

  return {
    async master(wanted) {
      const masters = await noOlderThan(KEPT_MS);
      const isKnown = wanted === undefined || masters.some(({ version }) => version === wanted);
      return isKnown ? masters : noOlderThan(LOOK_AGAIN_MS);
    },
  };
}

/** Reads in this order: a rotation between the two reads then shows one version twice, never a gap. */
async function readBoth(location: SecretLocation): Promise<MasterSecrets> {
  const current = await readStage(location, 'AWSCURRENT').catch(fail);
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
