/** Amazon SES: sends mails, and parses its reports on them. */

import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import * as v from 'valibot';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { faultOfMail } from '../../shared/mail/mail.ts';
import { type MailEvent, parseMailTags } from '../../shared/mail/mail-events.ts';
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

// Bounces and complaints.

const MAX_REASON = 200;

const words = v.optional(v.string(), '');
const mail = v.object({ tags: v.unknown() });
const detail = v.variant('eventType', [
  v.object({
    eventType: v.literal('Bounce'),
    mail,
    bounce: v.object({
      bounceType: words,
      bounceSubType: words,
      bouncedRecipients: v.pipe(v.array(v.object({ emailAddress: v.string(), diagnosticCode: words })), v.minLength(1)),
    }),
  }),
  v.object({
    eventType: v.literal('Complaint'),
    mail,
    complaint: v.object({
      complaintFeedbackType: words,
      complainedRecipients: v.pipe(v.array(v.object({ emailAddress: v.string() })), v.minLength(1)),
    }),
  }),
]);
const event = v.object({ source: v.literal('aws.ses'), detail });

export const isMailEvent = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'source' in value && value.source === 'aws.ses';

/** Returns undefined for an event that is not about one of our mails. */
export function mailReportIn(value: unknown): MailEvent | undefined {
  const parsed = v.safeParse(event, value);
  const of = parsed.success ? parseMailTags(parsed.output.detail.mail.tags) : undefined;
  if (!parsed.success || !of) return undefined;
  return { ...of, ...toReport(parsed.output.detail) };
}

type Detail = v.InferOutput<typeof detail>;

function toReport(detail: Detail): Pick<MailEvent, 'to' | 'status' | 'isLasting' | 'reason'> {
  if (detail.eventType === 'Complaint') {
    const { complainedRecipients, complaintFeedbackType: type } = detail.complaint;
    const reason = type === '' ? 'complaint' : type;
    return { to: complainedRecipients[0]?.emailAddress ?? '', status: 'complained', isLasting: true, reason };
  }
  const { bounceType, bounceSubType, bouncedRecipients } = detail.bounce;
  const [{ emailAddress: to = '', diagnosticCode = '' } = {}] = bouncedRecipients;
  const reason = [bounceType, bounceSubType, diagnosticCode].filter((part) => part !== '').join(', ');
  return { to, status: 'bounced', isLasting: bounceType === 'Permanent', reason: reason.slice(0, MAX_REASON) };
}
