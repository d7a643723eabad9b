/** Checks roles and routes against the recording of the last rehearsal. `npm run rehearse` runs it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agents } from '../../../functions/agents/api.ts';
import { login } from '../../../functions/agents/login.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { allows } from './recorder/allows.ts';
import { BETWEEN_EVENTS, type Recording } from './recorder/recording.ts';
import { kindOfResource } from './report.ts';
import { UNUSED } from './unused-grants.ts';

const { functions, requests, calls } = JSON.parse(readFileSync('.cache/rehearsal/calls.json', 'utf8')) as Recording;

describe.each(functions)('the role of $name', ({ name, statements }) => {
  const own = calls.filter((call) => call.function === name);
  const needs = own.flatMap((call) => call.needs);
  const grants = statements.flatMap(({ effect, actions, resources }) =>
    actions.flatMap((action) => resources.map((resource) => ({ effect, actions: [action], resources: [resource] }))),
  );
  const unused = grants
    .filter((grant) => !needs.some((need) => allows([grant], need)))
    .map(({ actions, resources }) => `${actions} ${kindOfResource(resources.join())}`);
  const excuses = UNUSED.filter((entry) => (entry.function ?? name) === name);
  const excused = excuses.flatMap(({ grants }) => grants);
  const never = excuses.filter(({ sometimes }) => !sometimes).flatMap(({ grants }) => grants);

  it('allows every call', () => {
    const refused = own.flatMap((call) => (call.refused ? [`${call.refused.action} on ${call.refused.resource}`] : []));
    expect([...new Set(refused)]).toEqual([]);
  });

  it('allows nothing unused, except the grants of the list with a reason', () => {
    expect(unused.filter((grant) => !excused.includes(grant))).toEqual([]);
  });

  it('lists no grant as unused that is used or does not exist', () => {
    expect(never.filter((grant) => !unused.includes(grant))).toEqual([]);
    const granted = grants.map(({ actions, resources }) => `${actions} ${kindOfResource(resources.join())}`);
    expect(excused.filter((grant) => !granted.includes(grant))).toEqual([]);
  });

  it('refuses a recorded call when any used grant is removed', () => {
    const needless = grants.filter((grant) => {
      const others = grants.filter((other) => other !== grant);
      return needs.some((need) => allows([grant], need)) && needs.every((need) => allows(others, need));
    });
    expect(needless.map(({ actions, resources }) => `${actions} ${kindOfResource(resources.join())}`)).toEqual([]);
  });

  it('names its actions without wildcards', () => {
    expect(statements.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
  });
});

it('lists no unused grants of a function that does not exist', () => {
  const names = [undefined, ...functions.map(({ name }) => name)];
  expect(UNUSED.filter((entry) => !names.includes(entry.function))).toEqual([]);
});

it('saw no failure', () => {
  const failed = requests.filter(({ status }) => status === 500);
  expect(failed.map(({ function: name, route }) => `${name} ${route}`)).toEqual([]);
});

it('recorded no call of a function between events, when Lambda would have frozen it', () => {
  const between = calls.filter(({ route }) => route === BETWEEN_EVENTS);
  expect(between.map((call) => `${call.function} ${call.operation}`)).toEqual([]);
});

const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;

it.each([
  { name: filesAndTasks.name, keys: filesAndTasks.routes.map(keyOf) },
  { name: agents.name, keys: agents.routes.map(keyOf) },
  // The gateway routes a login path with any method.
  { name: login.name, keys: login.routes.map(({ path }) => `ANY ${path}`) },
])('recorded a successful request to every route of $name', ({ name, keys }) => {
  const well = requests.filter((request) => request.function === name && request.status < 300);
  const called = new Set(well.map(({ route }) => route));
  expect(keys.filter((key) => !called.has(key))).toEqual([]);
});
