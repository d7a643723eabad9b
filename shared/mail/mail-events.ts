/** An event from the mail service after it accepted a mail: stored with the run, and the address is suppressed. */

import * as v from 'valibot';
import { isUuid } from '../core/ids.ts';
import type { Clock, Table } from '../ports.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { laterDraft, type MailId } from './mail-outcomes.ts';
import { isRecipientMark, maskedAddress } from './recipient.ts';
import { suppress } from './suppressions.ts';

export type MailEvent = {
  address: TaskAddress;
  mail: MailId;
  /** The mailbox as the service names it. */
  to: string;
  status: 'bounced' | 'complained';
  /** False for temporary causes, such as a full mailbox. */
  isLasting: boolean;
  reason: string;
};

export async function handleMailEvent(ports: { table: Table; clock: Clock }, event: MailEvent): Promise<void> {
  const { address, mail, status, isLasting, reason, to } = event;
  await ports.table.insert(laterDraft(address, mail, { status, at: ports.clock.now(), reason }));
  if (isLasting) await suppress(ports, address.organization, { mark: mail.mark, by: status, hint: maskedAddress(to) });
}

/** The tags of a mail, by which later events find its run. */
export const mailTags = ({ organization, taskId: task }: TaskAddress, { run, mark: recipient }: MailId) => ({
  organization,
  task,
  run,
  recipient,
});

/** Each name with a list of values, as the service returns them. `undefined`: not a mail of a task. */
export function parseMailTags(value: unknown): { address: TaskAddress; mail: MailId } | undefined {
  const parsed = v.safeParse(tagsSchema(), value);
  if (!parsed.success) return undefined;
  const { organization, task, run, recipient } = parsed.output;
  return { address: { organization: organization[0], taskId: task[0] }, mail: { run: run[0], mark: recipient[0] } };
}

const tag = (isValid: (text: string) => boolean) => v.pipe(v.tuple([v.pipe(v.string(), v.check(isValid))]));
/** Built when an event arrives, because most functions load this file for other reasons. */
const tagsSchema = () =>
  v.object({
    organization: tag(isUuid),
    task: tag(isUuid),
    run: tag((text) => /^[\w-]{1,40}$/.test(text)),
    recipient: tag(isRecipientMark),
  });
