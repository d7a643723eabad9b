/** What the notification agent needs of the outside, and what its stages share. */
import type { AgentInput } from '../../../shared/agents/agent-input.ts';
import type { Blobs, Clock, Ids, Mailer, Secrets, Table } from '../../../shared/ports.ts';
import type { Gather } from '../../../shared/sources/gathered.ts';
import type { ChartPng } from '../../charts/chart-png.ts';
import type { ModelOf } from '../../model/models.ts';
import type { NotificationPlan } from './plan.ts';

/** Who sends, and where the links in mails lead. */
export type MailSending = { mailer: Mailer; sender: string; rootUrl: string };

export type NotificationPorts = {
  table: Table;
  clock: Clock;
  blobs: Blobs;
  ids: Ids;
  secrets: Secrets;
  gather: Gather;
  chartPng: ChartPng;
  modelOf: ModelOf;
  /** Undefined where nobody set up a sender. */
  sending: MailSending | undefined;
  /** Rejects with the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

export type NotificationSetting = {
  ports: NotificationPorts;
  plan: NotificationPlan;
  input: AgentInput<'notification_agent'>;
};
