/** The search provider of an organization's research. */

import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Key, Table } from '../ports.ts';

export const SEARCH_PRESETS = ['searxng', 'brave', 'tavily', 'exa', 'serper'] as const;
export type SearchPreset = (typeof SEARCH_PRESETS)[number];

/** `url` is the base address of the provider; the preset adds its path. */
export type SearchProvider = { preset: SearchPreset; url: string; since: number; sealedKey?: string };

export const DEFAULT_URLS: Partial<Record<SearchPreset, string>> = {
  brave: 'https://api.search.brave.com/',
  tavily: 'https://api.tavily.com/',
  exa: 'https://api.exa.ai/',
  serper: 'https://google.serper.dev/',
};

/** All presets except SearXNG need a key. */
const needsKey = (preset: SearchPreset): boolean => preset !== 'searxng';

const MAX_KEY_LENGTH = 1_000;
const VISIBLE = /^[!-~]+$/;

const keyOf = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'SEARCH_PROVIDER' });

/** Part of the seal: a key that was sealed for one origin cannot be opened for another. */
const contextOf = (organization: string, url: string): string => `${organization} ${new URL(url).origin}`;

export const searchProviderOf = async (table: Table, organization: string): Promise<SearchProvider | undefined> =>
  (await table.get<SearchProvider>(keyOf(organization)))?.value;

type Ports = { table: Table; clock: Clock; vault: Vault };
type NewSearchProvider = { preset: SearchPreset; url: string; key?: string };

/** Replaces the provider. Without a new key, the stored key is kept if preset and origin stay the same. */
export async function setSearchProvider(
  { table, clock, vault }: Ports,
  organization: string,
  { preset, url, key }: NewSearchProvider,
): Promise<SearchProvider> {
  if (key !== undefined && (!VISIBLE.test(key) || key.length > MAX_KEY_LENGTH)) {
    throw new Problem('invalid', `A key has 1 to ${MAX_KEY_LENGTH} visible ASCII characters, in one line.`);
  }
  const before = await searchProviderOf(table, organization);
  const isSame = before?.preset === preset && new URL(before.url).origin === new URL(url).origin;
  const previousKey = isSame ? before.sealedKey : undefined;
  const sealedKey = key === undefined ? previousKey : await vault.seal(key, contextOf(organization, url));
  if (sealedKey === undefined && needsKey(preset)) {
    throw new Problem('invalid', `${preset} needs a key: give --key-stdin and the key on standard input.`);
  }
  const provider = { preset, url, since: clock.now(), ...definedFields({ sealedKey }) };
  await putRow<SearchProvider>(table, { ...keyOf(organization), value: provider });
  return provider;
}

export async function removeSearchProvider(table: Table, organization: string): Promise<void> {
  const row = await table.get<SearchProvider>(keyOf(organization));
  if (row && !(await table.remove(row))) {
    throw new Problem('busy', 'The search provider is being changed by another request; try again.');
  }
}

/** Only for requests to the provider: the key is never shown. */
export async function openSearchKey(
  vault: Vault,
  organization: string,
  { url, sealedKey }: SearchProvider,
): Promise<string | undefined> {
  return sealedKey === undefined ? undefined : vault.open(sealedKey, contextOf(organization, url));
}
