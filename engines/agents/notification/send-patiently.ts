/** Sends a mail, and waits while the mail service takes no more. */
import type { Mail, Mailed, Mailer } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/agent.ts';
import type { NotificationPorts } from './ports.ts';

const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

type Taken = Exclude<Mailed, 'again'>;

export async function sendPatiently(
  { pause }: Pick<NotificationPorts, 'pause'>,
  mailer: Mailer,
  mail: Mail,
  signal: AbortSignal,
): Promise<Taken> {
  for (const waitMs of [...WAITS_MS, undefined]) {
    const mailed = await mailer.send(mail);
    if (mailed !== 'again') return checked(mailed);
    if (waitMs !== undefined) await pause(waitMs, signal);
  }
  const message = 'The mail service takes no more mail just now; its quota may be used up.';
  throw new TaskFailure('PROCESSING_FAILED', message, { mayPass: true });
}

/** What is wrong with the sender is wrong with every mail, and nothing a recipient's row should say. */
function checked(mailed: Taken): Taken {
  if (!('refused' in mailed) || mailed.refused !== 'badSender') return mailed;
  const message =
    'The sender address of this deployment may not send: its operator has to verify it with the mail service.';
  throw new TaskFailure('PROCESSING_FAILED', message);
}
