/** Faults that axe finds on a console page, except in the frames of mails and reports, which hold foreign content. */
import axe from 'axe-core';
import type { Any } from '../support/any.ts';
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
