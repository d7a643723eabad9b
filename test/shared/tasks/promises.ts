/** All promises of the task engine, by subject. */
import type { EngineScenario } from './engine.ts';
import { LEASING } from './holding.scenarios.ts';
import { MOVING } from './moving.scenarios.ts';

export const PROMISES: Readonly<Record<string, readonly EngineScenario[]>> = {
  'an event': MOVING,
  'a hold': LEASING,
};
