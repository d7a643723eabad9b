/** Speed of the console: with ten thousand tasks, and after each message. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../functions/over-http/local-product.ts';
import type { Any } from '../support/any.ts';
import { type OpenBrowser, openBrowser } from '../support/browser/open-browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { addEnded } from './add-ended-tasks.ts';
import { clientsOf, enter, openConsole } from './open-console.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const ROWS = 25;
let product: Running;
let browser: OpenBrowser;

beforeAll(async () => {
  const port = await freePort();
  const first = await startLocalProduct(state, port);
  const [organization] = first.local.organizations;
  await first.stop();
  await addEnded(state, organization?.id ?? '', 10_000);
  product = await startLocalProduct(state, port);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  folder.remove();
});

it('stays small and fast with ten thousand tasks', async () => {
  const at = await openConsole(browser, product);
  const { page } = at;
  await page.getByText('10,000 tasks').waitFor();
  const elements = () => page.evaluate(() => (globalThis as Any).document.querySelectorAll('*').length as number);
  const rows = page.getByRole('list', { name: 'Agent tasks' }).getByRole('listitem');
  expect(await rows.count()).toBe(ROWS);
  const begin = await elements();
  expect(begin).toBeLessThan(900);
  const begunAt = Date.now();
  for (const from of [26, 51, 76]) {
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText(`${from} to ${from + ROWS - 1} of 10,000`).waitFor();
  }
  expect(Date.now() - begunAt).toBeLessThan(6_000);
  expect(await elements()).toBeLessThan(begin + 50);
  await page.locator('.filter', { hasText: 'Agent' }).locator('select').selectOption('processing_agent');
  await page.getByText('3,333 tasks').waitFor();
  await at.close();
});

it('shows each update of a task in the next frame', async () => {
  const { people } = clientsOf(product);
  const { task_id } = await people.submit({
    task_type: 'notification_agent',
    input: {
      notification_type: 'news',
      content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds'] },
      schedule: { frequency: 'monthly', time: '00:00:00', timezone: 'UTC' },
    },
  });
  const at = await openConsole(browser, product, { isSignedIn: false });
  const { page } = at;
  await page.addInitScript(noteFrames);
  await page.reload();
  // A new connection first reads the newest tasks, for updates that it missed.
  const looked = page.waitForResponse((response) => response.url().endsWith('limit=100'));
  await enter(page, 'Demo One');
  await page.getByText('Live', { exact: true }).waitFor();
  await (await looked).finished();
  await page.waitForLoadState('networkidle');
  const row = page.locator(`a[href*="${task_id}"]`);
  await row.waitFor();
  // The frames are the browser's; their messages are those that the service would send.
  const steps = Array.from({ length: 20 }, (_, step) => ({
    type: 'task_progress',
    progress: 4 * step + 2,
    seq: step + 2,
  }));
  for (const news of [{ type: 'task_started', seq: 1 }, ...steps]) {
    const message = { ...news, task_id, timestamp: new Date().toISOString(), metadata: {} };
    await page.evaluate((data) => (globalThis as Any).hear(data), JSON.stringify(message));
  }
  await people.cancel(task_id, { force: true });
  await page.waitForFunction(() => (globalThis as Any).frames.at(-1)?.type === 'task_failed');
  const frames: Any[] = await page.evaluate(() => (globalThis as Any).frames);
  const moved = frames.filter(({ type }) => type === 'task_progress');
  expect(moved.length).toBe(steps.length);
  // Several messages may arrive between two frames of a busy machine; then the screen shows the newest.
  for (const { shown, progress } of moved) expect(shown).toBeGreaterThanOrEqual(progress);
  expect(frames.at(-1)).toMatchObject({ type: 'task_failed', badge: 'cancelled' });
  await at.close();
});

/** Runs in the page before the console's own handler: records the text on the screen in the frame after each message. */
function noteFrames(): void {
  const { WebSocket: Own, MessageEvent, document, requestAnimationFrame } = globalThis as Any;
  const frames: Any[] = [];
  class Heard extends Own {
    constructor(...given: unknown[]) {
      super(...given);
      Object.assign(globalThis, { hear: (data: string) => this.dispatchEvent(new MessageEvent('message', { data })) });
      this.addEventListener('message', ({ data }: Any) => {
        const news = JSON.parse(data);
        const row = () => document.querySelector(`a[href*="${news.task_id}"]`);
        if (!news.task_id || !row()) return;
        requestAnimationFrame(() =>
          frames.push({
            ...news,
            shown: row()?.querySelector('progress')?.value,
            badge: row()?.querySelector('.badge')?.textContent,
          }),
        );
      });
    }
  }
  Object.assign(globalThis, { frames, WebSocket: Heard });
}
