/** The routes of tasks: read, input, list, cancel. */

import { Problem } from '../../shared/core/problem.ts';
import type { Listed } from '../../shared/ports.ts';
import { type ChatInput, readInput } from '../../shared/tasks/details.ts';
import { cancelTask, getTask, listTasks } from '../../shared/tasks/queries.ts';
import { namespaceMark } from '../../shared/tasks/rows.ts';
import type { ShownState } from '../../shared/tasks/task.ts';
import { titleOf } from '../../shared/tasks/title.ts';
import type { Query } from '../http/request.ts';
import { type Route, route } from '../http/route.ts';
import { addTask } from './add-task.ts';
import { type FilesContext, pageIn, READS, WRITES } from './schema.ts';
import { type ShownStatus, taskView } from './task-view.ts';

const FACE = 'files-and-tasks';
const POLL_AGAIN_SECONDS = 2;

const get = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId',
  about: 'Returns a task: its status, and its output or error once it has finished.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The task in its current state.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const body = await taskView(await getTask(context, { organization, taskId }, FACE), context);
    const isOpen = !('completedAt' in body);
    return { status: 200, body, ...(isOpen ? { headers: { 'retry-after': String(POLL_AGAIN_SECONDS) } } : {}) };
  },
});

const input = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/input',
  about: 'Returns what a task was submitted with.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The prompt, the files, the steps of its workflows, the rulesets, the model and the endpoint.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const { about, input } = await readInput<ChatInput>(context, { organization, taskId }, FACE);
    const { prompt, model, fileIds, steps, rulesets } = input;
    return {
      status: 200,
      body: {
        taskId,
        namespace: about.namespace ?? null,
        input: {
          prompt,
          model,
          fileIds,
          steps: steps.map(({ name, instruction }) => ({ name, instruction })),
          rulesetIds: rulesets.map(({ id }) => id),
        },
        endpoint: about.endpoint ?? null,
      },
    };
  },
});

const list = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks',
  about: 'Lists the tasks, the newest first. Filter by namespace and status.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'One page of the tasks that match.' },
  async run({ caller: { organization }, query }, context) {
    const wanted = { organization, face: FACE, ...filterIn(query), ...pageIn(query) } as const;
    const withTitle = includesTitle(query);
    const { rows, next = null } = await listTasks(context, wanted);
    const views = rows.map(async (row) => ({
      ...(await taskView(row, context)),
      ...(withTitle ? { title: titleOf(row.about ?? {}) } : {}),
    }));
    return { status: 200, body: { tasks: await Promise.all(views), nextCursor: next } };
  },
});

const STATES: Record<ShownStatus, readonly ShownState[]> = {
  waiting: ['queued'],
  active: ['running', 'cancelling'],
  success: ['succeeded'],
  failure: ['failed', 'cancelled'],
};

function filterIn(query: Query) {
  const [status, namespace] = [query.get('status')?.toLowerCase() ?? null, query.get('namespace')];
  if (status !== null && !Object.hasOwn(STATES, status)) {
    throw new Problem('invalid', `status must be one of ${Object.keys(STATES).join(', ')}`);
  }
  if (namespace === '') throw new Problem('invalid', 'namespace must not be empty');
  const states = status === null ? undefined : new Set<string>(STATES[status as ShownStatus]);
  const type = namespace === null ? undefined : namespaceMark(namespace);
  return { states, fits: (listed: Listed) => type === undefined || listed.type === type };
}

/** `include=title` shows what each task was asked. */
function includesTitle(query: Query): boolean {
  const include = query.get('include');
  if (include !== null && include !== 'title') throw new Problem('invalid', 'include must be title');
  return include === 'title';
}

const cancel = route<FilesContext, 'member'>({
  method: 'POST',
  path: '/api/v1/tasks/:taskId/cancel',
  about: 'Cancels an unfinished task. It ends as a failure with the code TASK_CANCELLED.',
  caller: 'member',
  limit: WRITES,
  replies: { 200: 'The task in its current state; a finished one stays unchanged.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const address = { organization, taskId };
    await cancelTask(context, address, { face: FACE, force: true });
    return { status: 200, body: await taskView(await getTask(context, address, FACE), context) };
  },
  // It has ended, and stays as it is; only its archive has another address each time.
  replay: {
    kept: (body) => ({ taskId: (body as { taskId: string }).taskId }),
    again: async (kept, { organization }, context) => {
      const { taskId } = kept as { taskId: string };
      return taskView(await getTask(context, { organization, taskId }, FACE), context);
    },
  },
});

export const taskRoutes: Route<FilesContext>[] = [addTask, get, input, list, cancel];
