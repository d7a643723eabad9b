/** Finds the model of an id: its provider before the first slash, its name there behind it. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import { TaskFailure } from '../../shared/tasks/failure.ts';
import { boundedCalls } from './bounded-calls.ts';
import { OFFLINE, offlineModel } from './offline.ts';
import { type Patience, retrying } from './retrying.ts';

/** Made on first use, because a provider's library is loaded with it. */
export type Provider = (name: string) => Promise<LanguageModelV4>;

/** Calls of one organization under way in this process; the waiting between two tries of a call does not count. */
const CALLS_AT_ONCE = 100;

export function models(providers: Readonly<Record<string, Provider>>, patience: Patience) {
  const all: Readonly<Record<string, Provider>> = { offline: offlineProvider, ...providers };
  const calls = semaphore({ name: 'modelCalls', capacity: capacityFor(CALLS_AT_ONCE) });
  return async function modelOf(id: string, organization: string): Promise<LanguageModelV4> {
    const slash = id.indexOf('/');
    const provider = Object.hasOwn(all, id.slice(0, slash)) ? all[id.slice(0, slash)] : undefined;
    const model = await provider?.(id.slice(slash + 1));
    if (model?.provider === OFFLINE) return retrying(model, id, patience);
    if (model) return retrying(boundedCalls(model, calls, organization), id, patience);
    throw new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} is not set up here; name another one.`);
  };
}

const offlineProvider: Provider = async (name) => {
  if (name === 'extractive') return offlineModel();
  throw new TaskFailure('MODEL_UNAVAILABLE', `There is no offline model ${name}.`);
};
