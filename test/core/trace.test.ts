import { expect, it } from 'vitest';
import { traceIn, traceparent } from '../../shared/core/trace.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PART = '00f067aa0ba902b7';

it('takes the trace that a caller is in, of this version and of later ones', () => {
  expect(traceIn(`00-${ID}-${PART}-01`)).toEqual({ id: ID, flags: '01' });
  expect(traceIn(`01-${ID}-${PART}-00-what-comes-later`)).toEqual({ id: ID, flags: '00' });
});

it.each([
  undefined,
  '',
  ID,
  `00-${ID}-${PART}`,
  `00-${ID}-${PART}-01-more`,
  `ff-${ID}-${PART}-01`,
  `00-${'0'.repeat(32)}-${PART}-01`,
  `00-${ID}-${'0'.repeat(16)}-01`,
  `00-${ID.toUpperCase()}-${PART}-01`,
  `00-${ID}-${PART}-01\r\nx: y`,
  `01-${ID}-${PART}-01-${'x'.repeat(200)}`,
])('counts %j as none', (header) => {
  expect(traceIn(header)).toBeUndefined();
});

it('goes on as a part of its own in the same trace, which may be taken in again', () => {
  const onward = traceparent({ id: ID, flags: '01' }, Math.random);
  expect(onward).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
  expect(onward).not.toContain(PART);
  for (const random of [() => 0, () => 0.999_999]) {
    expect(traceIn(traceparent({ id: ID, flags: '00' }, random))).toEqual({ id: ID, flags: '00' });
  }
});
