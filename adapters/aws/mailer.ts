/** Mails through SES. Which sender may send, and what is heard of a mail later, is set up in the stack. */
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { faultOf } from '../../shared/mail/recipient.ts';
import type { Mailed, Mailer, MailRefusal } from '../../shared/ports.ts';
import type { RestCall } from './client/json-services.ts';
import { failure } from './failures.ts';

/** Any other failure passes, or is for the operator to mend. */
const REFUSED: Record<string, MailRefusal> = {
  MessageRejected: 'rejected',
  BadRequestException: 'rejected',
  MailFromDomainNotVerifiedException: 'badSender',
  AccountSuspendedException: 'badSender',
};
/** A quota of the day, or of the second; or the operator holds all sending. */
const NOT_NOW = new Set(['TooManyRequestsException', 'LimitExceededException', 'SendingPausedException']);

const SEND = { method: 'POST', path: '/v2/email/outbound-emails' };

export function sesMailer({ call, set }: { call: RestCall; set: string | undefined }): Mailer {
  return {
    async send(mail) {
      const fault = faultOf(mail);
      if (fault) return { refused: fault };
      const { raw, from, to, tags } = mail;
      try {
        const body = {
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Raw: { Data: Buffer.from(raw).toString('base64') } },
          EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
          ...definedFields({ ConfigurationSetName: set }),
        };
        const { MessageId = '' } = await call<{ MessageId?: string }>({ ...SEND, body });
        return { accepted: MessageId };
      } catch (error) {
        return toMailed(error, from);
      }
    },
  };
}

function toMailed(error: unknown, from: string): Mailed {
  const { name, message } = error as Error;
  const refused = REFUSED[name];
  // The service has one name for all that it rejects; only its message says whose address is not verified.
  if (refused) return { refused: message.includes(from) ? 'badSender' : refused };
  if (NOT_NOW.has(name)) return 'again';
  const failed = failure('The mail service', error);
  if (isProblem(failed, 'busy')) return 'again';
  throw failed;
}
