/** Hostile texts in the console: scripts in results, reports, names and labels. None runs or sends a request. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { clientsOf, type OpenConsole, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const EVIL = [
  '<img src="https://evil.example/x.png" onerror="top.ran=1">',
  '<script>top.ran=1</script>',
  '"><svg onload="top.ran=1">',
  '[click](javascript:top.ran=1)',
  '<iframe srcdoc="<script>top.ran=1</script>"></iframe>',
].join(' ');
const EVIL_REPORT = `<!doctype html><html><head><meta http-equiv="refresh" content="0;url=https://evil.example/">
<base href="https://evil.example/"><style>body { background: url(https://evil.example/b.png) } @import url(https://evil.example/c.css);</style>
<link rel="stylesheet" href="https://evil.example/d.css"></head>
<body onload="top.ran=1" style="background: url(https://evil.example/e.png)"><h1>Hostile report</h1>${EVIL}
<form action="https://evil.example/"><button>Send</button></form><object data="https://evil.example/f"></object>
<a href="javascript:top.ran=1" id="trap">trap</a><a href="https://evil.example/g" target="_top" id="away">away</a>
<script src="https://evil.example/h.js"></script></body></html>`;

const world = withProduct();
let at: OpenConsole;
const reached: string[] = [];

beforeAll(async () => {
  at = await openConsole(world.browser, world.product);
  // Requests that the CSP blocks never leave the page.
  await at.page.context().route(/evil\.example/, (route) => {
    reached.push(route.request().url());
    return route.abort();
  });
  at.page.on('dialog', (dialog) => dialog.dismiss());
});
beforeEach(() => {
  reached.length = 0;
});

async function nothingRan(): Promise<void> {
  const { page } = at;
  // Scripts would have run by now.
  await page.evaluate(() => new Promise((done) => (globalThis as Any).setTimeout(done, 300)));
  expect(await page.evaluate(() => (globalThis as Any).ran)).toBeUndefined();
  expect(page.url().startsWith(rootOf(world.product))).toBe(true);
  expect(reached).toEqual([]);
}

it('shows scripts in a question, labels and a reason as plain text', async () => {
  const { page } = at;
  const { people } = clientsOf(world.product);
  const metadata = { '<b onclick="top.ran=1">name</b>': EVIL.slice(0, 500) };
  const { task_id } = await people.submit({
    task_type: 'research_agent',
    input: { query: `How are policy rates? ${EVIL}`, output_format: 'html' },
    webhook_url: `${rootOf(world.product)}catch/`,
    metadata,
  });
  await people.wait(task_id);
  await at.go('/agents', 'Agent tasks');
  await page.getByText('<script>top.ran=1</script>').first().waitFor();
  await nothingRan();
  await at.go(`/agents/${task_id}`, 'How are policy rates?');
  await page.locator('article.report').waitFor();
  await page.locator('main').getByText('<b onclick="top.ran=1">name</b>').first().waitFor();
  expect(await page.locator('main img, main script, main iframe, main [onclick]').count()).toBe(0);
  await nothingRan();
  expect(at.complaints).toEqual([]);
});

it('shows results with hostile text in every field as plain text', async () => {
  const { page } = at;
  const { people } = clientsOf(world.product);
  const { task_id } = await people.submit({ task_type: 'research_agent', input: { query: 'How are policy rates?' } });
  await people.wait(task_id);
  await page.route(`**/tasks/${task_id}/results`, async (route) => {
    const answer = await route.fetch();
    const { results, ...around } = (await answer.json()) as Any;
    await route.fulfill({ response: answer, json: { ...around, results: poison(results) } });
  });
  await at.go(`/agents/${task_id}`, 'How are policy rates?');
  await page.locator('main').getByText('<script>top.ran=1</script>').first().waitFor();
  expect(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count()).toBe(0);
  await nothingRan();
  expect(at.complaints).toEqual([]);
});

/** Values that the page expects stay, so that it has something to draw. */
function poison(value: Any): Any {
  if (typeof value === 'string') return /^[\w-]{1,24}$|^\d{4}-\d\d-\d\dT/.test(value) ? value : EVIL;
  if (Array.isArray(value)) return value.map(poison);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poison(inner)]));
}

it('shows an HTML report in a frame without any permission', async () => {
  const { page } = at;
  const { people } = clientsOf(world.product);
  const { task_id } = await people.submit({
    task_type: 'research_agent',
    input: { query: 'How are policy rates?', output_format: 'html' },
  });
  await people.wait(task_id);
  await page.route('**/blobs/**', (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({ contentType: 'text/html', headers: { 'access-control-allow-origin': '*' }, body: EVIL_REPORT })
      : route.continue(),
  );
  await at.go(`/agents/${task_id}`, 'How are policy rates?');
  await page.getByRole('button', { name: 'Look' }).first().click();
  const frame = page.frameLocator('iframe.report-frame');
  await frame.getByRole('heading', { name: 'Hostile report' }).waitFor();
  expect(await page.locator('iframe.report-frame').getAttribute('sandbox')).not.toMatch(/allow-(scripts|forms|top)/);
  expect(await frame.locator('script, form, object, base, meta, iframe, link').count()).toBe(0);
  await frame.locator('#trap').dispatchEvent('click');
  await nothingRan();
  await page.unroute('**/blobs/**');
  // The browser logs what the CSP blocks.
  at.complaints.length = 0;
});

it('shows file names, answers and quotes as plain text', async () => {
  const { page } = at;
  const { files, tasks } = clientsOf(world.product);
  const fileName = `<img src=x onerror='top.ran=1'>.txt`;
  const text = `The rent is 1,200 euros. ${EVIL} [here](javascript:top.ran=1) ![p](https://evil.example/p.png)`;
  const { fileId } = await files.upload(new Blob([text]), { fileName, mimeType: 'text/html' });
  const { taskId } = await tasks.create({
    namespace: '<i>homes</i>',
    delivery: { type: 'webhook', config: { endpoint: `${rootOf(world.product)}catch/` } },
    input: { type: 'chat', prompt: `What is the rent? ${EVIL}`, fileIds: [fileId] },
  });
  await tasks.wait(taskId);
  await at.go('/files', 'Files');
  await page.getByRole('list', { name: 'Files' }).getByText('onerror').waitFor();
  await nothingRan();
  await at.go(`/prompts/${taskId}`, 'What is the rent?');
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  expect(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count()).toBe(0);
  await nothingRan();
  expect(at.complaints).toEqual([]);
});
