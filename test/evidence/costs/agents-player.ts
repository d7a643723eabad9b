/** Calls of the rehearsed agent API. */

import type { Clock, Ids, Table } from '../../../shared/ports.ts';
import { checkpointDrafts } from '../../../shared/tasks/checkpoints.ts';
import { detailsExpireAt, type TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { subscribe } from '../../shared/realtime/client.ts';
import type { Rehearsal } from '../rehearsal/rehearsal.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import type { Heard } from './player.ts';

type Given = {
  ask(path: string, json?: object): Promise<Heard>;
  organization: string;
  ports: { table: Table; clock: Clock; ids: Ids };
  endpoint: string;
  /** The WebSocket that watches it. */
  socket: string;
  hold: Rehearsal['hold'];
};

/** The longest query: too long for the row of the task. */
const LONG_QUERY = 'Why? '.repeat(2_000);

/**
 * Each source answers more slowly than the interval of progress updates, or two updates would be sent as one; the first one
 * takes twice as long, as the update of the plan is sent a second after the plan was made.
 */
export const SLOW_SOURCES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const [FIRST_MS, STEP_MS] = [2_200, 1_400];
const PATIENCE_MS = 60_000;
/** How many of them a task reads first. */
const SOURCES = 6;
const MAX_ATTEMPTS = 8;

export function agentsPlayer({ ask, organization, ports, endpoint, socket, hold }: Given) {
  async function submitAgentTask(
    o: { long?: boolean; hook?: boolean; sources?: string[] } = {},
  ): Promise<Heard & { taskId: string }> {
    const query = o.long ? LONG_QUERY : 'When is the invoice due?';
    const hook = o.hook ? { webhook_url: endpoint } : {};
    const sources = o.sources ? { sources: o.sources } : {};
    const heard = await ask('/tasks', { task_type: 'research_agent', input: { query, ...sources }, ...hook });
    return { ...heard, taskId: heard.body.task_id?.slice('task_'.length) ?? '' };
  }

  /** A task without a message to a worker, in its second stage if it has started. */
  async function waiting({ begun = false } = {}): Promise<string> {
    const address: TaskAddress = { organization, taskId: ports.ids.uuid() };
    const about = { input: {}, by: 'user:costs' };
    const given = { face: 'agents', type: 'research_agent', priority: 5, about } as const;
    const quiet = { ...ports, hints: async () => undefined };
    const { value: task } = await submitTask(quiet, address, given);
    if (begun) {
      await moveTask(quiet, address, { type: 'claim' });
      const reached = { checkpoint: 1, attempt: 1 };
      const first = checkpointDrafts(address, { ...reached, carried: {}, expiresAt: detailsExpireAt(task) });
      await moveTask(quiet, address, { type: 'beat', ...reached }, { prerequisites: first });
    }
    return `task_${address.taskId}`;
  }

  /** A task whose every step is watched, with this many updates; its first and last steps may be shorter than the interval of updates. */
  async function watched(updates: number): Promise<string> {
    let sources = SOURCES;
    const tries: string[] = [];
    while (tries.length < MAX_ATTEMPTS) {
      const { taskId, told } = await watchedOnce(SLOW_SOURCES.slice(0, sources));
      if (told === updates) return taskId;
      tries.push(`${told} with ${sources} sources`);
      sources += Math.sign(updates - told);
    }
    throw new Error(`No task told ${updates} updates, but ${tries.join(', ')}.`);
  }

  async function watchedOnce(sources: string[]): Promise<{ taskId: string; told: number }> {
    const { websocket_token: token = '' } = (await ask('/websocket-auth', {})).body;
    const client = await subscribe(socket, token);
    const waitForEnd = (id: string) =>
      client.first(({ task_id, type }) => task_id === `task_${id}` && type === 'task_completed', PATIENCE_MS);
    // An instance renews its seat once a minute: another task does so first.
    await waitForEnd((await submitAgentTask()).taskId);
    hold(({ rows: [row] = [] }) => {
      if (row === undefined || rowKind(row) !== 'SOURCE') return 0;
      return row.endsWith('#first') ? FIRST_MS : STEP_MS;
    });
    try {
      const { taskId } = await submitAgentTask({ hook: true, sources });
      await waitForEnd(taskId);
      return { taskId, told: client.messages.filter(({ task_id }) => task_id === `task_${taskId}`).length };
    } finally {
      hold(() => 0);
      client.close();
      await client.closed();
    }
  }

  return { ask, submitted: submitAgentTask, waiting, watched };
}
