/** Bounds how many calls to a model are under way at a time; organizations have their turn. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Semaphore } from '../../shared/core/semaphore.ts';

export const withConcurrencyLimit = (
  model: LanguageModelV4,
  calls: Semaphore,
  organization: string,
): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doStream: (options) => model.doStream(options),
  doGenerate: (options) =>
    calls.run({ organization, signal: options.abortSignal }, async () => model.doGenerate(options)),
});
