/** The plan of a rehearsal, read from the template: the functions and their event sources. */
import {
  type ApiRoute,
  httpApis,
  type QueueMapping,
  queueMappings,
  routesOf,
  type ScheduleMapping,
  scheduleMappings,
  socketApis,
} from './callers.ts';
import { type FunctionPlan, functionPlan } from './functions.ts';
import type { Synthesized } from './synthesize.ts';
import type { Look } from './template.ts';

export type Plan = {
  routes: Map<string, ApiRoute[]>;
  queues: QueueMapping[];
  schedules: ScheduleMapping[];
  functions: Map<string, FunctionPlan>;
};

export async function planOf({ template, assembly }: Synthesized, look: Look): Promise<Plan> {
  const routes = new Map<string, ApiRoute[]>();
  const apis = [...httpApis(template), ...socketApis(template)];
  for (const api of apis) routes.set(api, await routesOf(template, api, look));
  const queues = await queueMappings(template, look);
  const schedules = await scheduleMappings(template, look);
  const callers = [...[...routes.values()].flat(), ...queues, ...schedules];
  const functions = new Map<string, FunctionPlan>();
  for (const id of new Set(callers.map(({ functionId }) => functionId))) {
    functions.set(id, await functionPlan({ template, id, look, assembly }));
  }
  return { routes, queues, schedules, functions };
}
