/** Finds the model of an id: its provider before the first slash, its name there behind it. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import { TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import { boundedCalls } from './bounded-calls.ts';
import { metered } from './metered.ts';
import { OFFLINE, offlineModel } from './offline.ts';
import { type Patience, retrying } from './retrying.ts';

/** Made on first use, because a provider's library is loaded with it. */
export type Provider = (name: string) => Promise<LanguageModelV4>;

/** Calls of one organization under way in this process; the waiting between two tries of a call does not count. */
const CALLS_AT_ONCE = 100;

/** For the work of a task, whose meter counts the calls. Throws a TaskFailure for a model that is not set up. */
export type ModelOf = (id: string, work: Pick<Work, 'address' | 'meter'>) => Promise<LanguageModelV4>;

export function models(providers: Readonly<Record<string, Provider>>, patience: Patience): ModelOf {
  const all: Readonly<Record<string, Provider>> = { offline: offlineProvider, ...providers };
  const calls = semaphore({ name: 'modelCalls', capacity: capacityFor(CALLS_AT_ONCE) });
  return async function modelOf(id, { address, meter }) {
    const slash = id.indexOf('/');
    const provider = Object.hasOwn(all, id.slice(0, slash)) ? all[id.slice(0, slash)] : undefined;
    const model = await provider?.(id.slice(slash + 1));
    if (model) {
      meter.use(id);
      const counted = metered(model, meter);
      if (model.provider === OFFLINE) return retrying(counted, id, patience);
      return retrying(boundedCalls(counted, calls, address.organization), id, patience);
    }
    throw new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} is not set up here; name another one.`);
  };
}

const offlineProvider: Provider = async (name) => {
  if (name === 'extractive') return offlineModel();
  throw new TaskFailure('MODEL_UNAVAILABLE', `There is no offline model ${name}.`);
};
