/** The costs of the last rehearsal against their bounds and their page. `npm run rehearse` runs it. */
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

it('saw everybody who moves tasks write their state', () => {
  const writers = recording.calls.filter(isStateWrite).map((call) => call.function);
  expect(writers).toEqual(expect.arrayContaining(['files-and-tasks', 'reconcile', 'run-task']));
});

/** Asked for is the same each time. What is worked takes the time of its machine, and the steps of a watched task fall as they fall. */
const SAME = ['## Units of each call', '## AWS calls of each route'];
const WATCHED = 'ten updates pushed';

const sameIn = (text: string): string[] =>
  text
    .split(/^(?=## )/m)
    .filter((section) => SAME.some((title) => section.startsWith(title)))
    .flatMap((section) => section.split('\n'))
    .filter((line) => !line.includes(WATCHED))
    .map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'));

it('ask what docs/operations/costs.md says; npm run costs writes it', () => {
  const said = sameIn(readFileSync('docs/operations/costs.md', 'utf8'));
  expect(said.length).toBeGreaterThan(50);
  expect(said).toEqual(sameIn(costsDocument(recording)));
});
