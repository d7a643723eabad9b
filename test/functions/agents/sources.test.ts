/** Which sources a task may name: the three of the product, and those of its own organization. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Api, openApi } from './setup.ts';

let api: Api;
beforeEach(() => {
  api = openApi();
});
afterEach(() => api.close());

const SHOWN = ['financial_reports', 'market_data', 'news_feeds'];

function withSources(...sources: string[]): string {
  const organization = api.found();
  const existing = api.organizations.get(organization);
  if (existing) api.organizations.set(organization, { ...existing, sources });
  return organization;
}

const research = (...sources: string[]) => ({ task_type: 'research_agent', input: { query: 'Port fees?', sources } });
const notification = (...sources: string[]) => ({
  task_type: 'notification_agent',
  input: { content: { recipients: ['a@errand-tests.org'], data_sources: sources } },
});
const post = (organization: string, json: object) => api.call({ organization }, 'POST', '/tasks', { json });

it('accepts the sources that the operator added, for every agent with sources', async () => {
  const organization = withSources('news_feeds', 'port_news');
  expect((await post(organization, research('port_news', 'market_data'))).status).toBe(202);
  expect((await post(organization, notification('port_news'))).status).toBe(202);
});

it('rejects sources of another organization, and lists to each caller only its own', async () => {
  const [owner, other] = [withSources('port_news'), withSources()];
  const refused = await post(other, research('port_news'));
  expect([refused.status, refused.body.error.details.invalid_fields]).toEqual([
    400,
    ['input.sources.0', 'input.sources'],
  ]);
  expect(refused.body.error.details.valid_sources).toEqual(SHOWN);
  expect(refused.text).not.toContain('port_news');
  const ownReply = await post(owner, notification('port_news', 'nowhere'));
  expect(ownReply.body.error.details).toMatchObject({
    invalid_fields: ['input.content.data_sources.1', 'input.content.data_sources'],
    valid_sources: [...SHOWN, 'port_news'],
  });
  expect(ownReply.body.error.details.reasons['input.content.data_sources.1']).toContain('port_news');
});

it('lists them in every error of a request', async () => {
  const organization = withSources('port_news');
  const listed = await api.call({ organization }, 'GET', '/tasks?limit=0');
  expect([listed.status, listed.body.error.details.valid_sources]).toEqual([400, [...SHOWN, 'port_news']]);
});

it('lists them, and marks those of the organization', async () => {
  const organization = withSources('news_feeds', 'port_news');
  const listed = await api.call({ organization, role: 'viewer' }, 'GET', '/sources');
  expect([listed.status, listed.body]).toEqual([
    200,
    {
      sources: [
        { name: 'financial_reports', custom: false },
        { name: 'market_data', custom: false },
        { name: 'news_feeds', custom: true },
        { name: 'port_news', custom: true },
      ],
    },
  ]);
});
