/** Ends an API key for good. Whoever has it cached refuses it within that cache's time. */
import { Problem } from '../core/problem.ts';
import type { Clock, Table } from '../ports.ts';
import { type ApiKey, apiKeyDraft, apiKeyKey } from './api-key.ts';
import { changeRow } from './change-row.ts';

export async function revokeKey({ table, clock }: { table: Table; clock: Clock }, id: string): Promise<void> {
  const revokedAt = clock.now();
  const revoked = await changeRow<ApiKey>(table, apiKeyKey(id), {
    draft: apiKeyDraft,
    change(key) {
      if (key.revokedAt === undefined) return { ...key, revokedAt };
      const at = new Date(key.revokedAt).toISOString();
      throw new Problem('invalid', `The key ${id} was revoked already, at ${at}.`);
    },
  });
  if (!revoked) throw new Problem('notFound', 'There is no such key.');
}
