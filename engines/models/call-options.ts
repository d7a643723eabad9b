/** Changes the options of each call to a model, before the library of its provider sees them. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';

type ChangeOptions = (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions;

export const withCallOptions = (model: LanguageModelV4, change: ChangeOptions): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(change(options)),
  doStream: (options) => model.doStream(change(options)),
});

/** Adds options that only this provider's library reads, over those that the call has for it. */
export const withProviderOptions = (
  options: LanguageModelV4CallOptions,
  provider: string,
  added: NonNullable<LanguageModelV4CallOptions['providerOptions']>[string],
): LanguageModelV4CallOptions => ({
  ...options,
  providerOptions: { ...options.providerOptions, [provider]: { ...options.providerOptions?.[provider], ...added } },
});
