/** All promises of the task engine, by subject. */
import type { Kept } from './engine.ts';
import { HOLDING } from './holding.scenarios.ts';
import { MOVING } from './moving.scenarios.ts';

export const PROMISES: Readonly<Record<string, readonly Kept[]>> = {
  'an event': MOVING,
  'a hold': HOLDING,
};
