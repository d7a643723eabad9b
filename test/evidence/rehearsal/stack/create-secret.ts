/** Creates a secret in moto with the random value that the template describes. */
import {
  CreateSecretCommand,
  GetRandomPasswordCommand,
  type GetRandomPasswordCommandInput,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { type Created, createdResource } from './template.ts';

type Properties = { GenerateSecretString?: GetRandomPasswordCommandInput };

export async function createSecret({ name, properties, places }: Wanted): Promise<Created> {
  const client = new SecretsManagerClient(connection(places.emulators.awsUrl));
  const { GenerateSecretString } = properties as Properties;
  if (!GenerateSecretString) throw new Error(`${name} is no secret that makes itself up.`);
  const { RandomPassword } = await client.send(new GetRandomPasswordCommand(GenerateSecretString));
  const { ARN = '' } = await client.send(new CreateSecretCommand({ Name: name, SecretString: RandomPassword }));
  client.destroy();
  return createdResource(ARN);
}
