import { randomBytes, randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretsClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { secretsManager } from '../../adapters/aws/secrets.ts';
import { setClock } from './clock.ts';
import { type VaultHarness, vaultContract } from './vault.ts';

const client = new SecretsManagerClient();
const productClient = secretsClient(environmentConnection(process.env));

async function open(): Promise<VaultHarness> {
  const id = `errand-${randomUUID()}`;
  const SecretString = () => randomBytes(32).toString('base64url');
  await client.send(new CreateSecretCommand({ Name: id, SecretString: SecretString() }));
  const clock = setClock();
  return {
    secrets: secretsManager({ client: () => productClient, id, clock }),
    async rotate() {
      await client.send(new PutSecretValueCommand({ SecretId: id, SecretString: SecretString() }));
      clock.pass(300_000);
    },
    close: async () => {},
  };
}

vaultContract('the master secret in Secrets Manager', open);
