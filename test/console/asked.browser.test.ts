/** The console's history of requests in a tab: shown, bounded, private to the user, and deleted at sign-out. */
import { beforeAll, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { axeFaults } from './axe-faults.ts';
import { clientsOf, enter, type OpenConsole, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;

beforeAll(async () => {
  at = await openConsole(world.browser, world.product);
});

const requestRegion = () => at.page.getByRole('region', { name: 'Request' });
const rowsOf = (name: string) => at.page.getByRole('list', { name }).getByRole('listitem');
const storedEntries = (): Promise<[string, string][]> =>
  at.page.evaluate(() =>
    Object.entries<string>((globalThis as Any).sessionStorage).filter(([name]) => name.startsWith('errand.asked')),
  );
const submit = (name = 'Submit') => at.page.getByRole('button', { name, exact: true }).click();

async function askByMail(): Promise<void> {
  const { page } = at;
  await at.go('/agents/new?type=notification_agent', 'New agent task');
  await page.getByLabel('To', { exact: true }).fill('ann@readers.org\nbob@readers.org');
  await page.getByLabel(/^How often/).selectOption('daily');
  await page.getByLabel(/^Time zone/).selectOption('Europe/Berlin');
  await submit('Schedule');
  await page.getByRole('heading', { level: 1, name: /^Digest to ann@readers\.org and 1 more, daily/ }).waitFor();
}

it('shows the recipients, the recurrence and the time zone of an email, in the list and on its page', async () => {
  await askByMail();
  expect(await requestRegion().locator('dl').textContent()).toMatch(
    /ann@readers\.org\nbob@readers\.org.*Daily.*Europe\/Berlin/s,
  );
  await requestRegion().getByText('daily at 09:00:00, Europe/Berlin').waitFor();
  expect(await axeFaults(at)).toEqual([]);
  await at.go('/agents', 'Agent tasks');
  await rowsOf('Agent tasks')
    .getByText('Digest to ann@readers.org and 1 more, daily at 09:00:00, Europe/Berlin')
    .waitFor();
});

it('shows a prompt with its files, also after a reload', async () => {
  const { page } = at;
  const { files } = clientsOf(world.product);
  await files.upload(new Blob(['The rent is 1,200 euros.']), { fileName: 'lease.txt', mimeType: 'text/plain' });
  await at.go('/prompts/new', 'New prompt task');
  await page.getByLabel('lease.txt').check();
  await page.locator('[name="input.prompt"]').fill('What is <b>the rent</b>?');
  await submit();
  await page.getByRole('heading', { level: 1, name: 'What is <b>the rent</b>?', exact: true }).waitFor();
  await page.reload();
  expect(await requestRegion().locator('dl').textContent()).toMatch(/What is <b>the rent<\/b>\?.*lease\.txt/s);
  await at.go('/prompts', 'Prompt tasks');
  await rowsOf('Prompt tasks').getByText('What is <b>the rent</b>?').waitFor();
});

it('attaches files that are uploaded in the form, and files older than the newest fifty', async () => {
  const { page } = at;
  const { files } = clientsOf(world.product);
  await files.upload(new Blob(['The oldest file.']), { fileName: 'oldest.txt', mimeType: 'text/plain' });
  for (let n = 0; n < 50; n++) {
    await files.upload(new Blob([`File ${n}.`]), { fileName: `file-${n}.txt`, mimeType: 'text/plain' });
  }
  await at.go('/prompts/new', 'New prompt task');
  expect(await page.getByLabel('oldest.txt').count()).toBe(0);
  await page.getByRole('button', { name: 'Show older files' }).click();
  await page.getByLabel('oldest.txt').check();
  const brought = { name: 'brought.txt', mimeType: 'text/plain', buffer: Buffer.from('The deposit is 2,400 euros.') };
  await page.getByLabel('Files to upload').setInputFiles(brought);
  await page.getByRole('checkbox', { name: /^brought\.txt/, checked: true }).waitFor();
  await page.getByLabel('Find a file by its name').fill('BROUGHT');
  expect(await page.getByRole('checkbox').count()).toBe(1);
  await page.locator('[name="input.prompt"]').fill('What is the deposit?');
  await submit();
  await page.getByRole('heading', { level: 1, name: 'What is the deposit?', exact: true }).waitFor();
  expect(await requestRegion().locator('dl').textContent()).toMatch(/oldest\.txt\nbrought\.txt/);
});

it('shows the input of a task that was submitted elsewhere, before and after its end', async () => {
  const { people } = clientsOf(world.product);
  const input = { content: { recipients: ['ann@readers.org'] }, schedule: { frequency: 'daily' as const } };
  const waiting = await people.submit({ task_type: 'notification_agent', input });
  await at.go(`/agents/${waiting.task_id}`, 'Digest to ann@readers.org, daily at 09:00:00, UTC');
  await requestRegion().getByText('ann@readers.org').waitFor();
  const done = await people.submit({ task_type: 'research_agent', input: { query: 'How are policy rates?' } });
  await people.wait(done.task_id);
  await at.go(`/agents/${done.task_id}`, 'How are policy rates?');
  await requestRegion().getByText('How are policy rates?').waitFor();
});

/** The storage quota of a page in Chromium. */
const STORAGE_CHARACTERS = 5 * 1_024 * 1_024;

it('stores at most the newest hundred inputs and no token, and works with a corrupt or full storage', async () => {
  const { page } = at;
  const [[key] = ['']] = await storedEntries();
  const fill = async (text: string, room = Number.POSITIVE_INFINITY) => {
    await page.evaluate(
      ([key, text, least]) => {
        const { sessionStorage } = globalThis as Any;
        sessionStorage.setItem('junk', '');
        sessionStorage.setItem(key, text);
        const used = Object.entries<string>(sessionStorage).flat().join('').length;
        sessionStorage.setItem('junk', 'x'.repeat(Math.max(0, least - used)));
      },
      [key, text, Number.isFinite(room) ? STORAGE_CHARACTERS - room : 0] as const,
    );
    await page.reload();
    await askByMail();
    await requestRegion().getByText('ann@readers.org').first().waitFor();
    return JSON.parse((await storedEntries()).find(([name]) => name === key)?.[1] ?? '');
  };
  const many = Array.from({ length: 150 }, (_, index) => [`task_${index}`, { title: 'x', facts: [['a', 'b']] }]);
  const left = await fill(JSON.stringify(many));
  expect(left.length).toBe(100);
  expect(left[0][0]).toBe('task_51');
  expect(await fill('{ "spoilt": ')).toHaveLength(1);
  const long = many.slice(0, 40).map(([id]) => [id, { title: 'x', facts: [['a', 'b'.repeat(1_000)]] }]);
  const few = await fill(JSON.stringify(long), 200);
  expect(few.length).toBe(25);
  const token: string = await page.evaluate(
    () => JSON.parse((globalThis as Any).sessionStorage['errand.session']).token,
  );
  expect(JSON.stringify(await storedEntries())).not.toContain(token);
  expect(at.complaints).toEqual([]);
});

it('shows inputs to no other user, and forgets them at sign-out', async () => {
  const { page } = at;
  await page.evaluate(() => {
    for (const name of ['junk', 'errand.session']) (globalThis as Any).sessionStorage.removeItem(name);
  });
  await page.reload();
  await enter(page, 'Demo Two');
  await askByMail();
  expect((await storedEntries()).length).toBe(2);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect((await storedEntries()).length).toBe(1);
  await enter(page, 'Demo One');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await storedEntries()).toEqual([]);
});
