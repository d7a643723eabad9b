/** `POST /notifications/preview`: accepted as the notification would be, but for what only concerns sending. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentInput } from '../../../shared/agents/agent-input.ts';
import { detailsKey, inputOf, type TaskDetails } from '../../../shared/tasks/details.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { type Api, addressOf, openApi, type Who, workerOf } from './setup.ts';

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

const content = { recipients: ['ann@readers.org'], subject: 'Ports today' };
const preview = (json: object, headers = {}) => api.call(who, 'POST', '/notifications/preview', { json, headers });

async function storedTask(publicId: string) {
  const address = addressOf(who, publicId);
  const task = await api.table.get<Task>(taskKey(address));
  const about = await api.table.get<TaskDetails<AgentInput<'notification_agent'>>>(detailsKey(address));
  return { task: task?.value, input: await inputOf<AgentInput>(api.table, address, about?.value) };
}

it('is a task that runs at once, whatever its schedule, and is marked in its input and its title', async () => {
  const schedule = { frequency: 'weekly', day_of_week: 'monday' };
  const { status, body } = await preview({ input: { schedule, content } });
  expect([status, body.status, body.task_type, body.warnings]).toEqual([202, 'accepted', 'notification_agent', []]);
  const { task, input } = await storedTask(body.task_id);
  expect(input).toMatchObject({ preview: true, asked: { schedule, content } });
  expect(task?.recurs).toBeUndefined();
  expect(task?.queuedAt).toBe(task?.createdAt);
  expect((await api.call(who, 'GET', `/tasks/${body.task_id}/input`)).body).toMatchObject({ preview: true });
  const { tasks } = (await api.call(who, 'GET', '/tasks?include=title')).body;
  expect(tasks[0].title).toBe('Preview: Ports today');
});

it('leaves the mark out of a notification, which a field of the body cannot set', async () => {
  const json = { task_type: 'notification_agent', preview: true, input: { preview: true, content } };
  const { body } = await api.call(who, 'POST', '/tasks', { json });
  expect(body.warnings).toHaveLength(2);
  expect((await storedTask(body.task_id)).input).not.toHaveProperty('preview');
  expect((await api.call(who, 'GET', `/tasks/${body.task_id}/input`)).body).not.toHaveProperty('preview');
});

it.each([
  [{ content: {} }, ['input.content.recipients']],
  [{ schedule: { frequency: 'weekly' }, content }, ['input.schedule.day_of_week']],
])('refuses the input %j as a submit does', async (input, fields) => {
  const refused = await preview({ input });
  expect([refused.status, refused.body.error.details.invalid_fields]).toEqual([400, fields]);
  const submit = { task_type: 'notification_agent', input };
  const { body } = await api.call(who, 'POST', '/tasks', { json: submit });
  expect({ ...body.error, request_id: '' }).toEqual({ ...refused.body.error, request_id: '' });
});

it('previews notifications only', async () => {
  const { status, body } = await preview({ task_type: 'research_agent', input: { query: 'Fees?', content } });
  expect([status, body.error.details.invalid_fields]).toEqual([400, ['task_type']]);
});

it('needs no sender of e-mails, which a notification does', async () => {
  api.context.sendsMail = false;
  expect((await preview({ input: { content } })).status).toBe(202);
  const json = { task_type: 'notification_agent', input: { content } };
  expect((await api.call(who, 'POST', '/tasks', { json })).status).toBe(400);
});

it('counts as a submit, and is repeated under its idempotency key', async () => {
  who = { organization: api.found({ 'agent-submits': { minute: 2, hour: 30 } }) };
  const key = { 'idempotency-key': 'preview-1' };
  const first = await preview({ input: { content } }, key);
  expect((await preview({ input: { content } }, key)).body.task_id).toBe(first.body.task_id);
  expect((await preview({ input: { content } })).status).toBe(429);
  expect((await api.call(who, 'GET', '/tasks')).body.tasks).toHaveLength(1);
});

it('is for members, and belongs to their organization', async () => {
  const { body } = await preview({ input: { content } });
  const viewer: Who = { ...who, role: 'viewer' };
  expect((await api.call(viewer, 'POST', '/notifications/preview', { json: { input: { content } } })).status).toBe(403);
  const other = { organization: api.found() };
  for (const path of ['', '/input', '/results'])
    expect((await api.call(other, 'GET', `/tasks/${body.task_id}${path}`)).status).toBe(404);
});

it('is listed under the subject that the agent wrote, as its notification is', async () => {
  const written = { name: 'reporting', run: async () => ({ report: { preview: { subject: 'Fees rise' } } }) };
  const unnamed = { content: { recipients: ['ann@readers.org'], message: 'Dear all,' } };
  await preview({ input: unnamed });
  await api.submitted(who, { task_type: 'notification_agent', input: unnamed });
  await api.submitted(who, { task_type: 'notification_agent', input: { content } });
  const titles = async () =>
    (await api.call(who, 'GET', '/tasks?include=title')).body.tasks
      .map(({ title }: { title: string }) => title)
      .toSorted();
  expect(await titles()).toEqual(['Dear all,', 'Ports today', 'Preview: Dear all,']);
  await workerOf(api, [written]).runAll();
  expect(await titles()).toEqual(['Fees rise', 'Ports today', 'Preview: Fees rise']);
});
