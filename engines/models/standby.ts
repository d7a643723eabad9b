/** A second model, which answers while the first one is away for long. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { withGenerate } from './streaming.ts';

/** Until then a task only waits: most outages are shorter. */
const LONG_OUTAGE_MS = 5 * MINUTE_MS;

type Standby = {
  /** The second model, which is set up only when it is needed. */
  secondModel(): Promise<LanguageModelV4 | undefined>;
  /** Called when the second model has answered in place of the first one. */
  answered(): void;
};

/** If the second model fails as well, the task waits for the first one. */
export const withStandby = (model: LanguageModelV4, { secondModel, answered }: Standby): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    try {
      return await model.doGenerate(options);
    } catch (error) {
      if (!(error instanceof TaskFailure) || (error.wait?.awayMs ?? 0) < LONG_OUTAGE_MS) throw error;
      const answer = await askSecondModel(secondModel, options);
      if (!answer) throw error;
      answered();
      return answer;
    }
  });

async function askSecondModel(
  secondModel: Standby['secondModel'],
  options: Parameters<LanguageModelV4['doGenerate']>[0],
) {
  try {
    return await (await secondModel())?.doGenerate(options);
  } catch {
    return undefined;
  }
}
