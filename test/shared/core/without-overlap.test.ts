import { expect, it } from 'vitest';
import { withoutOverlap } from '../../../shared/core/without-overlap.ts';

it('begins no round while the last one runs, and the next one after it', async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const begin = withoutOverlap(() => {
    const round = Promise.withResolvers<void>();
    rounds.push(round);
    return round.promise;
  });
  const first = begin();
  await begin();
  expect(rounds).toHaveLength(1);
  rounds[0]?.resolve();
  await first;
  const second = begin();
  expect(rounds).toHaveLength(2);
  rounds[1]?.resolve();
  await second;
});

it('begins the next round after one that failed', async () => {
  let begun = 0;
  const begin = withoutOverlap(async () => {
    begun++;
    throw new Error('no');
  });
  await expect(begin()).rejects.toThrow('no');
  await expect(begin()).rejects.toThrow('no');
  expect(begun).toBe(2);
});
