/** One object of every kind with an id, in an organization of its own. */

import { bytesKey, fileDraft } from '../../../shared/files/file.ts';
import { putRuleset } from '../../../shared/knowledge/rulesets.ts';
import { putWorkflow } from '../../../shared/knowledge/workflows.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import type { TaskApi } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { eventIdOf } from '../../../shared/webhooks/event-id.ts';

import { putText } from '../../shared/files/setup.ts';
import type { Apis } from './setup.ts';

export type Belongings = Awaited<ReturnType<typeof belongingsOf>>;

const INPUTS: Record<TaskApi, object> = {
  'files-and-tasks': { prompt: 'p', fileIds: [], steps: [], rulesets: [], model: 'offline/extractive' },
  agents: { model: 'offline/extractive', asked: { query: 'q' } },
};
const ENDPOINT = 'https://hooks.errand-tests.org/x';

/** A task with a webhook delivery. */
export async function addEndedTask(apis: Apis, organization: string, api: TaskApi) {
  const address: TaskAddress = { organization, taskId: apis.ids.uuid() };
  const type = api === 'agents' ? 'research_agent' : 'chat#x';
  const about = { endpoint: ENDPOINT, namespace: 'n', input: INPUTS[api], by: 'user:one' };
  await submitTask(apis, address, { face: api, type, priority: 5, about });
  await moveTask(apis, address, { type: 'cancel', force: true });
  return { taskId: address.taskId, deliveryId: eventIdOf(address.taskId, { state: 'cancelled' }) };
}

export async function belongingsOf(apis: Apis, organization: string) {
  const { table, clock, ids } = apis;

  async function file(): Promise<string> {
    const fileId = ids.uuid();
    const bytesAt = bytesKey(organization, fileId, ids.mark());
    await putText(apis.blobs, bytesAt, 'hello');
    const createdAt = clock.now();
    const stored = { state: 'stored', fileName: 'a.txt', mimeType: 'text/plain', size: 5, bytesAt } as const;
    await table.insert(fileDraft(organization, fileId, { ...stored, createdAt, goneAt: createdAt + 1e9 }));
    return fileId;
  }

  const ports = { table, clock, ids };
  return {
    fileId: await file(),
    tasks: {
      'files-and-tasks': await addEndedTask(apis, organization, 'files-and-tasks'),
      agents: await addEndedTask(apis, organization, 'agents'),
    },
    workflowId: (await putWorkflow(ports, organization, { name: 'w', steps: [{ name: 's', instruction: 'i' }] })).id,
    rulesetId: (await putRuleset(ports, organization, { name: 'r', text: 'rule' })).id,
  };
}
