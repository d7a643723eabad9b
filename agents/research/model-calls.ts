/** The calls of a research to language models, counted by role and model. */

import type * as v from 'valibot';
import type { RoleUsage } from '../../shared/tasks/agent-report.ts';
import type { Question } from '../generate-answer.ts';
import { RESEARCH_PROMPT } from '../prompts/research.ts';
import { structuredAnswer } from '../structured-answer.ts';
import type { StartedState } from './pipeline-states.ts';

/**
 * Counts the calls of one stage. A meter: calls side by side write into it, and it is added to the state once, when the stage ends or
 * fails.
 */
export type CallCounts = { byRole: RoleUsage[]; unusable: number; promptVersion?: string };

export const noCalls = (): CallCounts => ({ byRole: [], unusable: 0 });

/** Counts the answers of each model under a role: writes into the meter. */
export function countAnswers({ byRole }: CallCounts, role: Role): NonNullable<Question<v.GenericSchema>['onAnswer']> {
  return ({ inputTokens, outputTokens }, model) => {
    const usage = usageIn(byRole, role, model);
    usage.calls++;
    usage.input_tokens += inputTokens.total ?? 0;
    usage.output_tokens += outputTokens.total ?? 0;
    usage.cached_input_tokens += inputTokens.cacheRead ?? 0;
  };
}

/** Sends one question to a language model and counts its answers. Returns undefined if no answer is usable. */
export async function ask<T extends v.GenericSchema>(
  calls: CallCounts,
  { role, ...question }: Question<T> & { role: Role },
): Promise<v.InferOutput<T> | undefined> {
  const onAnswer = countAnswers(calls, role);
  const answer = await structuredAnswer({ ...question, onAnswer });
  calls.promptVersion = RESEARCH_PROMPT;
  if (answer === undefined) calls.unusable++;
  return answer;
}

/** The state with the calls of a stage added to what was spent before. */
export function withCalls<State extends StartedState>(state: State, calls: CallCounts): State {
  const { promptVersion = state.promptVersion, unusable } = calls;
  const byRole = state.work.byRole.map((usage) => ({ ...usage }));
  for (const usage of calls.byRole) {
    const sum = usageIn(byRole, usage.role, usage.model);
    sum.calls += usage.calls;
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cached_input_tokens += usage.cached_input_tokens;
  }
  return {
    ...state,
    queries: state.queries + calls.byRole.reduce((total, usage) => total + usage.calls, 0),
    work: { ...state.work, byRole },
    unusable: (state.unusable ?? 0) + unusable,
    ...(promptVersion === undefined ? {} : { promptVersion }),
  };
}

type Role = RoleUsage['role'];

function usageIn(byRole: RoleUsage[], role: Role, model: string): RoleUsage {
  const existing = byRole.find((usage) => usage.role === role && usage.model === model);
  if (existing) return existing;
  const initial = { role, model, calls: 0, input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 };
  byRole.push(initial);
  return initial;
}
