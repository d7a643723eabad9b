/** Refusals and throttling of SES, which no emulator shows, and the exact request. */
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { sesMailer } from '../../../adapters/aws/mailer.ts';
import { serviceError } from './service-error.ts';

const client = new SESv2Client({ region: 'eu-central-1' });
const ses = mockClient(client);
beforeEach(() => void ses.reset());
const mailer = sesMailer({ client: () => client, set: 'errand-mails' });
const mail = { raw: Buffer.from('raw'), from: 'send@errand.org', to: 'ann@readers.org', tags: { task: 'a' } };

it('sends the raw mail to one address, with its tags and its configuration set', async () => {
  ses.on(SendEmailCommand).resolves({ MessageId: 'id-1' });
  expect(await mailer.send(mail)).toEqual({ accepted: 'id-1' });
  const email = {
    FromEmailAddress: 'send@errand.org',
    Destination: { ToAddresses: ['ann@readers.org'] },
    Content: { Raw: { Data: mail.raw } },
    EmailTags: [{ Name: 'task', Value: 'a' }],
    ConfigurationSetName: 'errand-mails',
  };
  expect(ses.commandCalls(SendEmailCommand).map(({ args: [{ input }] }) => input)).toEqual([email]);
});

it.each([
  ['TooManyRequestsException', 429],
  ['LimitExceededException', 400],
  ['SendingPausedException', 400],
  ['InternalFailure', 500],
  ['TimeoutError', 0],
])('asks for a retry after %s', async (name, status) => {
  ses.on(SendEmailCommand).rejects(serviceError(name, status));
  expect(await mailer.send(mail)).toBe('again');
});

const unverified = (address: string) =>
  `Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ${address}`;

it.each([
  ['MessageRejected', 'Message contains a virus', 'rejected'],
  ['MessageRejected', unverified('send@errand.org'), 'badSender'],
  // Also in the sandbox, where recipients must be verified.
  ['MessageRejected', unverified('ann@readers.org'), 'rejected'],
  ['BadRequestException', 'no', 'rejected'],
  ['MailFromDomainNotVerifiedException', 'no', 'badSender'],
  ['AccountSuspendedException', 'no', 'badSender'],
])('refuses after %s: %s', async (name, message, refused) => {
  ses.on(SendEmailCommand).rejects(serviceError(name, 400, { message }));
  expect(await mailer.send(mail)).toEqual({ refused });
});

it('reports denied access and a missing configuration set as problems for the operator', async () => {
  for (const [name, status] of [
    ['AccessDeniedException', 403],
    ['NotFoundException', 404],
  ] as const) {
    ses.on(SendEmailCommand).rejects(serviceError(name, status));
    await expect(mailer.send(mail)).rejects.toThrow(/mail service/);
  }
});
