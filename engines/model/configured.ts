/** The models that settings bring besides the offline one. */
import { systemWait } from '../../shared/core/time.ts';
import type { OutboundRequest } from '../outbound/outbound.ts';
import { type ModelProvider, models } from './models.ts';
import { openAiCompatible } from './openai-compatible.ts';

type OpenAiSettings = { baseUrl: string | undefined; key(): Promise<string | undefined> };

export function configuredModels(
  { address: baseUrl, key }: OpenAiSettings,
  request: OutboundRequest,
  more: Record<string, ModelProvider> = {},
) {
  const openai: Record<string, ModelProvider> =
    baseUrl === undefined ? {} : { openai: openAiCompatible({ baseUrl: address, key, request }) };
  return models({ ...openai, ...more }, { wait: systemWait, chance: Math.random });
}
