/** The model that looks a second time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelOf } from '../../engines/models/models.ts';
import { TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import type { ReasoningEffort } from '../../shared/tasks/details.ts';

type Verifying = { modelOf: ModelOf; effort: ReasoningEffort | null | undefined };

/**
 * The model with the role `verify`. Undefined without one, also if it was taken away since the task was submitted: then the
 * model itself looks a second time.
 */
export async function verifierOf(
  { modelOf, effort }: Verifying,
  verifyModel: string | undefined,
  work: Work,
): Promise<LanguageModelV4 | undefined> {
  if (verifyModel === undefined) return undefined;
  try {
    return await modelOf(verifyModel, work, effort);
  } catch (error) {
    if (error instanceof TaskFailure && error.code === 'MODEL_UNAVAILABLE') return undefined;
    throw error;
  }
}
