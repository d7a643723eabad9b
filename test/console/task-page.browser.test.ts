/** The page of a task: what it was asked, its result before anything else, its end, and the same task once more. */
import { afterEach, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { clientsOf, type OpenConsole, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;
afterEach(() => at.close());

const QUERY = 'How did port fees change?';
const WINDOWS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

async function endedResearch(input: object = {}): Promise<string> {
  const { people } = clientsOf(world.product);
  const { task_id } = await people.submit({ task_type: 'research_agent', input: { query: QUERY, ...input } });
  await people.wait(task_id);
  return task_id;
}

const endpoint = () => `${rootOf(world.product)}catch/`;

async function submitPrompt(prompt: string): Promise<string> {
  const { tasks } = clientsOf(world.product);
  const delivery = { type: 'webhook' as const, config: { endpoint: endpoint() } };
  return (await tasks.create({ namespace: 'homes', delivery, input: { type: 'chat', prompt } })).taskId;
}

it.each(WINDOWS)(
  'shows the question as its title, and the report before activity and counters at %o',
  async (viewport) => {
    const id = await endedResearch();
    at = await openConsole(world.browser, world.product, { viewport });
    await at.go(`/agents/${id}`, QUERY);
    const { page } = at;
    const report = page.getByRole('article', { name: 'Report' });
    await report.waitFor();
    const topOf = async (part: ReturnType<typeof page.getByText>) => (await part.boundingBox())?.y ?? -1;
    const reportTop = await topOf(report);
    // The report begins in the upper part of the first screen.
    expect(reportTop).toBeLessThan(viewport.height * 0.55);
    for (const below of ['Processing details', 'Request', 'Stages and activity', 'About this task'])
      expect(await topOf(page.getByRole('heading', { name: below })), below).toBeGreaterThan(reportTop);
    expect(await page.locator('.tally, .activity').count()).toBe(0);
    await page.getByRole('heading', { name: 'Processing details' }).click();
    const scores = page.locator('.tally dt', { has: page.locator('small') });
    await scores.first().waitFor();
    expect(await scores.allInnerTexts()).toEqual([
      expect.stringMatching(/^Data quality\n?how good what was read is/),
      expect.stringMatching(/^Analysis completeness\n?the share of the requested work/),
      expect.stringMatching(/^Source reliability\n?the share of what was asked/),
    ]);
    await page.getByText('Stages and activity').click();
    await page.locator('.activity').waitFor();
    await report.getByRole('link', { name: 'Download report.json' }).waitFor();
    expect(at.complaints).toEqual([]);
  },
);

it('shows a research that found nothing as neither done nor failed, with the next step first', async () => {
  const query = 'Which quokkas juggle zeppelins?';
  const id = await endedResearch({ query, sources: ['news_feeds'] });
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${id}`, query);
  const { page } = at;
  await page.locator('.ended-state .badge.calm', { hasText: 'nothing found' }).waitFor();
  expect(await page.locator('.badge.good, .badge.bad').count()).toBe(0);
  const report = page.getByRole('article', { name: 'Report' });
  await report.getByText('Nothing was found that answers the question.').waitFor();
  expect(await report.getByRole('heading').count()).toBe(0);
  expect(await report.textContent()).not.toContain('fictional');
  const step = page.getByText('Nothing was found that answers the query: name other sources, attach files');
  const [stepBox, reportBox] = [await step.boundingBox(), await report.boundingBox()];
  expect(stepBox?.y).toBeLessThan(reportBox?.y ?? 0);
  expect(at.complaints).toEqual([]);
});

it('shows where a failed task failed, and no results of nothing', async () => {
  const { people } = clientsOf(world.product);
  const input = { documents: [{ url: 'https://no-such-host.errand-files-and-tasks.org/invoice.pdf' }] };
  const { task_id } = await people.submit({ task_type: 'processing_agent', input });
  await people.wait(task_id);
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${task_id}`, 'invoice.pdf');
  const { page } = at;
  await page.locator('.stages .failed', { hasText: 'Reading failed' }).waitFor();
  const { error } = await people.status(task_id);
  await page
    .locator('.notice.bad')
    .getByText(error?.message ?? '')
    .waitFor();
  // Of the results, only the document is left, with the reason why it was not read.
  await page.getByRole('cell', { name: 'failed', exact: true }).waitFor();
  expect(await page.locator('.stages .done').count()).toBe(0);
  for (const empty of ['named', '100 %', '50 %', '0 %'])
    expect(await page.getByText(empty, { exact: true }).count(), empty).toBe(0);
});

it('shows a cancelled task as cancelled, and not as an error', async () => {
  const { people } = clientsOf(world.product);
  const content = { recipients: ['ann@readers.org'] };
  const schedule = { frequency: 'daily' as const };
  const { task_id } = await people.submit({ task_type: 'notification_agent', input: { content, schedule } });
  await people.cancel(task_id);
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${task_id}`, 'Digest to ann@readers.org');
  await at.page.locator('.notice').getByText('The task was cancelled.').waitFor();
  expect(await at.page.locator('.bad, .stages .failed').count()).toBe(0);
});

it('shows a cancelled prompt as cancelled on its page and in the list', async () => {
  const { tasks } = clientsOf(world.product);
  const taskId = await submitPrompt('What is the rent?');
  at = await openConsole(world.browser, world.product);
  const { page } = at;
  // The answer may come before a cancel does; the page shows what the service says.
  const cancelled = {
    status: 'failure',
    completedAt: new Date().toISOString(),
    error: { code: 'TASK_CANCELLED', message: 'The task was cancelled.' },
  };
  const withCancel = ({ output: _, ...task }: Any) => (task.taskId === taskId ? { ...task, ...cancelled } : task);
  await tasks.wait(taskId);
  await page.route(new RegExp(`/tasks/${taskId}(\\?|$)`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withCancel(await response.json()) });
  });
  await page.route('**/tasks?*', async (route) => {
    const response = await route.fetch();
    const { tasks: rows, ...around } = (await response.json()) as Any;
    await route.fulfill({ response, json: { ...around, tasks: rows.map(withCancel) } });
  });
  await at.go(`/prompts/${taskId}`, 'What is the rent?');
  await page.locator('.badge.calm', { hasText: 'cancelled' }).waitFor();
  expect(await page.locator('main .notice.bad, .badge.bad').count()).toBe(0);
  await at.go('/prompts', 'Prompt tasks');
  await page.locator(`a[href*="${taskId}"] .badge.calm`, { hasText: 'cancelled' }).waitFor();
});

it('runs a research again with the same input, also with what the form has no field for', async () => {
  const { people } = clientsOf(world.product);
  const id = await endedResearch({ exclude_domains: ['errand-tests.org'], deliverables: ['key_findings'] });
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${id}`, QUERY);
  await at.page.getByRole('button', { name: 'Run again' }).click();
  await expect.poll(() => at.page.url()).not.toContain(id);
  await at.page.getByRole('heading', { level: 1, name: QUERY }).waitFor();
  const again = at.page.url().split('/').at(-1) ?? '';
  const [{ task_id: _, ...before }, { task_id, ...after }] = [await people.input(id), await people.input(again)];
  expect(task_id).toBe(again);
  expect(after).toEqual(before);
  expect(at.complaints).toEqual([]);
});

it('runs a prompt again with the same input', async () => {
  const { tasks } = clientsOf(world.product);
  const id = await submitPrompt('What is the deposit?');
  await tasks.wait(id);
  at = await openConsole(world.browser, world.product);
  await at.go(`/prompts/${id}`, 'What is the deposit?');
  await at.page.getByRole('button', { name: 'Run again' }).click();
  await expect.poll(() => at.page.url()).not.toContain(id);
  await at.page.getByRole('heading', { name: 'Answer' }).waitFor();
  const again = at.page.url().split('/').at(-1) ?? '';
  const { taskId: _, ...before } = await tasks.input(id);
  expect(await tasks.input(again)).toEqual({ taskId: again, ...before });
});

it('says why a task cannot run again', async () => {
  const { files, people } = clientsOf(world.product);
  const bytes = new Blob(['Invoice number: QS-4471']);
  const { fileId } = await files.upload(bytes, { fileName: 'gone.txt', mimeType: 'text/plain' });
  const input = { documents: [{ file_id: fileId }] };
  const { task_id } = await people.submit({ task_type: 'processing_agent', input });
  await people.wait(task_id);
  await files.delete(fileId);
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${task_id}`, 'A stored file');
  await at.page.getByRole('button', { name: 'Run again' }).click();
  await at.page.getByRole('alert').getByText('is not a stored file').waitFor();
});

it('opens the form with the input of a research, and submits it changed', async () => {
  const { people } = clientsOf(world.product);
  const id = await endedResearch({ exclude_domains: ['errand-tests.org'], output_format: 'markdown' });
  at = await openConsole(world.browser, world.product);
  await at.go(`/agents/${id}`, QUERY);
  const { page } = at;
  await page.getByRole('link', { name: 'Edit and run' }).click();
  const question = page.getByLabel('What do you want to know?');
  expect(await question.inputValue()).toBe(QUERY);
  expect(await page.getByLabel('Format of the report').inputValue()).toBe('markdown');
  await page.getByText('Also submitted, as before: Exclude domains.').waitFor();
  await question.fill('How are policy rates?');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('heading', { level: 1, name: 'How are policy rates?' }).waitFor();
  const changed = page.url().split('/').at(-1) ?? '';
  expect((await people.input(changed)).input).toEqual({
    ...(await people.input(id)).input,
    query: 'How are policy rates?',
  });
  // The form for new tasks stays empty.
  await at.go('/agents/new', 'New agent task');
  expect(await page.getByLabel('What do you want to know?').inputValue()).toBe('');
});

it('opens the form with the input of a prompt, its files ticked', async () => {
  const { files, tasks } = clientsOf(world.product);
  const bytes = new Blob(['The rent is 1,200 euros a month.']);
  const { fileId } = await files.upload(bytes, { fileName: 'lease.txt', mimeType: 'text/plain' });
  const delivery = { type: 'webhook' as const, config: { endpoint: endpoint() } };
  const input = { type: 'chat' as const, prompt: 'What is the rent?', fileIds: [fileId] };
  const { taskId } = await tasks.create({ namespace: 'homes', delivery, input });
  await tasks.wait(taskId);
  at = await openConsole(world.browser, world.product);
  await at.go(`/prompts/new?from=${taskId}`, 'Edit and run');
  const { page } = at;
  await page.getByRole('checkbox', { name: /^lease\.txt/, checked: true }).waitFor();
  await page.locator('[name="input.prompt"]').fill('What is the rent of a year?');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('heading', { level: 1, name: 'What is the rent of a year?' }).waitFor();
  const changed = page.url().split('/').at(-1) ?? '';
  expect(await tasks.input(changed)).toMatchObject({ namespace: 'homes', input: { fileIds: [fileId] } });
});
