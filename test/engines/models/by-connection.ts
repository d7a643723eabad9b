/** Finds models by the part of their ids before the slash, for every organization. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { FindModel } from '../../../engines/models/connect.ts';

export const byConnection =
  (connections: Record<string, (model: string) => Promise<LanguageModelV4>>): FindModel =>
  async ({ connection, model: name }) => {
    const model = await connections[connection]?.(name);
    return model && { model };
  };
