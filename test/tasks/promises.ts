/** All that what carries the rule out promises, by what it is about. */
import type { Kept } from './engine.ts';
import { HOLDING } from './holding.scenarios.ts';
import { MOVING } from './moving.scenarios.ts';

export const PROMISES: Readonly<Record<string, readonly Kept[]>> = {
  'an event': MOVING,
  'a hold': HOLDING,
};
