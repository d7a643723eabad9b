import { expect, it } from 'vitest';
import { ids } from '../../../shared/core/ids.ts';
import { DUE_SHARDS, shardOf } from '../../../shared/core/shard.ts';
import { setClock } from '../../ports/clock.ts';

it('spreads keys of one organization evenly, whether their ids are random or count up', () => {
  const { uuid } = ids(setClock());
  for (const id of [uuid, (at: number) => `task-${at}`]) {
    const counts = new Array<number>(DUE_SHARDS).fill(0);
    for (let at = 0; at < 16_000; at++) {
      const shard = shardOf({ pk: `O#a#T#${id(at)}`, sk: 'TASK' });
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1_200);
  }
});
