/** The scenes whose costs are measured. Each returns the request whose calls are counted. */
import { setTimeout as wait } from 'node:timers/promises';
import { SENDER_CACHE_MS } from '../../../shared/webhooks/sender-cache.ts';
import type { Player } from './player.ts';

export type Door = 'gateway' | 'address' | 'queue' | 'schedule';
type SubmittedTask = { long?: true; file?: true; model?: string };
/** `times` is set where the scene takes long. */
export type Scene = {
  name: string;
  door: Door;
  times?: number;
  warmUps?: number;
  play(player: Player): Promise<string>;
};

const request = (name: string, play: Scene['play']): Scene => ({ name, door: 'gateway', play });

/** Waits for the task, so that no work overlaps the next scene. */
const submit = (name: string, task: SubmittedTask): Scene =>
  request(`POST /tasks, ${name}`, async (player) => {
    const { request, body } = await submitTask(player, task);
    await player.ended(body.taskId);
    return request;
  });

/** The first task of an instance with a model loads the libraries of its provider. */
const WARM_UPS = 3;

/** With its webhook, which the worker sends. */
const work = (name: string, task: SubmittedTask): Scene => ({
  name: `a task on the worker, delivered, ${name}`,
  door: 'queue',
  times: 5,
  warmUps: WARM_UPS,
  play: (player) => afterRest(async () => player.ended((await submitTask(player, task)).body.taskId)),
});

const submitTask = async (player: Player, { file, ...task }: SubmittedTask) =>
  player.submitted({ ...task, ...(file ? { fileIds: [(await player.completed()).fileId] } : {}) });

/** Long enough that the short-lived caches of the webhook sender expire, as for all but the busiest organizations. */
async function afterRest(play: () => Promise<string>): Promise<string> {
  await wait(SENDER_CACHE_MS + 100);
  return play();
}

export const SCENES: Scene[] = [
  request('POST /files, for an upload', async (player) => (await player.offer()).request),
  {
    name: 'PUT to the signed address',
    door: 'address',
    play: async (player) => player.put((await player.offer()).body.uploadUrl),
  },
  request('POST /files/:fileId/complete', async (player) => (await player.completed()).request),
  request('GET /files/:fileId', async (player) => {
    const { fileId } = await player.completed();
    return (await player.call(`/files/${fileId}`)).request;
  }),
  submit('short prompt, no files', {}),
  submit('with a file', { file: true }),
  submit('long prompt', { long: true }),
  submit('long prompt, with a file', { long: true, file: true }),
  work('short prompt, no files', {}),
  work('with a file', { file: true }),
  work('long prompt', { long: true }),
  work('short prompt, no language model', { model: 'offline/extractive' }),
  {
    name: 'a webhook, sent again',
    door: 'queue',
    times: 5,
    play: (player) =>
      afterRest(async () => {
        const { taskId } = (await player.submitted()).body;
        await player.ended(taskId);
        return player.redelivered(taskId);
      }),
  },
  request('GET /tasks/:taskId, ended', async (player) => {
    const { taskId } = (await player.submitted()).body;
    await player.ended(taskId);
    return (await player.call(`/tasks/${taskId}`)).request;
  }),
  request('GET /tasks, 20 ended tasks', async (player) => (await player.call('/tasks?limit=20')).request),
  request('GET /tasks/:taskId, open', async (player) => {
    const taskId = await player.waiting();
    return (await player.call(`/tasks/${taskId}`)).request;
  }),
  request('POST /tasks/:taskId/cancel, waiting', async (player) => {
    const taskId = await player.waiting();
    return (await player.call(`/tasks/${taskId}/cancel`, {})).request;
  }),
  request('agents: POST /tasks', async (player) => agentSubmit(player)),
  request('agents: POST /tasks, webhook', async (player) => agentSubmit(player, { hook: true })),
  request('agents: POST /tasks, long query, webhook', async (player) =>
    agentSubmit(player, { long: true, hook: true }),
  ),
  {
    name: 'agents: a task on the worker',
    door: 'queue',
    play: async (player) => player.ended((await player.agents.submitted()).taskId),
  },
  {
    name: 'agents: a task on the worker, delivered, ten updates pushed',
    door: 'queue',
    times: 3,
    play: async (player) => player.ended(await player.agents.watched(10)),
  },
  request('agents: GET /tasks/{task_id}, waiting', async (player) => agentStatus(player)),
  request('agents: GET /tasks/{task_id}, running', async (player) => agentStatus(player, { begun: true })),
  request('agents: GET /tasks/{task_id}, ended', async (player) => {
    const { taskId } = await player.agents.submitted();
    await player.ended(taskId);
    return (await player.agents.ask(`/tasks/task_${taskId}`)).request;
  }),
  request('agents: GET /tasks/{task_id}/results', async (player) => {
    const { taskId } = await player.agents.submitted();
    await player.ended(taskId);
    return (await player.agents.ask(`/tasks/task_${taskId}/results`)).request;
  }),
  request('agents: GET /tasks, 20 tasks', async (player) => (await player.agents.ask('/tasks?limit=20')).request),
  request('agents: POST /tasks/{task_id}/cancel, waiting', async (player) => {
    const id = await player.agents.waiting();
    return (await player.agents.ask(`/tasks/${id}/cancel`, { reason: 'No more' })).request;
  }),
  request('agents: GET /usage', async (player) => (await player.agents.ask('/usage')).request),
];

async function agentSubmit(player: Player, task: { long?: true; hook?: true } = {}): Promise<string> {
  const { request, taskId } = await player.agents.submitted(task);
  await player.ended(taskId);
  return request;
}

const agentStatus = async (player: Player, o: { begun?: boolean } = {}): Promise<string> =>
  (await player.agents.ask(`/tasks/${await player.agents.waiting(o)}`)).request;

/** Run by the schedule. */
export const ROUND = 'the reconciler, nothing due';

export const doorOf = (name: string): Door => SCENES.find((scene) => scene.name === name)?.door ?? 'schedule';
