/** The actions of a load's callers, each repeated at its own rate. */
import type { AgentContract, Agents, FilesAndTasks, FilesContract } from '../../../client/src/index.ts';
import type { Kept, Ledger, Receiving } from './ledger.ts';

export type Person = {
  organization: number;
  files: FilesAndTasks;
  agents: Agents;
  ledger: Ledger;
  endpointOf: (receiving: Receiving) => string;
  /** The origin of files and documents. */
  source: string;
  /** Aborted when the load ends. */
  signal: AbortSignal;
};
/** `aMinute`: how often for each organization. */
export type Deed = { name: string; aMinute: number; run: (person: Person, turn: number) => Promise<void> };

const QUESTION = 'When is the invoice due, and who pays for repairs?';
const DOCUMENTS = ['lease-contract.docx', 'invoice.pdf', 'budget-2026.xlsx'] as const;
const FORMATS = ['html', 'markdown', 'json', 'pdf'] as const;
const UPLOADED_BYTES = 20_000;

const pick = <T>(from: readonly T[], turn: number): T => from[turn % from.length] as T;

type Input = FilesContract.NewTask['input'];

async function submit(person: Person, input: Partial<Input>, receiving: Receiving = 'steady'): Promise<string> {
  const { organization, files, ledger, endpointOf } = person;
  const { taskId } = await files.tasks.create({
    namespace: 'soak',
    delivery: { type: 'webhook', config: { endpoint: endpointOf(receiving) } },
    input: { type: 'chat', prompt: QUESTION, ...input },
  });
  ledger.accepted({ organization, face: 'files', taskId, receiving });
  return taskId;
}

/** Polls until the task has ended; fails if it does not. */
export async function endOf({ files, agents, ledger }: Person, { face, taskId }: Kept): Promise<string> {
  if (face === 'agents') {
    const { status, completed_at: at } = await agents.wait(taskId);
    ledger.seen(taskId, `${status} ${at}`);
    return status;
  }
  const { status, completedAt } = await files.tasks.wait(taskId);
  ledger.seen(taskId, `${status} ${completedAt}`);
  return status;
}

const waitForEnd = (person: Person, taskId: string, face: Kept['face']): Promise<string> =>
  endOf(person, { organization: person.organization, face, taskId, receiving: 'steady' });

async function succeeds(person: Person, taskId: string): Promise<void> {
  const status = await waitForEnd(person, taskId, 'files');
  if (status !== 'success') person.ledger.broken.push(`${taskId} ended as ${status}`);
}

type Wanted = Pick<AgentContract.Submission, 'task_type'> & { input: object };

async function ask(person: Person, wanted: Wanted, receiving: Receiving = 'steady'): Promise<string> {
  const body = { ...wanted, webhook_url: person.endpointOf(receiving) } as AgentContract.Submission;
  const { task_id: taskId } = await person.agents.submit(body);
  person.ledger.accepted({ organization: person.organization, face: 'agents', taskId, receiving });
  return taskId;
}

const research = (turn: number): Wanted => ({
  task_type: 'research_agent',
  input: { query: 'How did port fees in the Baltic change?', output_format: pick(FORMATS, turn) },
});

async function completes(person: Person, wanted: Wanted): Promise<void> {
  const taskId = await ask(person, wanted);
  const status = await waitForEnd(person, taskId, 'agents');
  if (status !== 'completed') person.ledger.broken.push(`${taskId} ended as ${status}`);
  await person.agents.results(taskId);
}

/** Uploads a new text each time, asks about it and deletes it. */
async function uploaded(person: Person, turn: number): Promise<void> {
  const text = `The invoice ${turn} is due on 30 June 2031. `.repeat(UPLOADED_BYTES / 40);
  const { fileId } = await person.files.files.upload(new Blob([text]), { fileName: `invoice-${turn}.txt` });
  await succeeds(person, await submit(person, { fileIds: [fileId] }));
  await person.files.files.delete(fileId);
}

async function imported(person: Person, turn: number): Promise<void> {
  const { fileId } = await person.files.files.fromUrl(`${person.source}/${pick(DOCUMENTS, turn)}`);
  await succeeds(person, await submit(person, { fileIds: [fileId] }));
}

/** Watches a task over the WebSocket from start to end. */
async function watched(person: Person, turn: number): Promise<void> {
  const taskId = await ask(person, research(turn));
  const types: string[] = [];
  for await (const { type } of person.agents.watch({ taskIds: [taskId], signal: person.signal })) types.push(type);
  if (types[0] !== 'task_started' || types.at(-1) !== 'task_completed') {
    person.ledger.broken.push(`${taskId} was watched as ${types.join(', ')}`);
  }
}

async function cancelled(person: Person, turn: number): Promise<void> {
  if (turn % 2 === 0) {
    const taskId = await submit(person, {});
    await person.files.tasks.cancel(taskId).catch(tooLate);
    return void (await waitForEnd(person, taskId, 'files'));
  }
  const taskId = await ask(person, research(turn));
  await person.agents.cancel(taskId, { force: turn % 4 === 1, reason: 'changed my mind' }).catch(tooLate);
  await waitForEnd(person, taskId, 'agents');
}

/** It had ended before. */
function tooLate(error: { status?: number }): void {
  if (error.status !== 409) throw error;
}

async function first<T>(items: AsyncGenerator<T, void>, most: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) >= most) break;
  return found;
}

async function paged({ files, agents }: Person): Promise<void> {
  const [task] = await first(files.tasks.list({ pageSize: 50 }), 100);
  if (task) await files.tasks.deliveries(task.taskId);
  await first(files.files.list({ pageSize: 50 }), 50);
  await first(agents.list({ pageSize: 50, sort_by: 'priority' }), 100);
  await agents.usage();
}

const notified = (turn: number): Wanted => ({
  task_type: 'notification_agent',
  input: {
    content: {
      recipients: [`reader-${turn % 50}@errand-tests.org`],
      subject: 'Port fees',
      data_sources: ['market_data'],
      include_charts: turn % 4 === 0,
    },
  },
});

export const DEEDS: readonly Deed[] = [
  { name: 'asked and polled', aMinute: 45, run: async (person) => succeeds(person, await submit(person, {})) },
  { name: 'asked, told by webhook', aMinute: 45, run: async (person) => void (await submit(person, {})) },
  {
    name: 'a receiver that fails first',
    aMinute: 12,
    run: async (person) => void (await submit(person, {}, 'stubborn')),
  },
  {
    name: 'a receiver that is not there',
    aMinute: 1,
    run: async (person) => void (await submit(person, {}, 'absent')),
  },
  { name: 'uploaded', aMinute: 10, run: uploaded },
  { name: 'imported', aMinute: 10, run: imported },
  { name: 'research', aMinute: 6, run: (person, turn) => completes(person, research(turn)) },
  {
    name: 'processing',
    aMinute: 6,
    run: (person, turn) =>
      completes(person, {
        task_type: 'processing_agent',
        input: { documents: [{ url: `${person.source}/${pick(DOCUMENTS, turn)}` }], extraction_rules: ['dates'] },
      }),
  },
  { name: 'notification', aMinute: 6, run: (person, turn) => completes(person, notified(turn)) },
  { name: 'watched', aMinute: 4, run: watched },
  { name: 'cancelled', aMinute: 8, run: cancelled },
  { name: 'pages', aMinute: 20, run: paged },
];
