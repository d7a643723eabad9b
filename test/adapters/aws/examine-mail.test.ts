/** The doctor's report on a stage's sender in each state of SES. The answers are those that AWS documents. */
import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkMail } from '../../../adapters/aws/doctor.ts';

const client = new SESv2Client({ region: 'eu-central-1' });
const ses = mockClient(client);
const sender = 'news@mails.host.org';
const SOUND = {
  SendingEnabled: true,
  ProductionAccessEnabled: true,
  EnforcementStatus: 'HEALTHY',
  SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 12 },
};

beforeEach(() => {
  ses.on(GetEmailIdentityCommand).rejects(Object.assign(new Error('not there'), { name: 'NotFoundException' }));
  ses.on(GetEmailIdentityCommand, { EmailIdentity: 'mails.host.org' }).resolves({ VerifiedForSendingStatus: true });
  ses.on(GetAccountCommand).resolves(SOUND);
  ses.on(GetConfigurationSetCommand, { ConfigurationSetName: 'set' }).resolves({});
});
afterEach(() => ses.reset());

const mailChecks = async (sending: Parameters<typeof checkMail>[1] = { sender, configurationSet: 'set' }) =>
  Object.fromEntries((await checkMail(client, sending)).map(({ check, state, detail }) => [check, [state, detail]]));

it('reports no problem for a verified sender, also one verified by its domain', async () => {
  expect(await mailChecks()).toEqual({
    [`sender ${sender}`]: ['ok', 'mails.host.org is verified'],
    'mail account': ['ok', 'production access, 12 of 50000 mails sent in 24 hours'],
    'mail set': ['ok', 'set'],
  });
});

it('calls nothing if no sender is set', async () => {
  const { sender: none, ...others } = await mailChecks({ sender: undefined, configurationSet: undefined });
  expect([none?.[0], others]).toEqual(['ok', {}]);
  expect(ses.calls()).toEqual([]);
});

it('reports that the sender was never verified, is not verified yet, or is not verified any longer', async () => {
  ses
    .on(GetEmailIdentityCommand, { EmailIdentity: 'mails.host.org' })
    .rejects(Object.assign(new Error('not there'), { name: 'NotFoundException' }));
  expect((await mailChecks())[`sender ${sender}`]).toEqual([
    'wrong',
    expect.stringMatching(/^neither .+: verify one, see/),
  ]);
  for (const VerificationStatus of ['PENDING', 'FAILED', 'TEMPORARY_FAILURE'] as const) {
    const identity = { VerifiedForSendingStatus: false, VerificationStatus };
    ses.on(GetEmailIdentityCommand, { EmailIdentity: sender }).resolves(identity);
    const [state, detail] = (await mailChecks())[`sender ${sender}`] ?? [];
    expect(state).toBe('wrong');
    expect(detail).toContain(`${sender} is not verified for sending (${VerificationStatus}): follow`);
  }
});

it.each([
  [{ ProductionAccessEnabled: false }, 'look', /^in the sandbox, .+: ask SES for production access/],
  [{ SendingEnabled: false, EnforcementStatus: 'HEALTHY' }, 'wrong', /^SES sends nothing for this account/],
  [{ EnforcementStatus: 'SHUTDOWN' }, 'wrong', /^SES sends nothing for this account \(SHUTDOWN\)/],
  [{ EnforcementStatus: 'PROBATION' }, 'look', /^SES watches this account \(PROBATION\)/],
])('reports for an account with %j: %s', async (account, state, detail) => {
  ses.on(GetAccountCommand).resolves({ ...SOUND, ...account });
  expect((await mailChecks())['mail account']).toEqual([state, expect.stringMatching(detail)]);
});

it('reports that the configuration set is paused, missing or not named', async () => {
  ses.on(GetConfigurationSetCommand).resolves({ SendingOptions: { SendingEnabled: false } });
  expect((await mailChecks())['mail set']).toEqual(['wrong', expect.stringMatching(/^set is paused: enable/)]);
  ses.on(GetConfigurationSetCommand).rejects(Object.assign(new Error('no such set'), { name: 'NotFoundException' }));
  expect((await mailChecks())['mail set']).toEqual(['wrong', 'NotFoundException: no such set']);
  const unnamed = await mailChecks({ sender, configurationSet: undefined });
  expect(unnamed['mail set']).toEqual(['wrong', expect.stringMatching(/deploy the stack again$/)]);
});

it('reports in one line why a call of SES failed, and continues with the others', async () => {
  ses.on(GetAccountCommand).rejects(Object.assign(new Error('denied\nat line 1'), { name: 'AccessDeniedException' }));
  expect(await mailChecks()).toMatchObject({
    [`sender ${sender}`]: ['ok', expect.any(String)],
    'mail account': ['wrong', 'AccessDeniedException: denied'],
  });
});
