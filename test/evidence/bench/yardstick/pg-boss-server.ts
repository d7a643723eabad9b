/** The second reference system: Fastify, pg-boss and its workers in one process, and PostgreSQL. */
import { type Job, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';
import { type Delivery, post } from './post.ts';
import { answerTo, serveTasks } from './serve.ts';
import { type Found, type Task, viewOf } from './task.ts';

const NAMES = { tasks: 'tasks', webhooks: 'webhooks' };
/** Batch size times workers equals the concurrency of the other reference. */
const WORKERS = { batchSize: 25, localConcurrency: 2, burstWhenBatchFull: true } as const;

const [port = 0, organizations = 0] = process.argv.slice(2).map(Number);
const database = { host: '127.0.0.1', port, user: 'errand', database: 'postgres' };
/** Uses LISTEN/NOTIFY, because pg-boss polls at most twice per second. */
const boss = new PgBoss({ ...database, useListenNotify: true });
boss.on('error', (error) => console.error(error));
await boss.start();
const db = boss.getDb();
await boss.createQueue(NAMES.tasks, { notify: true, retryLimit: 3 });
/** Sends results as the product does: a separate job with retries, signed, over a keep-alive connection. */
await boss.createQueue(NAMES.webhooks, { notify: true, retryLimit: 8, retryDelay: 5, retryBackoff: true });

const workedOn = async (jobs: JobWithMetadata<Task>[]): Promise<JobResult[]> => {
  const endedAt = Date.now();
  const results = jobs.map(({ id, data }) => ({ id, status: 'completed' as const, output: { text: answerTo(data) } }));
  const deliveries = jobs.map(({ id, data, createdOn }, at): { data: Delivery } => {
    const found = { id, task: data, createdAt: createdOn.getTime(), endedAt, text: results[at]?.output.text };
    return { data: { id: `evt_${id}`, endpoint: data.endpoint, body: JSON.stringify(viewOf(found)) } };
  });
  await boss.insert(NAMES.webhooks, deliveries);
  return results;
};
await boss.work(NAMES.tasks, { ...WORKERS, includeMetadata: true, perJobResults: true }, workedOn);

const sent = ({ id, data }: Job<Delivery>): Promise<JobResult> =>
  post(data).then(
    () => ({ id, status: 'completed' }),
    (error) => ({ id, status: 'failed', output: { message: String(error) } }),
  );
const sending = (jobs: Job<Delivery>[]) => Promise.all(jobs.map(sent));
await boss.work(NAMES.webhooks, { ...WORKERS, perJobResults: true }, sending);

const instant = (date: Date | null): number | undefined => date?.getTime();

async function find(id: string): Promise<Found | undefined> {
  const [job] = await boss.findJobs<Task>(NAMES.tasks, { id });
  if (!job) return undefined;
  const { data: task, createdOn, startedOn, completedOn, state, output } = job;
  const result = output as { text?: string } | null;
  const ended = state === 'failed' ? { failure: 'It failed.' } : { text: result?.text };
  return {
    id,
    task,
    createdAt: createdOn.getTime(),
    startedAt: instant(startedOn),
    endedAt: instant(completedOn),
    ...ended,
  };
}

await serveTasks(
  {
    async keepKeys(stored) {
      await db.executeSql('CREATE TABLE keys (hashed text PRIMARY KEY, organization text NOT NULL)');
      for (const pair of Object.entries(stored)) await db.executeSql('INSERT INTO keys VALUES ($1, $2)', pair);
    },
    async ownerOf(hashed) {
      const { rows } = await db.executeSql('SELECT organization FROM keys WHERE hashed = $1', [hashed]);
      return rows[0]?.organization;
    },
    async add(task) {
      const id = await boss.send(NAMES.tasks, task);
      if (id === null) throw new Error('The job was not taken.');
      return id;
    },
    find,
  },
  organizations,
);
