/** The agent that sends e-mails: gathers from the sources, composes one e-mail, and sends it to each recipient. */

import type { ChartPng } from '../../engines/charts/chart-png.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Blobs, Clock, Ids, Mailer, Secrets, Table } from '../../shared/ports.ts';
import type { Gather } from '../../shared/sources/gathered.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import { composeStage } from './compose-stage.ts';
import { gatherStage } from './gather-stage.ts';
import { type NotificationPlan, planOf } from './plan.ts';
import { reportStage, sendStage } from './send-stage.ts';

// What the notification agent needs of the outside, and what its stages share.

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

/** The agent that writes to people: gathers from the sources, composes one letter, and sends it to each recipient. */
export const notificationAgent = (ports: NotificationPorts): Agent => ({
  stages(given): Stage[] {
    const input = given as AgentInput<'notification_agent'>;
    const plan = planOf(input.asked);
    const setting: NotificationSetting = { ports, plan, input };
    return [
      gatherStage(setting),
      composeStage(setting),
      ...plan.batches.map((batch) => sendStage(setting, batch)),
      reportStage(setting),
    ];
  },
});
