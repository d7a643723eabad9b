/** A source that the operator adds to the running product is valid for its organization within a second, and for no other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { child } from '../operator/errand.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
/** Slower than the default, as the rate limit is ten submissions a minute. */
const SOON = { timeout: 10_000, interval: 300 };
let product: Running;

beforeAll(async () => {
  product = await startLocalProduct(state, await freePort());
});
afterAll(async () => {
  await product.stop();
  folder.remove();
});

const post = async (path: string, json: object, token?: string) => {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const reply = await fetch(product.local.agents.rootUrl + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(json),
  });
  return { status: reply.status, body: await reply.json() };
};

const operate = (...words: string[]) => JSON.parse(child(state, [...words, '--json']).stdout);

it('adds a source, lets only tasks of its organization use it, and removes it', async () => {
  const tokens = await Promise.all(
    product.local.organizations.map(async ({ username, password }) => {
      const { body } = await post('/auth/login', { username, password });
      return String((body as { access_token: string }).access_token);
    }),
  );
  // Distinguishes refused from accepted submissions without leaving tasks behind.
  const json = { task_type: 'research_agent', input: { sources: ['port_news'] } };
  const faults = async (token = '') => {
    const { status, body } = await post('/api/v1/tasks', json, token);
    const { details } = (body as { error: { details: { invalid_fields: string[] } } }).error;
    return [status, ...details.invalid_fields.toSorted()];
  };
  const [own, other] = tokens;
  expect(await faults(own)).toEqual([400, 'input.query', 'input.sources', 'input.sources.0']);

  const file = join(folder.path, 'port-news.yaml');
  writeFileSync(
    file,
    'title: Port news\nconnectors:\n  - kind: feed\n    address: https://news.errand-tests.org/feed\n',
  );
  const [{ name } = { name: '' }] = product.local.organizations;
  operate('source', 'put', 'port_news', '--file', file, '--org', name);
  await expect.poll(() => faults(own), SOON).toEqual([400, 'input.query']);
  expect(await faults(other)).toEqual([400, 'input.query', 'input.sources', 'input.sources.0']);

  operate('source', 'remove', 'port_news', '--org', name);
  await expect.poll(() => faults(own), SOON).toEqual([400, 'input.query', 'input.sources', 'input.sources.0']);
});
