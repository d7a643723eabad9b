/** Ends a run: it has failed when not one mail was taken though there was somebody to send to. */
import { type Stage, TaskFailure } from '../../../shared/tasks/agent.ts';
import type { NotificationSetting } from './ports.ts';
import { countsOf, handOn, type NotificationCarried } from './state.ts';
import { counted } from './words.ts';

export const reportStage = ({ plan }: NotificationSetting): Stage => ({
  name: 'reporting',
  async run({ run }, carried) {
    const { known } = carried as NotificationCarried;
    const { sent, refused } = countsOf(known.recipients);
    if (sent === 0 && refused > 0) {
      const message = `None of ${counted(refused, 'mail')} was taken by the mail service; the results name each reason.`;
      throw new TaskFailure('PROCESSING_FAILED', message);
    }
    const { known: _, ...result } = handOn({
      plan,
      known,
      run,
      stages: ['gathering', 'composing', 'sending', 'reporting'],
    });
    return result;
  },
});
