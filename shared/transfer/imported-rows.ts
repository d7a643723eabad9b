/**
 * The rows that an import writes, made from the values of an export. A row's place in an index, its due time and its key
 * follow from its value, whatever the export says.
 */
import * as v from 'valibot';
import { ROLES } from '../accounts/caller.ts';
import { displayName } from '../accounts/display-name.ts';
import { type Organization, organizationDraft } from '../accounts/organizations.ts';
import { userIdOf, userNameFrom } from '../accounts/user-name.ts';
import { type User, userDraft } from '../accounts/users.ts';
import { keyOfBlob } from '../core/blobs.ts';
import { isUuid } from '../core/ids.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import { fileDraft } from '../files/file.ts';
import { cleanFileName } from '../files/file-name.ts';
import { type KnowledgeEntry, type KnowledgeKind, knowledgeDraft } from '../knowledge/knowledge.ts';
import type { Draft, Prerequisites } from '../ports.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { decide } from '../tasks/decide.ts';
import { parseTaskAddress, taskDraft } from '../tasks/rows.ts';
import { endedRunDrafts } from '../tasks/runs.ts';
import { AGENTS_API, isOpen, isRunEnd, type Task } from '../tasks/task.ts';
import { type ExportedRow, isOwnBlob } from './format.ts';
import type { RowKind } from './row-kinds.ts';

export type ImportOptions = {
  organization: string;
  exportedAt: number;
  /** Unfinished tasks and undelivered events go on here. Otherwise they end: the stage they come from may go on with them. */
  continues: boolean;
};

/** What the operator has to know of a row: a task that was cancelled, an event that is not sent, a user without password. */
export type Remark = { about: 'cancelled' | 'undelivered' | 'withoutPassword'; name: string };

export type ImportedRow = {
  draft: Draft<unknown>;
  before?: Prerequisites;
  /** After this time the row is of no use. */
  endsAt?: number;
  remark?: Remark;
};

export const malformed = (what: string) => new Problem('invalid', `${what}: export the organization again`);

/** Throws if the value is not one of its kind, or does not belong under its key. */
export function importedRow(kind: RowKind, row: ExportedRow, o: ImportOptions): ImportedRow {
  const imported = (MAKERS[kind.row] ?? otherRow)(row, o);
  const { pk, sk } = imported.draft;
  if (pk !== row.pk || sk !== row.sk) throw malformed('has a key that does not belong to its value');
  return imported;
}

export function parsedValue<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  throw malformed(`has no valid ${v.getDotPath(read.issues[0]) ?? 'value'}`);
}

/** The id in the key of a file, task, workflow or ruleset. */
export function idIn(pk: string): string {
  const [, , , id = '', ...extraParts] = pk.split('#');
  if (isUuid(id) && extraParts.length === 0) return id;
  throw malformed('has a key without an id');
}

const instant = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const organizationValue = v.looseObject({
  id: v.string(),
  name: v.string(),
  createdAt: instant,
  models: v.array(v.pipe(v.string(), v.regex(/^[!-~]{1,200}$/))),
  limits: v.record(v.string(), v.looseObject({})),
});

/** Strict, so that no hash of a password comes in. */
const userValue = v.strictObject({
  id: v.string(),
  name: v.string(),
  organization: v.string(),
  role: v.picklist(ROLES),
  disabled: v.boolean(),
  createdAt: instant,
  subject: v.exactOptional(v.string()),
  tokensFrom: v.exactOptional(instant),
});

const fileValue = v.strictObject({
  state: v.literal('stored'),
  fileName: v.string(),
  mimeType: v.string(),
  size: instant,
  createdAt: instant,
  goneAt: instant,
  bytesAt: v.string(),
  storagePath: v.exactOptional(v.string()),
});

const knowledgeValue = v.looseObject({ id: v.string(), name: v.string(), version: instant, createdAt: instant });

function isSchedule(text: string): boolean {
  try {
    parseSchedule(text);
    return true;
  } catch {
    return false;
  }
}

const taskValue = v.looseObject({
  face: v.picklist(['files-and-tasks', AGENTS_API]),
  type: v.string(),
  state: v.picklist(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
  priority: v.pipe(v.number(), v.safeInteger()),
  createdAt: instant,
  queuedAt: instant,
  hintAt: instant,
  deadlineAt: instant,
  timeoutMs: instant,
  attempt: instant,
  seq: instant,
  hook: v.exactOptional(v.looseObject({ state: v.string(), nextAt: instant })),
  recurs: v.exactOptional(v.looseObject({ by: v.pipe(v.string(), v.check(isSchedule)) })),
});

type MakeRow = (row: ExportedRow, o: ImportOptions) => ImportedRow;

const organizationRow: MakeRow = ({ value }, { organization }) => {
  const exported = parsedValue(organizationValue, value) as unknown as Organization;
  if (exported.id !== organization) throw malformed('is another organization');
  return { draft: organizationDraft({ ...exported, name: displayName(exported.name) }) };
};

const userRow: MakeRow = ({ value }, { organization }) => {
  const user = parsedValue(userValue, value) as User;
  if (user.organization !== organization) throw malformed('is a user of another organization');
  if (userNameFrom(user.name) !== user.name || user.id !== userIdOf(user.name))
    throw malformed('is a user whose id does not belong to its name');
  // Whom single sign-on created has no password.
  const hadPassword = user.subject === undefined;
  return {
    draft: userDraft(user),
    ...(hadPassword ? { remark: { about: 'withoutPassword', name: user.name } } : {}),
  };
};

const fileRow: MakeRow = ({ pk, value }, { organization }) => {
  const fileId = idIn(pk);
  const file = parsedValue(fileValue, value);
  const { key } = keyOfBlob(file.bytesAt);
  if (!isOwnBlob(organization, key) || !key.split('/').includes(fileId))
    throw malformed('is a file whose bytes are not its own');
  const draft = fileDraft(organization, fileId, { ...file, fileName: cleanFileName(file.fileName) });
  return { draft, endsAt: file.goneAt };
};

const knowledgeRow =
  (kind: KnowledgeKind): MakeRow =>
  ({ pk, value }, { organization }) => {
    const entry = parsedValue(knowledgeValue, value) as unknown as KnowledgeEntry;
    if (entry.id !== idIn(pk)) throw malformed(`is a ${kind} under another id`);
    return { draft: knowledgeDraft(kind, organization, entry) };
  };

/** What ends with the import ends at the time of the export, so that a repeated import makes the same row. */
const taskRow: MakeRow = ({ pk, sk, value }, { continues, exportedAt }) => {
  const address = parseTaskAddress({ pk, sk });
  const task = parsedValue(taskValue, value) as unknown as Task;
  const drafted = (next: Task): ImportedRow => ({ draft: taskDraft(address, next, exportedAt) });
  if (continues) return drafted(task);
  if (!isUnfinished(task))
    return isUndelivered(task)
      ? { ...drafted(withoutDelivery(task)), remark: { about: 'undelivered', name: address.taskId } }
      : drafted(task);
  const moved = decide(task, { type: 'cancel', force: true }, exportedAt);
  if ('ignore' in moved) throw malformed('is a task that cannot end');
  const ended = moved.ended ? { ended: withoutDelivery(moved.ended) } : {};
  return {
    ...drafted(withoutDelivery(moved.next)),
    before: endedRunDrafts(address, { ...moved, ...ended }, exportedAt),
    remark: { about: 'cancelled', name: address.taskId },
  };
};

export const isUnfinished = (task: Task): boolean => isOpen(task) || isRunEnd(task);

export const isUndelivered = ({ hook: delivery }: Task): boolean =>
  delivery !== undefined && delivery.state !== 'delivered' && delivery.state !== 'exhausted';

/** An operator can still send the event. */
const withoutDelivery = (task: Task): Task =>
  task.hook && isUndelivered(task) ? { ...task, hook: { ...task.hook, state: 'exhausted' } } : task;

const otherRow: MakeRow = ({ pk, sk, value, expiresAt }) => ({
  draft: { pk, sk, value, ...definedFields({ expiresAt }) },
});

const MAKERS: Partial<Record<string, MakeRow>> = {
  ORGANIZATION: organizationRow,
  USER: userRow,
  FILE: fileRow,
  RULESET: knowledgeRow('ruleset'),
  WORKFLOW: knowledgeRow('workflow'),
  TASK: taskRow,
  RUN: taskRow,
};
