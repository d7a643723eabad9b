/** The models an organization may name, each by its provider and its name there; the first is the default. */
import { Problem } from '../core/problem.ts';

/** The models an organization may name, each by its provider and its name there; the first is the default. */
const MAX_MODELS = 50;

const MODEL = /^(?=.{3,200}$)[a-z0-9][\w.-]*\/[!-~]+$/;

/** What works on one machine without any key. */
export const OFFLINE_MODELS: readonly string[] = ['offline/extractive'];

/** All there are; which of them are set up is a matter of the place. */
const PROVIDERS = ['offline', 'openai', 'bedrock'];

/** Why one of them can be reached nowhere; nothing if each may be. */
export function faultOfModels(models: readonly string[]): string | undefined {
  const unfit = models.find((model) => !MODEL.test(model));
  if (unfit !== undefined) {
    return `${JSON.stringify(unfit.slice(0, 80))} is not a model: write provider/model, such as ${OFFLINE_MODELS[0]}.`;
  }
  const foreign = models.find((model) => !PROVIDERS.includes(model.slice(0, model.indexOf('/'))));
  if (foreign !== undefined)
    return `No provider has the model ${foreign.slice(0, 80)}. Providers: ${PROVIDERS.join(', ')}.`;
  const missing = models.find((model) => model.startsWith('offline/') && !OFFLINE_MODELS.includes(model));
  return missing === undefined ? undefined : `There is no ${missing}; the offline model is ${OFFLINE_MODELS[0]}.`;
}

export function checkModels(models: readonly string[]): string[] {
  const fault = faultOfModels(models);
  if (fault !== undefined) throw new Problem('invalid', fault);
  if (models.length === 0 || models.length > MAX_MODELS || new Set(models).size < models.length) {
    throw new Problem('invalid', `An organization has 1 to ${MAX_MODELS} models, each once.`);
  }
  return [...models];
}
