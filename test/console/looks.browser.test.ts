/** Layout details: the menu on a phone, related figures, labels of charts, errors of a form. */
import { beforeAll, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { clientsOf, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
const phone = { viewport: { width: 360, height: 740 } };
const desk = { viewport: { width: 1_280, height: 900 } };
let task: string;

beforeAll(async () => {
  const { people } = clientsOf(world.product);
  const input = { query: 'How are policy rates?', deliverables: ['charts'] };
  task = (await people.submit({ task_type: 'research_agent', input })).task_id;
  await people.wait(task);
});

it('shows every page in the menu on a phone, also the open one', async () => {
  const at = await openConsole(world.browser, world.product, phone);
  await at.go('/mails', 'E-mails on this machine');
  const links = at.page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link');
  for (const link of await links.all()) {
    const { x = -1, width = 0 } = (await link.boundingBox()) ?? {};
    expect(x, (await link.textContent()) ?? '').toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(360);
  }
  await at.close();
});

it('keeps a number and its unit on one line', async () => {
  const at = await openConsole(world.browser, world.product, phone);
  // There is little room beside the time that is left.
  await at.page.route(`**/tasks/${task}`, async (route) => {
    const answer = await route.fetch();
    const task = (await answer.json()) as Any;
    const progress = { ...task.progress, estimated_remaining_minutes: 83.5 };
    const json = { ...task, status: 'processing', completed_at: null, progress };
    await route.fulfill({ response: answer, json });
  });
  await at.go(`/agents/${task}`, 'How are policy rates?');
  await at.page.getByText('100 %', { exact: true }).first().waitFor();
  const { height = 99 } = (await at.page.locator('.percent').boundingBox()) ?? {};
  expect(height).toBeLessThan(32);
  await at.close();
});

it("lists the events of a research within a phone's width, and all of them on request", async () => {
  const at = await openConsole(world.browser, world.product, phone);
  const long = `https://news.errand-tests.org/${'x'.repeat(220)}`;
  await at.page.route(`**/tasks/${task}/events?*`, async (route) => {
    const answer = await route.fetch();
    const { events, ...around } = (await answer.json()) as Any;
    const last = {
      n: events.length + 1,
      at: events[0].at,
      kind: 'page_refused',
      url: long,
      title: '<b>x',
      reason: 'asks for consent',
    };
    await route.fulfill({ response: answer, json: { ...around, events: [...events, last] } });
  });
  await at.go(`/agents/${task}`, 'How are policy rates?');
  await at.page.getByText('Stages and activity').click();
  const list = at.page.getByRole('region', { name: 'Activity' }).getByRole('listitem');
  await list.getByText(`Not opened: ${long} asks for consent`).waitFor();
  expect(await list.count()).toBe(8);
  await at.page.getByRole('button', { name: /^Show all \d+$/ }).click();
  await list.getByText('Query: How are policy rates').waitFor();
  expect(await list.count()).toBeGreaterThan(8);
  expect(await at.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await at.close();
});

const NAMES = [
  'Port fee Halden Bay, all included',
  'Port fee Port Sorrel',
  'Donaudampfschifffahrtsgesellschaftskapitän',
];

it.each([desk, phone])('shows the whole title of a chart, or an ellipsis', async (options) => {
  const at = await openConsole(world.browser, world.product, options);
  await at.page.route(`**/tasks/${task}/results`, async (route) => {
    const answer = await route.fetch();
    const { results, ...around } = (await answer.json()) as Any;
    const series = ['fees', 'taxes'].map((name) => ({ name, values: [3, 2, 1] }));
    const charts = [{ chart: 1, kind: 'bar', title: 'Fees', x: { labels: NAMES }, series }];
    const deliverables = [{ title: 'Charts', charts: [1] }];
    await route.fulfill({ response: answer, json: { ...around, results: { ...results, charts, deliverables } } });
  });
  await at.go(`/agents/${task}`, 'How are policy rates?');
  const labels = at.page.locator('.chart svg text:has(title)');
  await labels.first().waitFor();
  const shown = await labels.evaluateAll((all: Any[]) =>
    all.map((text) => ({
      title: text.querySelector('title').textContent,
      words: [...text.querySelectorAll('tspan')].map((line) => line.textContent).join(' '),
      box: text.getBoundingClientRect().toJSON(),
      chartBottom: text.closest('svg').getBoundingClientRect().bottom,
    })),
  );
  expect(shown.map(({ title }) => title)).toEqual(NAMES);
  for (const { title, words } of shown) expect(words === title || words.includes('…'), words).toBe(true);
  expect(shown[1]?.words).toBe(NAMES[1]);
  for (const [index, { box }] of shown.entries())
    expect(box.left).toBeGreaterThanOrEqual(shown[index - 1]?.box.right ?? 0);
  // What is below the picture is cut off, such as the tail of a `y`.
  for (const { box, chartBottom } of shown) expect(box.bottom).toBeLessThanOrEqual(chartBottom);
  // The names of the series stand on the card's background.
  const legend = at.page.locator('.legend li').first();
  expect(await legend.evaluate((item: Any) => (globalThis as Any).getComputedStyle(item).backgroundColor)).toBe(
    'rgba(0, 0, 0, 0)',
  );
  await at.close();
});

it('reports a wrong URL and a malformed label once each, at their fields', async () => {
  const at = await openConsole(world.browser, world.product, desk);
  const { page } = at;
  await at.go('/agents/new?type=processing_agent', 'New agent task');
  await page.locator('[name="input.documents"]').fill('https://files.acme.org/a.pdf');
  await page.getByText('Delivery and labels').click();
  await page.getByLabel(/^Labels/).fill('team=alpha\norder: 2041');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('This has a line that is not of the form name: value: team=alpha').waitFor();
  await page.getByLabel(/^Labels/).fill('order: 2041');
  await page.locator('[name="input.documents"]').fill('http://files.acme.org/a.pdf');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Correct the marked fields').waitFor();
  const text = (await page.locator('form').textContent()) ?? '';
  expect(text.match(/must be an absolute HTTPS URL/g)).toHaveLength(1);
  expect(text).not.toContain('input.documents');
  await at.close();
});

it('says what to do when a page does not load, without technical words', async () => {
  const at = await openConsole(world.browser, world.product, desk);
  await at.page.route('**/assets/*', (route) => route.abort());
  await at.go('/usage', 'This page cannot be opened');
  const alert = at.page.getByRole('alert');
  expect(await alert.textContent()).toContain('Check your connection');
  expect(await alert.textContent()).not.toMatch(/request id|dynamically/);
  await at.close();
});

it('ends the sentence about a missing task', async () => {
  const at = await openConsole(world.browser, world.product, desk);
  await at.go('/agents/task_01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23', 'Agent task');
  expect(await at.page.getByRole('alert').textContent()).toContain('not found. It may have expired.');
  await at.close();
});
