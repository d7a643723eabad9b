/** Refusals and throttling of SES, which no emulator shows, and the exact requests. */
import { beforeEach, expect, it, vi } from 'vitest';
import { sesMailer } from '../../adapters/aws/mailer.ts';

const sent = vi.fn();
beforeEach(() => void sent.mockReset());
const mailer = sesMailer({ call: sent, set: 'errand-mails' });
const mail = { raw: Buffer.from('raw'), from: 'send@errand.org', to: 'ann@readers.org', tags: { task: 'a' } };
const failing = (name: string, status: number, message = 'no') =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });

it('sends the raw mail to one address, with its tags and its configuration set', async () => {
  sent.mockResolvedValue({ MessageId: 'id-1' });
  expect(await mailer.send(mail)).toEqual({ accepted: 'id-1' });
  const body = {
    FromEmailAddress: 'send@errand.org',
    Destination: { ToAddresses: ['ann@readers.org'] },
    Content: { Raw: { Data: mail.raw.toString('base64') } },
    EmailTags: [{ Name: 'task', Value: 'a' }],
    ConfigurationSetName: 'errand-mails',
  };
  expect(sent.mock.calls).toEqual([[{ method: 'POST', path: '/v2/email/outbound-emails', body }]]);
});

it.each([
  ['TooManyRequestsException', 429],
  ['LimitExceededException', 400],
  ['SendingPausedException', 400],
  ['InternalFailure', 500],
  ['TimeoutError', 0],
])('asks for a retry after %s', async (name, status) => {
  sent.mockRejectedValue(failing(name, status));
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
  sent.mockRejectedValue(failing(name, 400, message));
  expect(await mailer.send(mail)).toEqual({ refused });
});

it('reports denied access and a missing configuration set as problems for the operator', async () => {
  for (const [name, status] of [
    ['AccessDeniedException', 403],
    ['NotFoundException', 404],
  ] as const) {
    sent.mockRejectedValue(failing(name, status));
    await expect(mailer.send(mail)).rejects.toThrow(/mail service/);
  }
});
