/** Creates the e-mail configuration set in moto, and the identity that an operator would verify by hand. */
import { CreateConfigurationSetCommand, CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { type Created, createdResource } from './template.ts';

export const SENDER = 'notifications@errand-rehearsal.org';

export async function createMailSet({ name, places }: Wanted): Promise<Created> {
  const client = new SESv2Client(connection(places.emulators.awsUrl));
  await client.send(new CreateConfigurationSetCommand({ ConfigurationSetName: name }));
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: SENDER }));
  client.destroy();
  return createdResource(name);
}
