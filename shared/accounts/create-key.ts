/** Makes an API key. Its text is in the answer and nowhere else. */
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { type ApiKey, apiKeyDraft } from './api-key.ts';
import { displayName } from './display-name.ts';
import { hashOfKey, makeKeyText } from './key-text.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 3_650;

type CreateKeyPorts = { table: Table; clock: Clock; ids: Ids };
/** `made`: its text, when that was drawn before. */
type NewKey = { organization: string; name: string; expiresInDays?: number; made?: { id: string; text: string } };

export async function createKey(
  { table, clock, ids }: CreateKeyPorts,
  { organization, name, expiresInDays, made = makeKeyText(ids) }: NewKey,
): Promise<{ key: Omit<ApiKey, 'hash'>; apiKey: string }> {
  const { id, text } = made;
  const createdAt = clock.now();
  const key = {
    id,
    organization,
    name: displayName(name),
    createdAt,
    ...(expiresInDays === undefined ? {} : { expiresAt: createdAt + checkDays(expiresInDays) * DAY_MS }),
  };
  if (!(await table.insert(apiKeyDraft({ ...key, hash: hashOfKey(text) })))) throw new Error('An id was made twice.');
  return { key, apiKey: text };
}

function checkDays(days: number): number {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new Problem('invalid', `A key expires after 1 to ${MAX_DAYS} days.`);
}
