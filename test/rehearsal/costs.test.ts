/** The costs of the last rehearsal against their bounds and their page. `npm run rehearse` runs it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BOUNDS, isStateWrite } from '../../scripts/costs/bounds.ts';
import { costsDocument } from '../../scripts/costs/document.ts';
import type { Recording } from '../../scripts/rehearsal/recorder/recording.ts';

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

it('are what docs/costs.md says; npm run costs writes it', () => {
  expect(readFileSync('docs/costs.md', 'utf8')).toBe(costsDocument(recording));
});
