import { describe, expect, it } from 'vitest';
import { parseTrace, traceHeaders } from '../../../shared/core/trace.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PART = '00f067aa0ba902b7';

it('accepts the trace of a caller, of this version and of later ones', () => {
  expect(parseTrace(`00-${ID}-${PART}-01`)).toEqual({ id: ID, flags: '01' });
  expect(parseTrace(`01-${ID}-${PART}-00-what-comes-later`)).toEqual({ id: ID, flags: '00' });
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
])('ignores the invalid trace %j', (header) => {
  expect(parseTrace(header)).toBeUndefined();
});

it('continues with a new span in the same trace, which can be parsed again', () => {
  const onward = traceHeaders({ id: ID, flags: '01' }, Math.random).traceparent;
  expect(onward).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
  expect(onward).not.toContain(PART);
  for (const random of [() => 0, () => 0.999_999]) {
    expect(parseTrace(traceHeaders({ id: ID, flags: '00' }, random).traceparent)).toEqual({ id: ID, flags: '00' });
  }
});

describe('the trace state of other systems', () => {
  const PARENT = `00-${ID}-${PART}-01`;
  const stateOf = (state: string) => parseTrace(PARENT, state)?.state;

  it('is kept unchanged, except for spaces around its members', () => {
    expect(stateOf('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
    expect(stateOf(' a=1 ,, fw529a3039@dt=x y ')).toBe('a=1,fw529a3039@dt=x y');
    expect(traceHeaders({ id: ID, flags: '01', state: 'a=1' }, Math.random)).toMatchObject({ tracestate: 'a=1' });
    expect(traceHeaders({ id: ID, flags: '01' }, Math.random)).not.toHaveProperty('tracestate');
  });

  it.each([
    ['', 'A=1', '=1', 'a=', 'a', 'a=1,b', 'a=1=2', 'a=é', 'a=1\u0000', 'a=1\r\nx: y'],
    [`a=${'x'.repeat(257)}`, `${'a'.repeat(257)}=x`, `a=1,${'b=2,'.repeat(31)}c=3`, `${'a=1,'.repeat(128)}b=2`],
  ])('is dropped if it is malformed or too long', (...states) => {
    for (const state of states) expect([state, stateOf(state)]).toEqual([state, undefined]);
  });

  it('is dropped without a trace', () => {
    expect(parseTrace(undefined, 'a=1')).toBeUndefined();
  });
});
