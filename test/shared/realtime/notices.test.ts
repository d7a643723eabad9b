/** Notifications of an organization that are not about tasks. */
import { expect, it } from 'vitest';
import { type Limit, limitNotices, windowsOf } from '../../../shared/limits/rate-limit.ts';

const LIMIT: Limit = { name: 'agent-submits', minute: 10, hour: 100 };
/** The notifications after this many calls in a minute. */
const noticesOf = (limit: Limit, calls: number) =>
  Array.from({ length: calls }, (_, spent) =>
    limitNotices('POST /tasks', limit, windowsOf(limit, 0, { m0: spent + 1, hour: spent + 1 }, 0)),
  ).flat();

it('warns of a limit once in each window, when four of five calls are used', () => {
  expect(noticesOf(LIMIT, 7)).toEqual([]);
  expect(noticesOf(LIMIT, 10)).toEqual([
    {
      level: 'warning',
      message: expect.stringContaining('the limit of POST /tasks is used: 2 of 10 calls are left in this minute'),
    },
  ]);
  expect(noticesOf(LIMIT, 100)).toHaveLength(2);
});

it.each([1, 2, 3, 5, 7, 25, 500])('warns once of a limit of %i, and not at all if the call uses it up', (limit) => {
  expect(noticesOf({ name: 'l', minute: limit }, limit)).toHaveLength(Math.ceil(limit * 0.8) < limit ? 1 : 0);
});

it('does not warn of limits that are taken in blocks', () => {
  expect(noticesOf({ name: 'reads', minute: 10, inBlocks: true }, 10)).toEqual([]);
});
