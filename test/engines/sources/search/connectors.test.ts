import { expect, it } from 'vitest';
import { checks } from '../../../../bin/operator/doctor-checks.ts';
import { outbound } from '../../../../engines/outbound/request.ts';
import { searchConnectors } from '../../../../engines/sources/web-search.ts';
import { setSearchProvider } from '../../../../shared/accounts/search-provider.ts';
import { useAccounts } from '../../../shared/accounts/setup.ts';
import { live, providerOf } from './provider.ts';

const state = useAccounts();
const organization = '01900000-0000-7000-8000-000000000001';
const query = { text: 'port fees', count: 1 };
const results = [{ url: 'https://ports.org/a', title: 'Fees' }];
const find = (searchUrl?: string) => searchConnectors({ ...state(), request: outbound(), searchUrl })(organization);

it('has no connector without a provider, and the SearXNG of the operator where there is one', async () => {
  expect(await find()).toBeUndefined();
  const { url, seen } = await providerOf('searxng', [{ body: { results } }]);
  const answer = await (await find(url))?.search(query, live());
  expect(answer).toEqual({ hits: [{ ...results[0], snippet: '' }], notes: [] });
  expect(seen).toHaveLength(1);
});

it('prefers the provider of the organization, and reaches no private address for it', async () => {
  const { url, seen } = await providerOf('searxng', [{ body: { results } }]);
  await setSearchProvider(state(), organization, { preset: 'tavily', url, key: 'secret-key' });
  const connector = await find(url);
  expect(connector?.name).toBe('tavily');
  expect(await connector?.search(query, live())).toEqual({
    hits: [],
    notes: ['tavily could not be reached (scheme).'],
  });
  expect(seen).toEqual([]);
});

it('says that a key can no longer be opened', async () => {
  await setSearchProvider(state(), organization, { preset: 'exa', url: 'https://api.exa.ai/', key: 'secret-key' });
  const vault = { seal: state().vault.seal, open: (sealed: string) => state().vault.open(sealed, 'another') };
  const connector = await searchConnectors({ ...state(), vault, request: outbound(), searchUrl: undefined })(
    organization,
  );
  expect((await connector?.search(query, live()))?.notes).toEqual([
    'The key of exa can no longer be opened: enter it again.',
  ]);
});

it('lets the doctor say which setting of a SearXNG to change', async () => {
  const refusing = await providerOf('searxng', [{ status: 403, body: '' }]);
  expect(await checks.searchWarnings(state(), refusing.url)).toEqual([
    'The search provider of organizations without one: searxng refuses JSON: add "json" to search.formats in its settings.yml.',
  ]);
  const answering = await providerOf('searxng', [{ body: { results } }]);
  expect(await checks.searchWarnings(state(), answering.url)).toEqual([]);
});
