/** The body of `POST /tasks`. All that is wrong with it is found at once. */
import * as v from 'valibot';
import { type AgentRequest, agentRequestSchema, TASK_TYPES, type TaskType } from '../../shared/agents/agent-input.ts';
import { address, inside, isObject, maybe, oneOf, sameWord, wholeFrom } from '../../shared/agents/fields.ts';
import { quotedName } from '../../shared/core/problem.ts';
import { USUAL_PRIORITY } from '../../shared/tasks/lane.ts';
import { TASK_LIMITS } from '../../shared/tasks/task.ts';

const MINUTE_MS = 60_000;
const MOST_PRIORITY = 10;
const MOST_MINUTES = 240;
export const METADATA = { keys: 16, keyCharacters: 64, valueCharacters: 512 };

export type Submission = {
  task_type: TaskType;
  priority: number;
  input: AgentRequest[TaskType];
  webhook_url?: string | null | undefined;
  metadata: Record<string, string>;
  timeout_minutes: number;
};

/** Undefined = it is taken. */
type FaultOf = (address: string) => string | undefined;

/** `sources`: the names that may be given. */
export const submission = (faultOf: FaultOf, sources: readonly string[]): v.GenericSchema<unknown, Submission> =>
  v.lazy((raw) => {
    const { task_type: type } = (raw ?? {}) as { task_type?: unknown };
    const known = typeof type === 'string' ? sameWord(TASK_TYPES, type) : undefined;
    return inside({
      task_type: oneOf(TASK_TYPES),
      priority: v.nullish(wholeFrom(1, MOST_PRIORITY), USUAL_PRIORITY),
      input: agentRequestSchema(known, sources),
      webhook_url: maybe(webhookUrl(faultOf)),
      metadata: v.nullish(metadata, {}),
      timeout_minutes: v.nullish(wholeFrom(1, MOST_MINUTES), TASK_LIMITS.usualTimeoutMs / MINUTE_MS),
    });
  });

export const webhookUrl = (faultOf: FaultOf) =>
  v.pipe(
    address,
    v.check(
      (text) => faultOf(text) === undefined,
      ({ input }) => faultOf(input) ?? '',
    ),
  );

export const METADATA_RULE =
  `must be an object of at most ${METADATA.keys} keys of up to ${METADATA.keyCharacters} characters, ` +
  `with strings of up to ${METADATA.valueCharacters} characters`;

/** Kept whole, whatever its keys are called. Each entry that is not valid is named by its key. */
const metadata = v.pipe(
  v.custom<Record<string, string>>(isShortObject, METADATA_RULE),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [key, value] of Object.entries<unknown>(dataset.value)) {
      const fault = faultOfEntry(key, value);
      if (!fault) continue;
      addIssue({
        message: fault,
        path: [{ type: 'object', origin: 'value', input: dataset.value, key: quotedName(key), value }],
      });
    }
  }),
);

function isShortObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value as object).length <= METADATA.keys;
}

function faultOfEntry(key: string, value: unknown): string | undefined {
  if (!hasAtMost(METADATA.keyCharacters, key))
    return `must have a name of at most ${METADATA.keyCharacters} characters`;
  if (typeof value !== 'string') return 'must be a string';
  return hasAtMost(METADATA.valueCharacters, value)
    ? undefined
    : `must have at most ${METADATA.valueCharacters} characters`;
}

/** A character may be two units of JavaScript. */
const hasAtMost = (most: number, text: string): boolean =>
  text.length <= most || (text.length <= 2 * most && [...text].length <= most);
