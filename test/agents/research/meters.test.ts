/** What is metered during a stage is added once to the state that it hands on, and the state before stays as it was. */
import { expect, it } from 'vitest';
import { countAnswers, noCalls, withCalls } from '../../../agents/research/model-calls.ts';
import { initialState } from '../../../agents/research/pipeline-states.ts';
import { countRefusals } from '../../../agents/research/refusals.ts';
import { requestOf } from '../../../agents/research/research-request.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';

const usage = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 3, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

it('adds the calls of each stage under their role and model', () => {
  const started = initialState(requestOf({ query: 'Port fees' } as ResearchInput, 'test/model'));
  const before = structuredClone(started);
  const states = [started];
  for (const role of ['plan', 'read', 'read'] as const) {
    const calls = noCalls();
    countAnswers(calls, role)(usage, 'test/model');
    states.push(withCalls(states.at(-1) ?? started, calls));
  }
  const counted = { model: 'test/model', calls: 1, input_tokens: 10, output_tokens: 2, cached_input_tokens: 3 };
  expect(states.at(-1)).toMatchObject({
    queries: 3,
    unusable: 0,
    work: {
      byRole: [
        { role: 'plan', ...counted },
        { ...counted, role: 'read', calls: 2, input_tokens: 20, output_tokens: 4, cached_input_tokens: 6 },
      ],
    },
  });
  expect(started).toEqual(before);
  expect(states[2]?.work.byRole[1]).toEqual({ role: 'read', ...counted });
});

it('counts figures of notes apart from statements, which it counts by reason', () => {
  const none = { statements: 0, byReason: {} };
  const first = countRefusals(none, [
    { refused: 'statement', text: 'a', reason: 'figure' },
    { refused: 'figure', text: '4,711', reason: 'figure' },
  ]);
  expect(first).toEqual({ statements: 1, byReason: { figure: 1 }, figures: 1 });
  expect(countRefusals(first, [{ refused: 'statement', text: 'b', reason: 'no_citation' }])).toEqual({
    statements: 2,
    byReason: { figure: 1, no_citation: 1 },
    figures: 1,
  });
  expect(none).toEqual({ statements: 0, byReason: {} });
});
