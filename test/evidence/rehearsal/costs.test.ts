/** Compares the costs of the last rehearsal with their bounds and their page. `npm run rehearse` runs it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BOUNDS, isStateWrite } from '../costs/bounds.ts';
import { costsDocument } from '../costs/document.ts';
import type { Recording } from './recorder/recording.ts';

const recording = JSON.parse(readFileSync('.cache/rehearsal/calls.json', 'utf8')) as Recording;

it.each(BOUNDS.map((bound) => [bound.what, bound.most, bound.found] as const))(
  '%s: at most %d',
  (_what, most, found) => {
    expect(found(recording)).toBeLessThanOrEqual(most);
  },
);

it('recorded a state write of every function that moves tasks', () => {
  const writers = recording.calls.filter(isStateWrite).map((call) => call.function);
  expect(writers).toEqual(expect.arrayContaining(['files-and-tasks', 'reconcile', 'run-task']));
});

/** The calls of API requests and of chats are the same in each run. CPU time varies, and so does how often a long task tells of itself. */
const SAME = ['## Units of each call', '## AWS calls of each route'];
const LONG_TASK = 'agents: a task on the worker';
/** Its units are those of lists of all tasks before it, which are near the edge of half a unit. */
const UNITS_OF_LISTS = /^\| agents: GET \/usage +\| \d/;

const sameIn = (text: string): string[] =>
  text
    .split(/^(?=## )/m)
    .filter((section) => SAME.some((title) => section.startsWith(title)))
    .flatMap((section) => section.split('\n'))
    .filter((line) => !line.includes(LONG_TASK) && !UNITS_OF_LISTS.test(line))
    .map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'));

/** The page counts the alarms of two synthesized stacks, which takes long on a busy machine. */
it('match docs/operations/costs.md, which npm run costs writes', { timeout: 60_000 }, () => {
  const said = sameIn(readFileSync('docs/operations/costs.md', 'utf8'));
  expect(said.length).toBeGreaterThan(50);
  expect(said).toEqual(sameIn(costsDocument(recording)));
});
