/** Calls the rehearsed product, and returns the request id of each call in the recording. */
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { Clock, Ids, Table } from '../../../shared/ports.ts';
import { namespaceMark, type TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { RECEIVER } from '../rehearsal/internet/places.ts';
import type { Recording } from '../rehearsal/recorder/recording.ts';
import type { Rehearsal } from '../rehearsal/rehearsal.ts';
import { agentsPlayer } from './agents-player.ts';
import { lastEvents } from './last-event.ts';

export type Heard = { request: string; body: Record<string, string> };
export type Player = ReturnType<typeof player>;

type Options = {
  recording: Recording;
  baseUrl: string;
  /** Calls the agent API with a member's token. */
  agents: { url: string; token: string; socket: string };
  hold: Rehearsal['hold'];
  apiKey: string;
  organization: string;
  table: Table;
  clock: Clock;
  ids: Ids;
};

const TEXT = 'Payment is due on 3 March 2027.\n';
const ENDPOINT = `https://${RECEIVER}/results`;
const NAMESPACE = 'costs';
/** Too long for the row of the task. */
const LONG_PROMPT = 'Why? '.repeat(2_000);

export function player({ recording, baseUrl, agents, apiKey, organization, hold, ...ports }: Options) {
  const around = { recording, organization, clock: ports.clock };
  const call = (path: string, json?: object) => ask(baseUrl + path, { 'x-api-key': apiKey }, json);
  const callAgents = (path: string, json?: object) =>
    ask(agents.url + path, { authorization: `Bearer ${agents.token}` }, json);

  async function ask(url: string, credential: Record<string, string>, json?: object): Promise<Heard> {
    const [method, body] = json ? ['POST', { body: JSON.stringify(json) }] : ['GET', {}];
    const headers = { ...credential, 'content-type': 'application/json' };
    const reply = await fetch(url, { method, headers, ...body });
    if (!reply.ok) throw new Error(`${method} ${url} was answered with ${reply.status}: ${await reply.text()}`);
    return { request: reply.headers.get('apigw-requestid') ?? '', body: (await reply.json()) as Heard['body'] };
  }

  const offer = () => call('/files', { fileName: 'invoice.txt' });

  async function put(uploadUrl = ''): Promise<string> {
    const { ok } = await fetch(uploadUrl, { method: 'PUT', body: TEXT });
    if (!ok) throw new Error('An upload failed.');
    return new URL(uploadUrl).searchParams.get('X-Amz-Signature') ?? '';
  }

  async function completed(): Promise<{ request: string; fileId: string }> {
    const { uploadUrl, fileId = '', storagePath } = (await offer()).body;
    await put(uploadUrl);
    const json = { fileName: 'invoice.txt', mimeType: 'text/plain', size: TEXT.length, storagePath };
    return { request: (await call(`/files/${fileId}/complete`, json)).request, fileId };
  }

  async function submitted(o: { long?: boolean; fileIds?: string[]; model?: string } = {}): Promise<Heard> {
    const prompt = o.long ? LONG_PROMPT : 'When is the invoice due?';
    return call('/tasks', {
      namespace: NAMESPACE,
      delivery: { type: 'webhook', config: { endpoint: ENDPOINT } },
      input: { type: 'chat', prompt, ...definedFields({ fileIds: o.fileIds, model: o.model }) },
    });
  }

  /** The invocation in which a worker ended the task. */
  const ended = lastEvents(around, 'run-task', (row, { pk, sk }) => row === `${pk} ${sk}`);

  const delivered = lastEvents(around, 'send-webhook', (row, { pk, sk }) => row === `${pk} ${sk}`);

  /** The invocation that repeated its webhook. */
  async function redelivered(taskId = ''): Promise<string> {
    await call(`/tasks/${taskId}/deliveries/evt_${taskId}_succeeded/redeliver`, {});
    return delivered(taskId);
  }

  /** A task without a message to a worker. */
  async function waiting(): Promise<string> {
    const address: TaskAddress = { organization, taskId: ports.ids.uuid() };
    const about = { namespace: NAMESPACE, endpoint: ENDPOINT, input: {} };
    const given = { face: 'files-and-tasks', type: namespaceMark(NAMESPACE), priority: 5, about } as const;
    await submitTask({ ...ports, hints: async () => undefined }, address, given);
    return address.taskId;
  }

  const asked = agentsPlayer({ ask: callAgents, organization, ports, endpoint: ENDPOINT, socket: agents.socket, hold });
  return { call, offer, put, completed, submitted, ended, redelivered, waiting, agents: asked };
}
