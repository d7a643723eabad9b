/** The form of a prompt: what has to be filled in, and what is sent without it. */
import { afterEach, expect, it } from 'vitest';
import { type OpenConsole, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;
afterEach(() => at.close());

const discardUrl = () => `${world.product.local.filesAndTasks.baseUrl}/webhooks/discard`;

/** The body of the next submission. What the service answers is not looked at. */
const submitted = async () => {
  const request = at.page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/tasks'));
  await at.page.getByRole('button', { name: 'Submit' }).click();
  return (await request).postDataJSON();
};

it('needs nothing but a prompt', async () => {
  at = await openConsole(world.browser, world.product, { place: '#/prompts/new' });
  await at.page.locator('[name="input.prompt"]').fill('What is the rent?');
  expect(await submitted()).toMatchObject({ namespace: 'default', input: { prompt: 'What is the rent?' } });
});

it('sends the address that discards webhooks if none is given', async () => {
  at = await openConsole(world.browser, world.product, { place: '#/prompts/new' });
  const { page } = at;
  await page.locator('[name="input.prompt"]').fill('What is the rent?');
  await page.getByText('Namespace and delivery').click();
  const webhook = page.getByLabel('Webhook address optional');
  // On one machine, its own receiver is filled in.
  expect(await webhook.inputValue()).toBe(`${rootOf(world.product)}catch/`);
  await webhook.fill('');
  expect((await submitted()).delivery).toEqual({ type: 'webhook', config: { endpoint: discardUrl() } });
});

it('fills no webhook address in for a task that had none', async () => {
  at = await openConsole(world.browser, world.product);
  const { page } = at;
  await page.route('**/tasks/with-no-webhook/input', (route) =>
    route.fulfill({
      json: {
        taskId: 'with-no-webhook',
        namespace: 'homes',
        input: { prompt: 'What is the rent?', model: 'x/y', fileIds: [], workflowIds: [], steps: [], rulesetIds: [] },
        endpoint: discardUrl(),
      },
      headers: { 'access-control-allow-origin': '*' },
    }),
  );
  await at.go('/prompts/new?from=with-no-webhook', 'Edit and run');
  await page.getByText('Namespace and delivery').click();
  expect(await page.getByLabel('Webhook address optional').inputValue()).toBe('');
  expect(await page.getByRole('textbox', { name: 'Namespace' }).inputValue()).toBe('homes');
  expect((await submitted()).delivery).toEqual({ type: 'webhook', config: { endpoint: discardUrl() } });
});

it.each(['/prompts/new', '/agents/new'])(
  'says on %s that no language model is configured, where the default model writes nothing',
  async (place) => {
    at = await openConsole(world.browser, world.product);
    const { page } = at;
    const notice = page.getByText('No language model is configured: tasks show passages only.');
    const heading = place === '/agents/new' ? 'New agent task' : 'New prompt task';
    await at.go(place, heading);
    await notice.waitFor();
    const guide = await notice.getByRole('link').getAttribute('href');
    expect((await page.request.get(new URL(guide ?? '', page.url()).href)).status()).toBe(200);
    const models = { models: ['openai/x', 'offline/extractive'], default: 'openai/x' };
    await page.route('**/api/v1/models', (route) =>
      route.fulfill({ json: models, headers: { 'access-control-allow-origin': '*' } }),
    );
    const answered = page.waitForResponse('**/api/v1/models');
    await page.reload();
    await answered;
    await page.getByRole('button', { name: 'Submit' }).waitFor();
    expect(await notice.count()).toBe(0);
  },
);

it('says before a task is submitted which model answers, what it costs and where files are sent', async () => {
  at = await openConsole(world.browser, world.product);
  const { page } = at;
  const models = { models: ['ours/large', 'offline/extractive'], default: 'ours/large' };
  await page.route('**/api/v1/models', (route) =>
    route.fulfill({ json: models, headers: { 'access-control-allow-origin': '*' } }),
  );
  const facts = { model: 'ours/large', price: '3 US dollars in, 15 US dollars out', sentTo: 'models.acme.org' };
  await page.route('**/console/models', (route) => route.fulfill({ json: { models: [facts] } }));
  await at.go('/prompts/new', 'New prompt task');
  const notice = page.getByText('Tasks use ours/large; 3 US dollars in, 15 US dollars out.');
  await notice.waitFor();
  expect(await notice.textContent()).toContain('Files that they read are sent to models.acme.org.');
});
