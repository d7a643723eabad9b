/** Submits a task: writes its details and input first, then the task itself. That insert accepts the task. */

import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import type { StageLimited } from '../core/stage-limits.ts';
import { type File, fileKey } from '../files/file.ts';
import {
  knowledgeKey,
  type Ruleset,
  type RulesetReference,
  type Workflow,
  type WorkflowStep,
} from '../knowledge/knowledge.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { detailsDrafts, type TaskDetails, type TaskWithDetails } from './details.ts';
import type { Hints } from './hints.ts';
import { detailsExpireAt, type TaskAddress, taskDraft, taskKey } from './rows.ts';
import { newTask, type StartedTask, TASK_LIMITS, type Task, type TaskApi } from './task.ts';

/**
 * Tasks that were just submitted, so that a worker of the same process need not read them again. An entry may be stale; a
 * worker relies on it only if a write with its version succeeds.
 */
export type FreshTasks = {
  keep(address: TaskAddress, task: TaskWithDetails): void;
  /** Returns the entry only once. */
  take(address: TaskAddress): TaskWithDetails | undefined;
};

const MAX_ENTRIES = 1_000;

export function freshTasks(): FreshTasks {
  const kept = new Map<string, TaskWithDetails>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    keep(address, task) {
      if (kept.size < MAX_ENTRIES) kept.set(nameOf(address), task);
    },
    take(address) {
      const task = address.run === undefined ? kept.get(nameOf(address)) : undefined;
      if (task) kept.delete(nameOf(address));
      return task;
    },
  };
}

/** Submits a task: writes its details and input first, then the task itself. That insert accepts the task. */
type SubmitPorts = StageLimited & { table: Table; clock: Clock; hints: Hints; fresh?: Pick<FreshTasks, 'keep'> };
type Submission = StartedTask & {
  face: TaskApi;
  type: string;
  priority: number;
  timeoutMs?: number;
  /** The name of the first stage. */
  stage?: string;
  about: TaskDetails;
};

export async function submitTask(ports: SubmitPorts, address: TaskAddress, submission: Submission): Promise<Row<Task>> {
  const { table, clock, hints, stageLimits, fresh } = ports;
  const { about, ...fields } = submission;
  const now = clock.now();
  const kept = stageLimits ? { keptDays: stageLimits.keptDays } : {};
  const task = newTask({ ...fields, ...kept, now, hasHook: about.endpoint !== undefined && !about.discards });
  const around = detailsDrafts(address, about, task.recurs ? undefined : detailsExpireAt(task));
  const inserted = await table.insert(taskDraft(address, task, now), around);
  if (inserted) {
    fresh?.keep(address, { row: inserted, about });
    const delaySeconds = Math.max(0, Math.ceil((task.queuedAt - now) / 1_000));
    if (delaySeconds <= TASK_LIMITS.maxHintSeconds)
      await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
    return inserted;
  }
  // A retry with the same idempotency key after a crash: the first try created the task.
  const made = await table.get<Task>(taskKey(address));
  if (!made) throw new Error('A task was made and is gone.');
  return made;
}

/** Resolves the ids in a task: each must exist and belong to the organization. The task gets their current content. */
type NamedReferences = { fileIds: string[]; workflowIds: string[]; rulesetIds: string[] };
type ReferenceField = keyof NamedReferences;
type ResolvedReferences = { field: ReferenceField; id: string; row: Row<unknown> | undefined };

const KEYS: Record<ReferenceField, (organization: string, id: string) => Key> = {
  fileIds: fileKey,
  workflowIds: (organization, id) => knowledgeKey('workflow', organization, id),
  rulesetIds: (organization, id) => knowledgeKey('ruleset', organization, id),
};
const FIELDS = Object.keys(KEYS) as ReferenceField[];

/** One read for all ids. */
export async function resolveReferences(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  named: NamedReferences,
): Promise<{ steps: WorkflowStep[]; rulesets: RulesetReference[] }> {
  const references = FIELDS.flatMap((field) => named[field].map((id) => ({ field, id })));
  const known = references.filter(({ id }) => isUuid(id));
  const keys = known.map(({ field, id }) => KEYS[field](organization, id));
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  const found = references.map((each): ResolvedReferences => ({ ...each, row: rows[known.indexOf(each)] }));
  checkThere(found, clock.now());
  const valuesOf = <T>(field: ReferenceField): T[] =>
    found.flatMap((each) => (each.field === field && each.row ? [each.row.value as T] : []));
  return {
    steps: valuesOf<Workflow>('workflowIds').flatMap(({ steps }) => steps),
    rulesets: valuesOf<Ruleset>('rulesetIds').map(({ id, version }) => ({ id, version })),
  };
}

function checkThere(found: ResolvedReferences[], now: number): void {
  const missing = found.filter(({ field, row }) => !row || (field === 'fileIds' && isGone(row.value as File, now)));
  const [first] = missing;
  if (!first) return;
  const ids = missing.filter(({ field }) => field === first.field).map(({ id }) => id);
  const remedy = first.field === 'fileIds' ? COMPLETE_FIRST : '';
  throw new Problem('invalid', `input.${first.field} are unknown: ${ids.map(shownReference).join(', ')}${remedy}`);
}

const COMPLETE_FIRST = ' (an uploaded file is known after POST /files/:fileId/complete)';

const MAX_SHOWN = 100;

/** Quotes a blank id and truncates a long one, because ids come from callers. */
function shownReference(id: string): string {
  if (id.trim() === '') return JSON.stringify(id.slice(0, MAX_SHOWN));
  return id.length > MAX_SHOWN ? `${id.slice(0, MAX_SHOWN).toWellFormed()}…` : id;
}

const isGone = ({ state, goneAt }: File, now: number): boolean => state !== 'stored' || goneAt <= now;
