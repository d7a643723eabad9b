/** Warnings of the Files & Tasks API about unknown fields and parameters. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { taskView } from '../../../functions/files-and-tasks/task-view.ts';
import { type Dispatch, dispatcher } from '../../../functions/http/dispatch.ts';
import { cancelTask } from '../../../shared/tasks/cancel-task.ts';
import { getTask } from '../../../shared/tasks/get-task.ts';
import { openTasks } from '../../shared/tasks/setup.ts';
import { apiContextOf, postOf } from './api-context.ts';

const FACE = 'files-and-tasks';
const MODEL = 'offline/extractive';

let at: ReturnType<typeof openTasks>;
let dispatch: Dispatch;
beforeEach(() => {
  at = openTasks();
  const organization = { id: 'org', name: 'One', createdAt: 0, models: [MODEL], limits: {} };
  dispatch = dispatcher(filesAndTasks, { ...apiContextOf(at), organizationOf: async () => organization });
});
afterEach(() => at.close());

const task = (input: object = {}, more: object = {}) => ({
  namespace: 'n',
  delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/' } },
  input: { type: 'chat', prompt: 'What is due?', ...input },
  ...more,
});
const submit = (json: object, key = 'k') => dispatch({ ...postOf(json, key), path: '/api/v1/tasks' });
const viewOfTask = async (text: string) => {
  const { taskId } = JSON.parse(text);
  return taskView(await getTask(at, { organization: 'org', taskId }, FACE), at);
};

const PRIORITY = 'priority is not a known field and was ignored.';
const FILE_IDS = 'input.fileids is not a known field and was ignored. Did you mean input.fileIds?';

it('answers a submit as the specification shows, and names unknown fields in a header', async () => {
  const { status, headers, body } = await submit(task({ fileids: ['x'] }, { priority: 9 }));
  expect([status, Object.keys(JSON.parse(body))]).toEqual([201, ['taskId']]);
  expect(JSON.parse(headers['x-errand-warnings'] ?? '')).toEqual([FILE_IDS, PRIORITY]);
  expect(Object.keys(await viewOfTask(body))).toEqual(['taskId', 'namespace', 'status', 'createdAt']);
});

it('sends the same header to a repeat with the same key', async () => {
  const [first, again] = [await submit(task({}, { priority: 9 })), await submit(task({}, { priority: 9 }))];
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect([again.body, again.headers['x-errand-warnings']]).toEqual([first.body, JSON.stringify([PRIORITY])]);
});

it('shows the warnings of a result after those of the submit', async () => {
  const { taskId } = JSON.parse((await submit(task({}, { priority: 9 }))).body);
  await cancelTask(at, { organization: 'org', taskId }, { api: FACE, force: true });
  const ended = await getTask(at, { organization: 'org', taskId }, FACE);
  const result = { text: 'Saved.', warnings: ['The PDF cannot show Han.'] };
  const view = await taskView({ ...ended, task: { ...ended.task, state: 'succeeded' }, result }, at);
  expect(view).toMatchObject({ status: 'success', warnings: [PRIORITY, 'The PDF cannot show Han.'] });
});

it('shows the warnings once the task has ended, and no such field when there are none', async () => {
  const [warned, plain] = [await submit(task({}, { priority: 9 })), await submit(task(), 'other')];
  expect(plain.headers['x-errand-warnings']).toBeUndefined();
  for (const { body } of [warned, plain]) {
    const { taskId } = JSON.parse(body);
    await cancelTask(at, { organization: 'org', taskId }, { api: FACE, force: true });
  }
  expect(await viewOfTask(warned.body)).toMatchObject({ status: 'failure', warnings: [PRIORITY] });
  expect(await viewOfTask(plain.body)).not.toHaveProperty('warnings');
});

it('escapes names outside ASCII, because headers hold only ASCII', async () => {
  const { headers } = await submit(task({}, { 'größe\u{1f600}': 1 }));
  expect(headers['x-errand-warnings']).toBe(
    String.raw`["gr\u00f6\u00dfe\ud83d\ude00 is not a known field and was ignored."]`,
  );
});

it('reports unknown fields of other bodies, and unknown query parameters', async () => {
  const file = await dispatch(postOf({ fileName: 'a.txt', filename: 'b.txt' }, 'file'));
  expect(file.headers['x-errand-warnings']).toContain('filename is not a known field');
  const list = await dispatch({ ...postOf({}, ''), method: 'GET', query: new URLSearchParams('stauts=x&limit=1') });
  expect(list.headers['x-errand-warnings']).toContain('stauts is not a known parameter');
});
