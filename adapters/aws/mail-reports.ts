/** Parses the events of Amazon SES about bounces and complaints. */
import * as v from 'valibot';
import { type MailEvent, parseMailTags } from '../../shared/mail/mail-events.ts';

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
