/** The results of a notification: its e-mail, what each recipient got, and what was judged of its condition. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, timeOrNull } from '../../core/answer-fields.ts';
import { faults, files, promptVersion } from './every-agent.ts';

const text = v.string();

export const notificationResults = v.object({
  notification_type: field(v.nullable(text), 'The type as it was submitted; null without one.'),
  format: field(v.picklist(['html', 'markdown', 'text']), 'The format of the e-mail that was applied.'),
  run: field(v.nullable(count), 'The number of the run, from 1; null for a task that runs once.'),
  slot: field(timeOrNull, 'The time that the run was scheduled for, in UTC; null for a task that runs once.'),
  subject: field(v.nullable(text), 'The subject line of the e-mail; null before it was composed.'),
  counts: field(
    v.object({
      sent: field(count, 'E-mails that the mail service accepted.'),
      suppressed: field(count, 'Addresses that were skipped, as they unsubscribed, bounced or complained.'),
      refused: field(count, 'E-mails that the mail service rejected.'),
    }),
    'How many recipients had each outcome when the run ended.',
  ),
  recipients: field(
    v.array(
      v.object({
        address: field(text, 'The e-mail address as it was submitted.'),
        status: field(
          v.picklist(['pending', 'sent', 'not_sent', 'suppressed', 'refused', 'bounced', 'complained']),
          '`sent`: the mail service accepted it. Later feedback makes it `bounced` or `complained`. `not_sent`: the condition does not hold.',
        ),
        at: field(timeOrNull, 'When the status was reached, in UTC; null while pending.'),
        message_id: field(v.nullable(text), 'The `Message-ID` header of the e-mail; null if none was sent.'),
        reason: field(v.nullable(text), 'Why it was skipped, rejected or returned; null otherwise.'),
        sent_at: v.exactOptional(field(timeOrNull, 'When it was sent, in UTC; only after feedback came.')),
      }),
    ),
    'The outcome for each address, also feedback that came later; empty at the end of a preview.',
  ),
  sources: field(
    v.array(
      v.object({
        source: field(text, 'The name of the source, as in the request.'),
        items: field(count, 'How many items it returned.'),
        is_sample: field(v.boolean(), 'True if it is fictional data that comes with Errand.'),
        queries: field(count, 'How many requests were sent to it.'),
        faults,
      }),
    ),
    'What each source returned; empty for an e-mail that only carries a message.',
  ),
  charts: field(count, 'How many charts the e-mail has, at most three.'),
  condition: v.exactOptional(
    field(
      v.object({
        text: v.exactOptional(field(text, 'The condition as it was submitted, if it is a sentence.')),
        figure: v.exactOptional(field(text, 'The label of the figure as it was submitted.')),
        above: v.exactOptional(field(v.nullable(v.number()), 'The value has to be greater than this number.')),
        below: v.exactOptional(field(v.nullable(v.number()), 'The value has to be less than this number.')),
        source: v.exactOptional(field(v.nullable(text), 'The source that the figure was looked for in.')),
        holds: field(v.boolean(), 'True: it holds. False: nobody got an e-mail.'),
        why: field(text, 'Why it holds or does not, in one sentence.'),
        evidence: field(
          v.array(
            v.object({
              source: field(text, 'The name of the source that has the item.'),
              title: field(text, 'The title of the item that says so.'),
              address: field(v.nullable(text), 'The link of the item; null for sample data.'),
              published_at: field(timeOrNull, 'When the item was published, in UTC; null if its source does not say.'),
              quote: field(text, 'The words of the item, or the figure with its value and unit.'),
              value: v.exactOptional(field(v.number(), 'The value of the figure that was compared.')),
              unit: v.exactOptional(field(text, 'The unit of the figure; empty without one.')),
            }),
          ),
          'The passages of new items that decide it; empty if it does not hold.',
        ),
      }),
      'What was judged of `content.condition`; absent without one.',
    ),
  ),
  preview: v.exactOptional(
    field(
      v.object({
        subject: field(text, 'The subject line that the e-mail would have.'),
        text: field(text, 'The text part of the e-mail, at most 20,000 characters; the file `mail.txt` has all of it.'),
        html_file: field(
          v.nullable(text),
          'The name of the file with the HTML part, its pictures inside; null for the format `text`.',
        ),
        would_be_sent: field(v.boolean(), 'False if `content.condition` does not hold now.'),
        would_go_to: field(count, 'How many of the recipients have not unsubscribed, and would get it.'),
      }),
      'The e-mail of a preview, which nobody got; absent for a notification.',
    ),
  ),
  prompt_version: promptVersion,
  files,
});
export type NotificationResults = v.InferOutput<typeof notificationResults>;
export type RecipientReport = NotificationResults['recipients'][number];
export type JudgedCondition = NonNullable<NotificationResults['condition']>;
/** A passage of a source for which a condition holds, cut from the item. */
export type ConditionEvidence = JudgedCondition['evidence'][number];
