import { expect, it } from 'vitest';
import { ids } from '../../../shared/core/ids.ts';
import { setClock } from '../../ports/clock.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it('makes UUIDs of version 7 that carry the time', () => {
  const uuid = ids(setClock(0x0123456789ab)).uuid();
  expect(uuid).toMatch(UUID_V7);
  expect(uuid.replaceAll('-', '').slice(0, 12)).toBe('0123456789ab');
});

it('sorts UUIDs in the order of their creation, even within one millisecond and across its end', () => {
  const clock = setClock();
  const { uuid } = ids(clock);
  const made = Array.from({ length: 10_000 }, (_, at) => {
    if (at % 3_000 === 0) clock.pass(1);
    return uuid();
  });
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((one) => UUID_V7.test(one))).toBe(true);
});

it('continues in order when the clock is set back', () => {
  const clock = setClock();
  const { uuid } = ids(clock);
  const before = uuid();
  clock.pass(-60_000);
  expect(uuid() > before).toBe(true);
});

it('never repeats a version mark, in one process or in two', () => {
  const [one, two] = [ids(setClock()), ids(setClock())];
  const marks = Array.from({ length: 1_000 }, () => [one.mark(), two.mark()]).flat();
  expect(new Set(marks).size).toBe(marks.length);
});

it('makes secrets of the requested length', () => {
  const { secret } = ids(setClock());
  expect(Buffer.from(secret(32), 'base64url')).toHaveLength(32);
  expect(secret(32)).not.toBe(secret(32));
});
