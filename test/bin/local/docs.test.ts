import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsServer } from '../../../bin/local/docs-server.ts';
import { type Contract, escaped, referencePage } from '../../../bin/local/reference-page.ts';
import { contract } from '../../scripts/contracts/check-answer.ts';
import type { Any } from '../../support/any.ts';

const organizations = [{ name: 'Demo One', apiKey: 'errand_a_b', username: 'admin@demo-one', password: 'p' }];
const server = createServer(
  docsServer({ roots: { files: 'http://127.0.0.1:4000', agents: 'http://127.0.0.1:4001' }, organizations }),
);

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

type Got = { status: number; headers: Record<string, unknown>; text: string };

async function fetchPage(path: string, o: { host?: string; method?: string } = {}): Promise<Got> {
  const { port } = server.address() as AddressInfo;
  const headers = { host: o.host ?? `127.0.0.1:${port}` };
  const asked = request({ host: '127.0.0.1', port, path, headers, method: o.method ?? 'GET' }).end();
  const [reply] = await once(asked, 'response');
  let text = '';
  for await (const chunk of reply) text += chunk;
  return { status: reply.statusCode, headers: reply.headers, text };
}

describe('the reference page', () => {
  it('has every call of both APIs, with a form to try it', async () => {
    const { status, headers, text } = await fetchPage('/docs/try');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const [face, name] of [
      ['files', 'files-and-tasks'],
      ['agents', 'agents'],
    ]) {
      const operations = Object.values(contract(`${name}.openapi`).paths).flatMap((path: Any) =>
        Object.values<Any>(path),
      );
      expect(operations.length).toBeGreaterThan(12);
      for (const { operationId } of operations) {
        expect(text).toContain(`<section id="${face}-${operationId}"`);
        expect(text).toContain(`href="#${face}-${operationId}"`);
        expect(text).toContain(`data-face="${face}" data-method=`);
      }
    }
  });

  it('runs only its own script', async () => {
    const { headers, text } = await fetchPage('/docs/try');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https:/);
    expect(text).not.toMatch(/<script>|\son\w+=|style="|src="(?!\/docs\/)|<link rel="stylesheet" href="(?!\/docs\/)/);
    for (const file of ['docs.js', 'docs.css'])
      expect((await fetchPage(`/docs/${file}`)).text).not.toMatch(/https?:\/\//);
  });

  it('shows the credentials only to this machine under its own host names', async () => {
    expect(JSON.parse((await fetchPage('/docs/local.json')).text).organizations).toEqual(organizations);
    for (const host of ['localhost:4000', '127.0.0.1:4000', '[::1]:4000']) {
      expect((await fetchPage('/docs/local.json', { host })).status).toBe(200);
    }
    for (const host of ['rebound.acme.org:4000', '127.0.0.1.acme.org:4000', 'localhost']) {
      const refused = await fetchPage('/docs/local.json', { host });
      expect([refused.status, refused.text]).toEqual([403, '']);
    }
    const { headers } = await fetchPage('/docs/local.json');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('serves no other page, no other method and no file outside its folder', async () => {
    for (const path of ['/docs/nothing', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docsx']) {
      expect((await fetchPage(path)).status).toBe(404);
    }
    expect((await fetchPage('/docs', { method: 'POST' })).status).toBe(404);
  });

  it('escapes all texts of a contract as HTML', () => {
    const evil = '<img src=x onerror="alert(1)">';
    const hostile = JSON.parse(
      JSON.stringify(contract('agents.openapi')).replaceAll(
        'The status, the progress and what was produced so far.',
        evil.replaceAll('"', '\\"'),
      ),
    ) as Contract;
    const page = referencePage([{ name: 'agents', contract: hostile }]);
    expect(page).not.toContain('<img');
    expect(page).toContain(escaped(evil));
  });
});

describe('the documentation', () => {
  it('is reached by a redirect from its former URL', async () => {
    const { status, headers } = await fetchPage('/docs');
    expect([status, headers.location]).toEqual([302, '/docs/']);
  });

  it('has every page of docs/, with a navigation, and runs only its own script', async () => {
    for (const page of [
      '',
      'tutorial.html',
      'guides/webhooks.html',
      'reference/errors.html',
      'adr/',
      'project/security.html',
    ]) {
      const { status, headers, text } = await fetchPage(`/docs/${page}`);
      expect([page, status, headers['content-type']]).toEqual([page, 200, 'text/html; charset=utf-8']);
      expect(text).toContain('<nav aria-label="Pages">');
      expect(text).not.toMatch(/<script>|\son\w+=|style="/);
    }
    expect((await fetchPage('/docs/images/start.png')).headers['content-type']).toBe('image/png');
    expect((await fetchPage('/docs/guides/nothing.html')).status).toBe(404);
  });
});

it('lists every call in llms.txt', async () => {
  const { text } = await fetchPage('/llms.txt');
  for (const name of ['files-and-tasks', 'agents']) {
    for (const path of Object.keys(contract(`${name}.openapi`).paths)) expect(text).toContain(` ${path}\``);
  }
});

it('the Postman collection has every call, its variables, and a login that keeps its token', () => {
  const file = join(import.meta.dirname, '../../../contracts/errand.postman.json');
  const { item: folders, variable } = JSON.parse(readFileSync(file, 'utf8')) as Any;
  const requests = folders.flatMap((face: Any) => face.item.flatMap((tag: Any) => tag.item));
  const operations = ['files-and-tasks', 'agents'].flatMap((name) =>
    Object.values<Any>(contract(`${name}.openapi`).paths).flatMap((path) => Object.keys(path)),
  );
  expect(requests).toHaveLength(operations.length);
  for (const { request: asked } of requests) {
    expect(asked.url.raw).toMatch(/^\{\{(files|agents)_root\}\}\//);
    const names = [...asked.url.raw.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(asked.url.variable.map(({ key }: Any) => key)).toEqual(names);
    if (asked.body) expect(() => JSON.parse(asked.body.raw)).not.toThrow();
  }
  expect(variable.map(({ key }: Any) => key)).toEqual(['files_root', 'agents_root', 'api_key', 'access_token']);
  expect(JSON.stringify(folders)).toContain("pm.collectionVariables.set('access_token'");
});
