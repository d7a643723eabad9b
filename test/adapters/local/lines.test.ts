/** The data structures of the memory queue, compared with simple models. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fairLine } from '../../../adapters/local/fair-queue.ts';
import { fifo } from '../../../adapters/local/fifo.ts';
import { timedSet } from '../../../adapters/local/timed-set.ts';

it('returns waiting entries in the order of their times, also after updates and deletions', () => {
  const step = fc.record({ item: fc.nat(40), at: fc.nat(100), deleted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(100), (steps, now) => {
      const model = new Map<number, number>();
      const tested = timedSet<number>();
      for (const { item, at, deleted } of steps) {
        if (deleted) model.delete(item);
        else model.set(item, at);
        if (deleted) tested.delete(item);
        else tested.set(item, at);
        expect(tested.has(item)).toBe(!deleted);
      }
      expect(tested.nextAt()).toBe(Math.min(...model.values()));
      const times: number[] = [];
      for (let item = tested.take(now); item !== undefined; item = tested.take(now)) {
        times.push(model.get(item) ?? Number.NaN);
        model.delete(item);
      }
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.every((at) => at <= now) && [...model.values()].every((at) => at > now)).toBe(true);
    }),
  );
});

it('keeps the order of a queue of any length', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2_500), { maxLength: 12 }), (counts) => {
      const model: number[] = [];
      const tested = fifo<number>();
      let next = 0;
      counts.forEach((count, turn) => {
        for (let n = 0; n < count; n++) {
          if (turn % 2 === 0) {
            tested.push(next);
            model.push(next++);
          } else if (tested.shift() !== model.shift()) throw new Error('another order');
        }
        expect(tested.empty()).toBe(model.length === 0);
      });
    }),
  );
});

it('serves every group with entries once before it serves any group twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 }), (groups) => {
      const line = fairLine<string>();
      for (const group of groups) line.add(group, group);
      const left = new Map(groups.map((group) => [group, groups.filter((other) => other === group).length]));
      while (left.size > 0) {
        const round = Array.from({ length: left.size }, () => line.take());
        expect(new Set(round)).toEqual(new Set(left.keys()));
        for (const [group, count] of left) count === 1 ? left.delete(group) : left.set(group, count - 1);
      }
      expect(line.take()).toBeUndefined();
    }),
  );
});
