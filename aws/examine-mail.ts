/** Looks over who sends a stage's mails: whether SES knows the sender, and lets it write to anybody. */
import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  type GetEmailIdentityCommandOutput,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';
import { type CheckResult, type CheckVerdict, checked, ok, wrong } from './examine-one.ts';
import { isAwsError } from './failures.ts';
import type { StageMail } from './stage.ts';

const REMEDY = 'see docs/notifications.md#on-aws';

export async function checkMail(ses: SESv2Client, { sender, set }: StageMail): Promise<CheckResult[]> {
  if (sender === undefined)
    return [{ check: 'sender', ...ok('none: submits of notifications are refused, until a deployment names one') }];
  return Promise.all([
    checked(`sender ${sender}`, () => senderState(ses, sender)),
    checked('mail account', () => accountState(ses)),
    checked('mail set', () => setState(ses, set)),
  ]);
}

/** An address of its own comes before its domain: SES looks for it first. */
async function senderState(ses: SESv2Client, sender: string): Promise<CheckVerdict> {
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  for (const name of [sender, domain]) {
    const identity = await identityOf(ses, name);
    if (identity) return identityState(name, identity);
  }
  return wrong(`neither ${sender} nor ${domain} is an identity of SES in this region: verify one, ${REMEDY}`);
}

const identityOf = (ses: SESv2Client, EmailIdentity: string): Promise<GetEmailIdentityCommandOutput | undefined> =>
  ses.send(new GetEmailIdentityCommand({ EmailIdentity })).catch((error) => {
    if (isAwsError(error, 'NotFoundException')) return undefined;
    throw error;
  });

function identityState(name: string, { VerifiedForSendingStatus, VerificationStatus }: GetEmailIdentityCommandOutput) {
  if (VerifiedForSendingStatus) return ok(`${name} is verified`);
  const status = VerificationStatus ?? 'unknown';
  return wrong(`${name} is not verified for sending (${status}): follow the mail or the DNS records of SES, ${REMEDY}`);
}

async function accountState(ses: SESv2Client): Promise<CheckVerdict> {
  const { SendingEnabled, ProductionAccessEnabled, EnforcementStatus, SendQuota } = await ses.send(
    new GetAccountCommand({}),
  );
  if (!SendingEnabled || EnforcementStatus === 'SHUTDOWN')
    return wrong(`SES sends nothing for this account (${EnforcementStatus}): its reputation dashboard says why`);
  if (!ProductionAccessEnabled)
    return look(`in the sandbox, mails reach verified addresses only: ask SES for production access, ${REMEDY}`);
  if (EnforcementStatus !== 'HEALTHY')
    return look(`SES watches this account (${EnforcementStatus}): its reputation dashboard says why`);
  const { Max24HourSend = 0, SentLast24Hours = 0 } = SendQuota ?? {};
  return ok(`production access, ${SentLast24Hours} of ${Max24HourSend} mails sent in 24 hours`);
}

async function setState(ses: SESv2Client, ConfigurationSetName: string | undefined): Promise<CheckVerdict> {
  if (ConfigurationSetName === undefined) return wrong('the stack does not name it: deploy the stack again');
  const { SendingOptions } = await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName }));
  // Of one that never said so, sending is enabled.
  if (SendingOptions?.SendingEnabled === false)
    return wrong(`${ConfigurationSetName} is held: enable its sending in SES once what held it is mended`);
  return ok(ConfigurationSetName);
}

const look = (detail: string): CheckVerdict => ({ state: 'look', detail });
