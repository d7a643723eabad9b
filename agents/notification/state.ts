/** A notification while it is gathered, composed and sent: its plan and its state. */

import type { EmailFormat } from '../../engines/mail/email.ts';
import type { NotificationCondition } from '../../shared/agents/notification-input.ts';
import type { NotificationKind } from '../../shared/agents/notification-kind.ts';
import type {
  JudgedCondition,
  NotificationResults,
  RecipientReport,
} from '../../shared/agents/results/notification.ts';

export type NotificationPlan = {
  kind: NotificationKind;
  /** For example `Weekly report`; empty for a message without sources whose type is not named. */
  title: string;
  /** The type as the caller wrote it. */
  type: string | null;
  sources: string[];
  format: EmailFormat;
  charts: boolean;
  subject: string | undefined;
  message: string[];
  /** What matters, in the words of the sender. */
  instructions: string | undefined;
  /** The e-mail is sent only if it holds. */
  condition: NotificationCondition | undefined;
  zone: string;
  /** Contains each mailbox once; upper and lower case do not matter. */
  recipients: string[];
  /** Zero-based indexes of the recipients. Each batch is a checkpoint. */
  batches: number[][];
};

export type SourceReport = NotificationResults['sources'][number] & {
  /** Items should have a title, text or a figure, and a date. This is the mean share of these that they have. */
  quality: number;
};

export type NotificationState = {
  sources: SourceReport[];
  /** Blob keys: first of the gathered items, then of the email. */
  gatheredAt?: string;
  letterAt?: string;
  subject: string | null;
  charts: number;
  queries: number;
  /** The version of the prompt, if a language model was asked. */
  promptVersion?: string;
  /** The model gave no usable answer, so the email opens without its words. */
  isUnanswered?: true;
  lacksModel?: true;
  /** What was judged of the condition; if it does not hold, there is no e-mail. */
  condition?: JudgedCondition;
  /** What the composing has to say: what was taken out of the e-mail, and what was not read. */
  notes?: string[];
  /** Writing systems in the labels of charts for which no font exists. */
  missingScripts?: string[];
  recipients: RecipientReport[];
};

export const isHeldBack = ({ condition }: Pick<NotificationState, 'condition'>): boolean => condition?.holds === false;
