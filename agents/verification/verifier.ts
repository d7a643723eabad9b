/** The model that looks a second time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelOf } from '../../engines/models/models.ts';
import type { Work } from '../../shared/tasks/agent.ts';
import type { ReasoningEffort } from '../../shared/tasks/details.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';

/** `answeredBy`: the model whose answers are looked at, which the usage of the task names. */
type VerifierInput = { modelOf: ModelOf; effort: ReasoningEffort | null | undefined; answeredBy: string };

/**
 * The model with the role `verify`. Undefined without one, also if it was taken away since the task was submitted: then the
 * model itself looks a second time.
 */
export async function verifierOf(
  { modelOf, effort, answeredBy }: VerifierInput,
  verifyModel: string | undefined,
  work: Work,
): Promise<LanguageModelV4 | undefined> {
  if (verifyModel === undefined) return undefined;
  try {
    const verifier = await modelOf(verifyModel, work, effort);
    work.meter.use(answeredBy);
    return verifier;
  } catch (error) {
    if (error instanceof TaskFailure && error.code === 'MODEL_UNAVAILABLE') return undefined;
    throw error;
  }
}
