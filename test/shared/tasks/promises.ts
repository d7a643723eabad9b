/** All promises of the task engine, by subject. */
import type { EngineScenario } from './engine.ts';
import { LEASING } from './leasing.scenarios.ts';
import { MOVING } from './transition.scenarios.ts';

export const PROMISES: Readonly<Record<string, readonly EngineScenario[]>> = {
  'an event': MOVING,
  'a hold': LEASING,
};
