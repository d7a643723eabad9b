/** Sends mails over Amazon SES. */

import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { faultOfMail } from '../../shared/mail/mail.ts';
import type { Mailer, MailRefusal, MailResult } from '../../shared/ports.ts';
import { failure } from './errors.ts';

/** Refusals of a single mail. Any other failure is transient or for the operator to fix. */
const REFUSED: Record<string, MailRefusal> = {
  MessageRejected: 'rejected',
  BadRequestException: 'rejected',
  MailFromDomainNotVerifiedException: 'badSender',
  AccountSuspendedException: 'badSender',
};
/** The daily or per-second quota is used up, or the operator has paused sending. */
const NOT_NOW = new Set(['TooManyRequestsException', 'LimitExceededException', 'SendingPausedException']);

export function sesMailer({ client, set }: { client: () => SESv2Client; set: string | undefined }): Mailer {
  return {
    async send(mail) {
      const fault = faultOfMail(mail);
      if (fault) return { refused: fault };
      const { raw, from, to, tags } = mail;
      try {
        const email = new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Raw: { Data: Buffer.from(raw) } },
          EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
          ...definedFields({ ConfigurationSetName: set }),
        });
        const { MessageId = '' } = await client().send(email);
        return { accepted: MessageId };
      } catch (error) {
        return toMailed(error, from);
      }
    },
  };
}

function toMailed(error: unknown, from: string): MailResult {
  const { name, message } = error as Error;
  const refused = REFUSED[name];
  // SES uses one error name for all rejections; only the message tells which address is not verified.
  if (refused) return { refused: message.includes(from) ? 'badSender' : refused };
  if (NOT_NOW.has(name)) return 'again';
  const failed = failure('The mail service', error);
  if (isProblem(failed, 'busy')) return 'again';
  throw failed;
}
