/** The two demo organizations of `npm start`: their file, their credentials, and what became of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { listOrganizations } from '../../../shared/accounts/organizations.ts';
import { NO_MODEL } from '../../functions/over-http/local-product.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { child } from '../operator/errand.ts';
import { models, port, SCRIPT, start, startOnce, startPrinting, state } from './own-product.ts';

it('reflects changes since the first start: a rotated webhook secret and a removed organization', async () => {
  const first = await start();
  const [one, two] = first.local.organizations;
  const { webhookSecret } = JSON.parse(child(state, ['webhook-secret', 'rotate', one?.id ?? '', '--json']).stdout);
  child(state, ['org', 'erase', two?.id ?? '', '--confirm', two?.id ?? '']);
  first.process.kill('SIGINT');
  await once(first.process, 'exit');
  const second = await start();
  expect(second.local.organizations).toEqual([{ ...one, webhookSecret }]);
});

it('hides revoked credentials, and shows the current models', async () => {
  const first = await start();
  const [one, two] = first.local.organizations;
  child(state, ['user', 'password', two?.username ?? '', '--password-stdin'], 'correct horse battery');
  child(state, ['key', 'revoke', two?.apiKey ?? '']);
  child(state, ['org', 'models', 'Demo Two', 'openai/x', 'offline/extractive']);
  first.process.kill('SIGINT');
  await once(first.process, 'exit');
  const { printed, stop } = await startPrinting();
  const local = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
  const models = ['openai/x', 'offline/extractive'];
  expect(local.organizations).toEqual([one, { ...two, apiKey: null, password: null, models }]);
  expect(printed).toContain('revoked since: npx errand key create "Demo Two"');
  expect(printed).toContain('admin@demo-two / changed since: npx errand user list "Demo Two"');
  expect(printed).toContain(`Bearer ${one?.apiKey}'`);
  expect(printed).not.toMatch(/null|undefined/);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(page).toContain(String(one?.password));
  expect(page).not.toContain('admin@demo-two');
  expect(printed.match(/.*by default.*/g)).toEqual([
    expect.stringMatching(
      /for Demo Two by default: openai\/x answers only while .* with ERRAND_OPENAI_ADDRESS or OPENAI_API_KEY$/,
    ),
  ]);
  await stop();
});

it('does not mention a model whose provider is configured, or one that is not the default', async () => {
  await (await start()).stop();
  child(state, ['org', 'models', 'Demo One', 'openai/x']);
  const set = await startPrinting({ ERRAND_OPENAI_ADDRESS: 'http://127.0.0.1:9/v1' });
  expect(set.printed).not.toContain('by default');
  await set.stop();
  child(state, ['org', 'models', 'Demo One', 'offline/extractive', 'openai/x']);
  const second = await startPrinting();
  expect(second.printed).not.toContain('by default');
  await second.stop();
});

it('says before any task that no language model is configured and how to connect one, and no more once one is', async () => {
  const first = await startPrinting();
  expect(first.printed).toContain('No language model is configured: tasks show passages only.');
  expect(first.printed).toContain('npx errand org models "Demo One" NAME/MODEL offline/extractive');
  expect(first.printed).toContain('ERRAND_OPENAI_ADDRESS=');
  expect((await fetch(/http\S+connect-a-model\.html/.exec(first.printed)?.[0] ?? '')).status).toBe(200);
  await first.stop();
  child(state, ['org', 'models', 'Demo One', 'openai/x', 'offline/extractive']);
  const second = await startPrinting();
  expect(second.printed).toContain('No language model is configured (Demo Two): tasks show passages only.');
  await second.stop();
  child(state, ['org', 'models', 'Demo Two', 'openai/x']);
  const third = await startPrinting();
  expect(third.printed).not.toContain('No language model');
  await third.stop();
  // Three starts and two commands.
}, 90_000);

it('creates the demo organizations once, even if its first start is killed meanwhile', async () => {
  const demo = join(state, 'demo.json');
  const env = { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ERRAND_PORT: String(port) };
  const first = endWithParent(spawn(process.execPath, [SCRIPT, NO_MODEL], { env, stdio: 'ignore' }));
  await vi.waitUntil(() => existsSync(demo), { timeout: 10_000, interval: 1 });
  const { table, close } = openLocal(env);
  const organizationIds = async () => (await listOrganizations(table)).map(({ id }) => id);
  await vi.waitUntil(async () => (await organizationIds()).length > 0, { timeout: 10_000, interval: 1 });
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await organizationIds()).toHaveLength(1);
  const { founding } = JSON.parse(readFileSync(demo, 'utf8'));
  const { local } = await start();
  expect(local.organizations).toEqual(founding);
  expect(await organizationIds()).toEqual(local.organizations.map(({ id }) => id));
  close();
});

it('names only demo.json when it is damaged, and starts with the same state once it is deleted', async () => {
  const first = await start();
  await first.stop();
  const demo = join(state, 'demo.json');
  for (const damaged of ['', '[{"id"', 'null', '{}', '[7]', '[{"id":"x"}]']) {
    writeFileSync(demo, damaged);
    const { status, stderr } = startOnce();
    expect([status, stderr], damaged).toEqual([
      1,
      expect.stringMatching(/^errand: .*demo\.json is damaged\. .* delete this file alone/),
    ]);
    expect(stderr).not.toContain('--reset');
  }
  rmSync(demo);
  const second = await start();
  expect((await models(second, first.local.organizations[0]?.apiKey)).status).toBe(200);
  expect(second.local.organizations).toHaveLength(2);
  // Eight starts of the product.
}, 90_000);
