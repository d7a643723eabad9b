/** The models that settings bring besides the offline one. */
import { systemWait } from '../../shared/core/time.ts';
import type { Request } from '../outbound/outbound.ts';
import { models, type Provider } from './models.ts';
import { openAiCompatible } from './openai-compatible.ts';

type Settings = { address: string | undefined; key(): Promise<string | undefined> };

export function configuredModels({ address, key }: Settings, request: Request, more: Record<string, Provider> = {}) {
  const openai: Record<string, Provider> =
    address === undefined ? {} : { openai: openAiCompatible({ address, key, request }) };
  return models({ ...openai, ...more }, { wait: systemWait, chance: Math.random });
}
