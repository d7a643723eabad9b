import { expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { openSearchKey, searchProviderOf } from '../../../shared/accounts/search-provider.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

async function readStoredKey() {
  const { table, vault, close } = openLocal({ ERRAND_STATE: state() });
  try {
    const provider = await searchProviderOf(table, acme().id);
    return { provider, key: provider && (await openSearchKey(vault, acme().id, provider)) };
  } finally {
    close();
  }
}

it('sets, shows and removes the search provider of an organization, and never shows its key', async () => {
  const shown = { organization: acme().id, preset: 'brave', url: 'https://api.search.brave.com/', key: 'set' };
  expect(await json(['org', 'search', 'Acme', 'brave', '--key-stdin'], 'BSA-secret\n')).toMatchObject(shown);
  expect(await json(['org', 'search', 'Acme'])).toMatchObject(shown);
  const { provider, key } = await readStoredKey();
  expect(key).toBe('BSA-secret');
  expect(JSON.stringify(provider)).not.toContain('BSA-secret');
  expect((await run(['audit', 'Acme', '--json'])).stdout).not.toContain('BSA-secret');
  expect(await json(['org', 'search', 'Acme', '--clear'])).toMatchObject({ preset: null, url: null, key: null });
  expect((await readStoredKey()).provider).toBeUndefined();
});

it('keeps a key only for the origin for which it was entered', async () => {
  const at = (url: string, ...more: string[]) => ['org', 'search', 'Acme', 'searxng', '--url', url, ...more];
  await json(at('https://search.acme.org/', '--key-stdin'), 'key');
  expect(await json(at('https://search.acme.org/path/'))).toMatchObject({ key: 'set' });
  expect(await json(at('https://search.acme.org:8443/'))).toMatchObject({ key: null });
  await json(['org', 'search', 'Acme', 'tavily', '--key-stdin'], 'key');
  await refuses(['org', 'search', 'Acme', 'exa'], /exa needs a key/);
  await refuses(['org', 'search', 'Acme', 'tavily', '--url', 'https://tavily.acme.org/'], /tavily needs a key/);
  const { table, vault, close } = openLocal({ ERRAND_STATE: state() });
  const provider = await searchProviderOf(table, acme().id);
  const moved = { ...provider, url: 'https://attacker.org/' } as NonNullable<typeof provider>;
  await expect(openSearchKey(vault, acme().id, moved)).rejects.toMatchObject({ code: 'unreadable' });
  close();
});

it.each([
  [['http://search.acme.org/'], /public HTTPS URL/],
  [['https://10.0.0.1/'], /public HTTPS URL/],
  [['https://localhost/'], /public HTTPS URL/],
  [['https://user:hunter2@search.acme.org/'], /public HTTPS URL/],
  [['https://search.acme.org/?q=a'], /without a query/],
])('refuses %j in one line', async ([url = ''], remedy) => {
  await refuses(['org', 'search', 'Acme', 'searxng', '--url', url], remedy);
  expect((await run(['audit'])).stdout).not.toContain('hunter2');
});

it('refuses a key of several lines and a key that is empty', async () => {
  await refuses(['org', 'search', 'Acme', 'exa', '--key-stdin'], /A key has /, 'a\nb');
  await refuses(['org', 'search', 'Acme', 'exa', '--key-stdin'], /A key has /, '');
});
