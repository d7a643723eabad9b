/** The SES adapter against an independent server. */
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { sesClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { sesMailer } from '../../adapters/aws/mailer.ts';
import { mailerContract } from './mailer.ts';

const client = new SESv2Client();
const productClient = sesClient(environmentConnection(process.env));
const sender = 'send@errand-tests.org';

type Played = { ses: Record<string, { raw_data?: string }[]> };

/** The mails that the server has accepted. */
async function takeMails(): Promise<string[]> {
  const answer = await fetch(`${process.env.AWS_ENDPOINT_URL}/moto-api/data.json`);
  const { ses = {} } = (await answer.json()) as Played;
  return (ses.RawMessage ?? []).map(({ raw_data: raw = '' }) => raw);
}

mailerContract('mails through SES', async () => {
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: sender })).catch(() => undefined);
  const before = (await takeMails()).length;
  return {
    mailer: sesMailer({ client: () => productClient, set: undefined }),
    sender,
    taken: async () => (await takeMails()).slice(before),
  };
});
