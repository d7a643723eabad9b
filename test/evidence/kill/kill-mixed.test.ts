import { it } from 'vitest';
import { killMixed } from './kill-mixed.ts';

it('fails none of the good tasks of all kinds that it acknowledged, over 3 kills', { timeout: 300_000 }, async () => {
  await killMixed(3);
});
