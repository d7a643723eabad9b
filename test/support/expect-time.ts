/** Expectations of time that hold on a machine of any speed. */
import { expect } from 'vitest';
import { boundMs } from './machine-speed.ts';

/** `usualMs` is the bound on the usual machine. */
export function expectWithin(milliseconds: number, usualMs: number, what?: string): void {
  expect(milliseconds, what).toBeLessThan(boundMs(usualMs, milliseconds));
}
