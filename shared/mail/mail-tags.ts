/** How a mail says what it is of, so that what is heard of it later finds its run. */
import * as v from 'valibot';
import { isUuid } from '../core/uuid.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { isRecipientMark } from './recipient.ts';
import type { MailOf } from './run-mails.ts';

export const mailTags = ({ organization, taskId: task }: TaskAddress, { run, mark: recipient }: MailOf) => ({
  organization,
  task,
  run,
  recipient,
});

const tag = (is: (text: string) => boolean) => v.pipe(v.tuple([v.pipe(v.string(), v.check(is))]));
const tags = v.object({
  organization: tag(isUuid),
  task: tag(isUuid),
  run: tag((text) => /^[\w-]{1,40}$/.test(text)),
  recipient: tag(isRecipientMark),
});

/** Each name with a list of its values, as the service gives them back; undefined = not a mail of a task. */
export function parseMailTags(given: unknown): { address: TaskAddress; mail: MailOf } | undefined {
  const parsed = v.safeParse(tags, given);
  if (!parsed.success) return undefined;
  const { organization, task, run, recipient } = parsed.output;
  return { address: { organization: organization[0], taskId: task[0] }, mail: { run: run[0], mark: recipient[0] } };
}
