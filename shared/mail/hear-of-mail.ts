/** What the mail service tells of a mail behind its acceptance: kept with its run, and the address gets no more mail. */
import type { Clock, Table } from '../ports.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { hinted } from './recipient.ts';
import { laterDraft, type MailOf } from './run-mails.ts';
import { suppress } from './suppression.ts';

export type MailEvent = {
  address: TaskAddress;
  mail: MailOf;
  /** As the service names the mailbox. */
  to: string;
  status: 'bounced' | 'complained';
  /** A mailbox that is full may not be so tomorrow. */
  isLasting: boolean;
  reason: string;
};

export async function handleMailEvent(ports: { table: Table; clock: Clock }, heard: MailEvent): Promise<void> {
  const { address, mail, status, isLasting, reason, to } = heard;
  await ports.table.insert(laterDraft(address, mail, { status, at: ports.clock.now(), reason }));
  if (isLasting) await suppress(ports, address.organization, { mark: mail.mark, by: status, hint: hinted(to) });
}
