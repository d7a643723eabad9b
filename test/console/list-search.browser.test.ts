/** The search within a page of a list. */
import { beforeAll, expect, it } from 'vitest';
import { clientsOf, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();

beforeAll(async () => {
  const { people, tasks } = clientsOf(world.product);
  await people.submit({ task_type: 'research_agent', input: { query: 'How did port fees change?' } });
  const delivery = { type: 'webhook' as const, config: { endpoint: `${rootOf(world.product)}catch/` } };
  await tasks.create({ namespace: 'homes', delivery, input: { type: 'chat', prompt: 'What is the rent?' } });
});

it.each([
  ['/agents', 'Agent tasks'],
  ['/prompts', 'Prompt tasks'],
])('says that a search in %s finds nothing, and clears it', async (place, heading) => {
  const at = await openConsole(world.browser, world.product);
  await at.go(place, heading);
  const { page } = at;
  const rows = page.getByRole('list', { name: heading }).getByRole('listitem');
  await rows.first().waitFor();
  await page.getByLabel('Find on this page').fill('zebra');
  await page.getByText('No task on this page contains “zebra”.').waitFor();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await rows.first().waitFor();
  expect(at.complaints).toEqual([]);
  await at.close();
});
