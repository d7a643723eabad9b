/** The models an organization may name, each by its provider and its name there; the first is the default. */
import * as v from 'valibot';
import { Problem } from '../core/problem.ts';
import { HOUR_MS } from '../core/time.ts';

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

/** What an operator may say of a model; `engines/models/model-table.ts` explains it. A function, so that bundles leave it out. */
export function modelTable() {
  const tokens = v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(10_000_000)));
  const isCapable = v.exactOptional(v.boolean());
  const dollars = v.pipe(v.number(), v.minValue(0));
  const profile = v.strictObject({
    context: tokens,
    output: tokens,
    vision: isCapable,
    reasoning: isCapable,
    schema: v.exactOptional(v.picklist(['strict', 'tool', 'prompt'])),
    firstTokenMs: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(HOUR_MS))),
    price: v.exactOptional(v.strictObject({ input: dollars, output: dollars, asOf: v.string() })),
  });
  return v.pipe(v.string(), v.parseJson(), v.record(v.string(), profile));
}
