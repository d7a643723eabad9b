import { expect, it } from 'vitest';
import { briefly } from '../../shared/accounts/briefly.ts';
import { setClock } from '../contracts/clock.ts';

function recorder(most: number) {
  const reads: string[] = [];
  const clock = setClock();
  const read = briefly({
    clock,
    keptMs: 30_000,
    most,
    read: async (id: string) => {
      reads.push(id);
      return id.startsWith('real') ? id : undefined;
    },
  });
  return { read, reads, clock };
}

it('remembers no more than so many, and lets the oldest reading go first', async () => {
  const { read, reads } = recorder(3);
  for (const id of ['real1', 'real2', 'real3', 'real4', 'real4', 'real3', 'real2']) await read(id);
  expect(reads).toEqual(['real1', 'real2', 'real3', 'real4']);
  await read('real1');
  expect(reads).toHaveLength(5);
});

it('keeps what is real through a flood of what is not', async () => {
  const { read, reads } = recorder(10);
  await read('real');
  for (let n = 0; n < 1_000; n++) await read(`invented${n}`);
  reads.length = 0;
  await read('real');
  await read('invented999');
  await read('invented989');
  expect(reads).toEqual(['invented989']);
});

it('counts the age from before the read', async () => {
  const clock = setClock();
  let reads = 0;
  const read = briefly({
    clock,
    keptMs: 30_000,
    most: 10,
    read: async () => {
      clock.pass(20_000);
      return ++reads;
    },
  });
  expect(await read('a')).toBe(1);
  clock.pass(9_999);
  expect(await read('a')).toBe(1);
  clock.pass(1);
  expect(await read('a')).toBe(2);
});
