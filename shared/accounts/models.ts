/** The models an organization may name, each by its provider and its name there; the first is the default. */
import { Problem } from '../core/problem.ts';

const MOST_MODELS = 50;
const MODEL = /^(?=.{3,200}$)[a-z0-9][\w.-]*\/[!-~]+$/;

/** What works on one machine without any key. */
export const OFFLINE_MODELS: readonly string[] = ['offline/extractive'];

export function checkModels(models: readonly string[]): string[] {
  const unfit = models.find((model) => !MODEL.test(model));
  if (unfit !== undefined) {
    const shown = JSON.stringify(unfit.slice(0, 80));
    throw new Problem('invalid', `${shown} is not a model: write provider/model, such as ${OFFLINE_MODELS[0]}.`);
  }
  const missing = models.find((model) => model.startsWith('offline/') && !OFFLINE_MODELS.includes(model));
  if (missing !== undefined) {
    throw new Problem('invalid', `There is no ${missing}; the offline model is ${OFFLINE_MODELS[0]}.`);
  }
  if (models.length === 0 || models.length > MOST_MODELS || new Set(models).size < models.length) {
    throw new Problem('invalid', `An organization has 1 to ${MOST_MODELS} models, each once.`);
  }
  return [...models];
}
