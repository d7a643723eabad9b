/** A rate limit under concurrent callers. */
import { expect, it } from 'vitest';
import { limitSpender } from '../../../shared/limits/rate-limit.ts';
import { useAccounts } from '../accounts/setup.ts';

const state = useAccounts();

it.each([
  { name: 'exact', minute: 10 },
  { name: 'in small blocks', minute: 7, inBlocks: true },
  { name: 'in blocks', minute: 65, inBlocks: true },
] as const)('lets exactly $minute of a hundred through that come at once: $name', async (limit) => {
  const spend = limitSpender(state());
  const spent = await Promise.all(Array.from({ length: 100 }, () => spend('acme', limit)));
  expect(spent.filter(({ allowed }) => allowed)).toHaveLength(limit.minute);
  expect((await spend('acme', limit)).windows[0]?.remaining).toBe(0);
});
