/** The agent that sends emails: gathers from the sources, composes one email, and sends it to each recipient. */

import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import { composeStage } from './compose-stage.ts';
import { gatherStage } from './gather-stage.ts';
import { planOf } from './plan.ts';
import { reportStage, sendStage } from './send-stage.ts';
import type { NotificationPorts, NotificationSetting } from './state.ts';

export const notificationAgent = (ports: NotificationPorts): Agent => ({
  stages(stored): Stage[] {
    const input = stored as AgentInput<'notification_agent'>;
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
