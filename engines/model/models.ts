/** Finds the model of an id: its provider before the first slash, its name there behind it. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import { TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import { withConcurrencyLimit } from './bounded-calls.ts';
import { withMetering } from './metered.ts';
import { OFFLINE, offlineModel } from './offline.ts';
import { type RetryTiming, withRetries } from './retrying.ts';

/** Made on first use, because a provider's library is loaded with it. */
export type ModelProvider = (name: string) => Promise<LanguageModelV4>;

/** Calls of one organization under way in this process; the waiting between two tries of a call does not count. */
const MAX_CONCURRENT_CALLS = 100;

/** For the work of a task, whose meter counts the calls. Throws a TaskFailure for a model that is not set up. */
export type ModelOf = (id: string, work: Pick<Work, 'address' | 'meter'>) => Promise<LanguageModelV4>;

export function models(providers: Readonly<Record<string, ModelProvider>>, timing: RetryTiming): ModelOf {
  const all: Readonly<Record<string, ModelProvider>> = { offline: offlineProvider, ...providers };
  const calls = semaphore({ name: 'modelCalls', capacity: capacityFor(MAX_CONCURRENT_CALLS) });
  return async function modelOf(id, { address, meter }) {
    const slash = id.indexOf('/');
    const provider = Object.hasOwn(all, id.slice(0, slash)) ? all[id.slice(0, slash)] : undefined;
    const model = await provider?.(id.slice(slash + 1));
    if (model) {
      meter.use(id);
      const counted = withMetering(model, meter);
      if (model.provider === OFFLINE) return withRetries(counted, id, timing);
      return withRetries(withConcurrencyLimit(counted, calls, address.organization), id, timing);
    }
    throw new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} is not set up here; name another one.`);
  };
}

const offlineProvider: ModelProvider = async (name) => {
  if (name === 'extractive') return offlineModel();
  throw new TaskFailure('MODEL_UNAVAILABLE', `There is no offline model ${name}.`);
};
