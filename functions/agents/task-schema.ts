/** The body of `POST /tasks`. All that is wrong with it is found at once. */
import * as v from 'valibot';
import { type Asked, askedSchema } from '../../shared/agents/agent-input.ts';
import { address, inside, maybe, oneOf, wholeFrom } from '../../shared/agents/field.ts';
import { isTaskType, TASK_TYPES, type TaskType } from '../../shared/agents/task-types.ts';
import { USUAL_PRIORITY } from '../../shared/tasks/lane.ts';
import { TASK_LIMITS } from '../../shared/tasks/task.ts';

const MINUTE_MS = 60_000;
const MOST_PRIORITY = 10;
const MOST_MINUTES = 240;
export const METADATA = { keys: 16, keyCharacters: 64, valueCharacters: 512 };

export type Submission = {
  task_type: TaskType;
  priority: number;
  input: Asked[TaskType];
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
    return inside({
      task_type: oneOf(TASK_TYPES),
      priority: v.nullish(wholeFrom(1, MOST_PRIORITY), USUAL_PRIORITY),
      input: askedSchema(isTaskType(type) ? type : undefined, sources),
      webhook_url: maybe(webhookUrl(faultOf)),
      metadata: v.nullish(v.custom<Record<string, string>>(isMetadata, METADATA_RULE), {}),
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

/** Kept whole, whatever its keys are called. */
function isMetadata(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= METADATA.keys && entries.every(isMetadataEntry);
}

const isMetadataEntry = ([key, text]: [string, unknown]): boolean =>
  hasAtMost(METADATA.keyCharacters, key) && typeof text === 'string' && hasAtMost(METADATA.valueCharacters, text);

/** A character may be two units of JavaScript. */
const hasAtMost = (most: number, text: string): boolean =>
  text.length <= most || (text.length <= 2 * most && [...text].length <= most);
