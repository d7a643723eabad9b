/** All promises of the task rules, by subject. */

import { CANCELLING } from './cancelling.scenarios.ts';
import { CLAIMING } from './claiming.scenarios.ts';
import { DELIVERING } from './delivering.scenarios.ts';
import { BESIDES } from './operator-runs.scenarios.ts';
import { LOOKING } from './reconciling.scenarios.ts';
import { REDELIVERING } from './redelivering.scenarios.ts';
import { RUNS } from './runs.scenarios.ts';
import { SLOTS } from './slots.scenarios.ts';
import type { RuleScenario } from './task-scenario.ts';
import { TOTALITY } from './totality.scenarios.ts';
import { WAITING } from './waiting.scenarios.ts';
import { WORKING } from './working.scenarios.ts';

export const EXAMPLES: Readonly<Record<string, readonly RuleScenario[]>> = {
  'a task': CLAIMING,
  'a task at work': WORKING,
  'a task whose model is busy': WAITING,
  'a task that is cancelled': CANCELLING,
  'a task that is looked at': LOOKING,
  "a task's event": DELIVERING,
  "a task's event, once more": REDELIVERING,
  'a task that recurs': [...SLOTS, ...RUNS, ...BESIDES],
  'every event in every state': TOTALITY,
};
