/** What axe finds on a page of the console. Frames of mails and reports are others' words. */
import axe from 'axe-core';
import type { Any } from '../any.ts';
import type { OpenConsole } from './open-console.ts';

export async function axeFaults({ page }: OpenConsole): Promise<string[]> {
  if (await page.evaluate(() => (globalThis as Any).axe === undefined)) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(() =>
    (globalThis as Any).axe.run({ exclude: [['.mails iframe'], ['iframe.report-frame']] }),
  )) as Any;
  return violations
    .filter(({ impact }: Any) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: Any) => `${id}: ${nodes.map(({ html }: Any) => html.slice(0, 120)).join(' | ')}`);
}
