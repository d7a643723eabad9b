/** The models an organization may name, each by its connection and its name there; the first is the default. */

import { nearestName } from '../core/nearest-name.ts';
import { Problem } from '../core/problem.ts';
import { ENVIRONMENT_CONNECTIONS } from './model-connections.ts';

const MAX_MODELS = 50;

const MODEL = /^(?=.{3,200}$)[a-z][a-z0-9-]{0,39}\/[!-~]+$/;

/** Models that work on one machine without an API key. */
export const OFFLINE_MODELS: readonly string[] = ['offline/extractive'];

/** Whether a model writes text of its own. Without one, a task gets passages and values that code finds. */
export const writesText = (model: string): boolean => !OFFLINE_MODELS.includes(model);

const OFFLINE = 'offline';

export const connectionIn = (model: string): string => model.slice(0, model.indexOf('/'));

/**
 * Why a model cannot exist; `undefined` if all of them may. `connections` are the names that exist; without them, as
 * before a deployment, only a misspelled name of the usual ones is a fault.
 */
export function faultOfModels(models: readonly string[], connections?: readonly string[]): string | undefined {
  const unfit = models.find((model) => !MODEL.test(model));
  if (unfit !== undefined) {
    return `${JSON.stringify(unfit.slice(0, 80))} is not a model: write NAME/model, such as ${OFFLINE_MODELS[0]}.`;
  }
  for (const name of new Set(models.map(connectionIn))) {
    const fault = connections ? faultOfName(name, [OFFLINE, ...connections]) : misspelling(name);
    if (fault !== undefined) return fault;
  }
  const missing = models.find((model) => model.startsWith('offline/') && !OFFLINE_MODELS.includes(model));
  return missing === undefined
    ? undefined
    : `There is no ${missing}; the provider offline has only ${OFFLINE_MODELS[0]}, which is no language model.`;
}

export function checkModels(models: readonly string[], connections: readonly string[]): string[] {
  const fault = faultOfModels(models, connections);
  if (fault !== undefined) throw new Problem('invalid', fault);
  if (models.length === 0 || models.length > MAX_MODELS || new Set(models).size < models.length) {
    throw new Problem('invalid', `An organization has 1 to ${MAX_MODELS} models, each once.`);
  }
  return [...models];
}

const faultOfName = (name: string, names: readonly string[]): string | undefined =>
  names.includes(name)
    ? undefined
    : `There is no connection ${name} to models; there are ${names.join(', ')}. Add it with "npx errand model add ${name}".`;

/** A name that only goes on where a usual one ends, such as openai-eu, is a name of its own. */
function misspelling(name: string): string | undefined {
  const usual = [OFFLINE, ...ENVIRONMENT_CONNECTIONS];
  const nearest = usual.some((usualName) => name.startsWith(usualName)) ? undefined : nearestName(name, usual);
  return nearest === undefined ? undefined : `There is no connection ${name} to models: did you mean ${nearest}?`;
}
