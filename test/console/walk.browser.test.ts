/** A user's walk through the console of the running product: log in, submit, watch, read, cancel. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { fileSecrets } from '../../adapters/local/secrets.ts';
import { ACCESS_TOKEN, issueToken } from '../../shared/accounts/access-tokens.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import { child } from '../bin/operator/errand.ts';
import type { Any } from '../support/any.ts';
import { clientsOf, enter, type OpenConsole, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;

beforeAll(async () => {
  at = await openConsole(world.browser, world.product, { isSignedIn: false });
});

it('signs in with a name and a password, and reveals only that they are wrong', async () => {
  const { page, complaints } = at;
  const [{ username, password } = { username: '', password: '' }] = world.product.local.organizations;
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/Request id [0-9a-f-]{36}/);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Agent tasks' }).waitFor();
  expect(complaints.splice(0).filter((line) => !line.includes('401 (Unauthorized)'))).toEqual([]);
});

it('stores no token that outlives the tab', async () => {
  const kept = await at.page.evaluate(() => {
    const { localStorage, sessionStorage, document } = globalThis as Any;
    return { local: localStorage.length, cookie: document.cookie, tab: sessionStorage.length };
  });
  expect(kept).toEqual({ local: 0, cookie: '', tab: 1 });
});

it('submits a question, and shows the progress, the report and the webhook', async () => {
  const { page, complaints } = at;
  await page.getByRole('link', { name: 'New task' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  // A required field is missing.
  await page.locator('[data-path="input.query"][aria-invalid="true"]').waitFor();
  await page.getByLabel('What do you want to know?').fill('How are policy rates?');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('heading', { level: 1, name: 'How are policy rates?' }).waitFor();
  await page.locator('.badge', { hasText: 'completed' }).first().waitFor();
  await page.locator('article.report').getByRole('heading', { name: 'Executive summary' }).waitFor();
  expect(await page.locator('article.report .cite').count()).toBeGreaterThan(0);
  const delivery = page.getByRole('article', { name: /^Delivery to/ });
  await delivery.getByText('Answered with 200').waitFor();
  await delivery.getByRole('button', { name: 'Redeliver' }).click();
  await delivery.getByText('#2').waitFor();
  expect(complaints).toEqual([]);
});

it('lists the task, and filters it by its state', async () => {
  const { page } = at;
  await at.go('/agents?status=completed', 'Agent tasks');
  const rows = page.getByRole('list', { name: 'Agent tasks' }).getByRole('listitem');
  await rows.getByText('completed').waitFor();
  expect(await rows.count()).toBe(1);
  await at.go('/agents?status=failed', 'Agent tasks');
  await rows.waitFor({ state: 'detached' });
});

it('shows and searches the inputs of tasks in another tab', async () => {
  const { people } = clientsOf(world.product);
  await people.submit({ task_type: 'research_agent', input: { query: 'How did port fees change?' } });
  const other = await openConsole(world.browser, world.product, { place: '#/agents' });
  const rows = other.page.getByRole('list', { name: 'Agent tasks' }).getByRole('listitem');
  await rows.getByText('How are policy rates?').waitFor();
  expect(await rows.count()).toBe(2);
  await other.page.getByLabel('Find on this page').fill('PORT FEES');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('How did port fees change?')]);
  expect(other.complaints).toEqual([]);
  await other.page.close();
});

it('cancels a scheduled task, with a reason', async () => {
  const { page } = at;
  const { people } = clientsOf(world.product);
  const { task_id } = await people.submit({
    task_type: 'notification_agent',
    input: {
      notification_type: 'digest',
      content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds'] },
      schedule: { frequency: 'monthly', time: '00:00:00', timezone: 'UTC' },
    },
  });
  await at.go(`/agents/${task_id}`, 'Digest to ann@readers.org, monthly');
  await page.getByRole('button', { name: 'Cancel task' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this task?' });
  await dialog.getByLabel(/^Reason/).fill('Not needed <b>any more</b>');
  await dialog.getByRole('button', { name: 'Cancel the task' }).click();
  await page.locator('.badge', { hasText: 'cancelled' }).waitFor();
  await page.getByRole('region', { name: 'Request' }).getByText('Not needed <b>any more</b>').waitFor();
  await page.getByText('No results: the task ended before a stage was finished.').waitFor();
  expect(await page.getByText('These results are partial').count()).toBe(0);
  expect((await people.status(task_id)).status).toBe('cancelled');
});

it('submits a prompt about an uploaded file, and shows the answer', async () => {
  const { page, complaints } = at;
  const { files } = clientsOf(world.product);
  const text = 'The lease begins on 14 January 2026. The rent is 1,200 euros a month.';
  await files.upload(new Blob([text]), { fileName: 'lease.txt', mimeType: 'text/plain' });
  await at.go('/prompts/new', 'New prompt task');
  await page.getByLabel('lease.txt').check();
  await page.locator('[name="input.prompt"]').fill('What is the rent?');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  await page.locator('main').getByText('1,200 euros').first().waitFor();
  expect(complaints).toEqual([]);
});

it('offers the workflows and rulesets of the organization, and shows the result of each step', async () => {
  const { page, complaints } = at;
  const [{ id } = { id: '' }] = world.product.local.organizations;
  const file = (name: string, text: string) => {
    writeFileSync(join(world.folder, name), text);
    return join(world.folder, name);
  };
  const put = (noun: string, path: string) =>
    expect(child(world.state, [noun, 'put', path, '--org', id])).toMatchObject({ status: 0, stderr: '' });
  put('workflow', file('review.md', '# Lease review\n\n## Dates\n\nList the dates.\n\n## Sum\n\nAdd up the rent.\n'));
  put('ruleset', file('wording.md', '# Wording\n\nName the currency.\n'));
  await at.go('/agents', 'Agent tasks');
  await at.go('/prompts/new', 'New prompt task');
  await page.getByRole('heading', { name: 'Model and knowledge' }).click();
  await page.getByLabel('Lease review Dates → Sum').check();
  await page.getByLabel('Wording version 1').check();
  await page.locator('[name="input.prompt"]').fill('What is the rent?');
  const submitted = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/tasks'));
  await page.getByRole('button', { name: 'Submit' }).click();
  const { workflows, rulesets } = clientsOf(world.product);
  const [workflow, ruleset] = [await workflows().next(), await rulesets().next()];
  expect((await submitted).postDataJSON().input).toMatchObject({
    workflowIds: [workflow.value?.workflowId],
    rulesetIds: [ruleset.value?.rulesetId],
  });
  await page.getByRole('heading', { name: 'Step 2: Sum' }).waitFor();
  const answers = page.locator('main').getByText('no passage to show');
  expect(await answers.count()).toBe(1);
  await page.getByRole('heading', { name: 'Step 1: Dates' }).click();
  await expect.poll(() => answers.count()).toBe(2);
  expect(complaints).toEqual([]);
});

it('resumes after a disconnect, and shows what happened meanwhile', async () => {
  const { people } = clientsOf(world.product);
  const cutting = await openConsole(world.browser, world.product, { isSignedIn: false });
  const { page } = cutting;
  const cuts: (() => Promise<void>)[] = [];
  let opened = 0;
  await page.routeWebSocket('**/ws/tasks', (socket) => {
    opened++;
    const server = socket.connectToServer();
    cuts.push(async () => {
      await server.close();
      await socket.close();
    });
  });
  await enter(page, 'Demo One');
  await page.getByText('Live', { exact: true }).waitFor();
  const task = { task_type: 'research_agent' as const, input: { query: 'How are policy rates?' } };
  const [during] = await Promise.all([people.submit(task), cuts[0]?.()]);
  await people.wait(during.task_id);
  await page.locator(`a[href*="${during.task_id}"]`).getByText('completed').waitFor();
  expect(opened).toBe(2);
  const after = await people.submit(task);
  await page.locator(`a[href*="${after.task_id}"]`).getByText('completed').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await cutting.close();
});

it('shows at once when the service is unreachable, and when it is live again', async () => {
  const gone = await openConsole(world.browser, world.product, { isSignedIn: false });
  const { page } = gone;
  const sockets: { close(): Promise<void> }[] = [];
  await page.routeWebSocket('**/ws/tasks', (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await enter(page, 'Demo One');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route('**/api/v1/**', (route) => route.abort());
  await sockets[0]?.close();
  await page.getByText('Not live: reconnecting').waitFor({ timeout: 3_000 });
  await page.unroute('**/api/v1/**');
  await page.getByText('Live', { exact: true }).waitFor();
  await gone.close();
});

it('returns to the sign-in page with an expired token, and from there to the previous page', async () => {
  const { page, complaints } = at;
  await at.go('/usage', 'Usage and limits');
  const [one] = world.product.local.organizations;
  const clock = { ...systemClock, now: () => systemClock.now() - 2 * 3_600_000 };
  const secrets = fileSecrets({ file: join(world.state, 'master.json'), clock, lookEveryMs: 0 });
  const person = { id: 'u', organization: one?.id ?? '', name: 'ann', role: 'admin', createdAt: 0 } as Any;
  const old = await issueToken({ secrets, clock, ids: makeIds(clock) }, ACCESS_TOKEN, person);
  await page.evaluate((token) => {
    const { sessionStorage } = globalThis as Any;
    const key = 'errand.session';
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), token }));
  }, old);
  await page.reload();
  await page.getByText('Your session has expired').waitFor();
  await enter(page, 'Demo One');
  await page.getByRole('heading', { level: 1, name: 'Usage and limits' }).waitFor();
  expect(complaints.splice(0).filter((line) => !/401 \(Unauthorized\)/.test(line))).toEqual([]);
});
