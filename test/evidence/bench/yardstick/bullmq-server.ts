/** The reference system, of well-known parts: Fastify, BullMQ and its worker in one process, and Redis. */
import { randomUUID } from 'node:crypto';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type Delivery, post } from './post.ts';
import { answerTo, serveTasks } from './serve.ts';
import { type Found, type Task, viewOf } from './task.ts';

const NAMES = { tasks: 'tasks', webhooks: 'webhooks', keys: 'keys' };
/** 16 to 200 are equally fast within the noise; below 16 is slower. */
const CONCURRENCY = 50;

const [redisPort = 0, organizations = 0] = process.argv.slice(2).map(Number);
/**
 * BullMQ requires `maxRetriesPerRequest: null`: its worker waits for Redis without a limit. ioredis's automatic
 * pipelining is off, because it made the reference a fifth slower.
 */
const connection = new Redis({ host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null });

/** All jobs are kept, because tasks are read afterwards. */
const queue = new Queue<Task, string>(NAMES.tasks, { connection, defaultJobOptions: { attempts: 3 } });
const work = async ({ data }: { data: Task }): Promise<string> => answerTo(data);
const tasks = new Worker<Task, string>(NAMES.tasks, work, { connection, concurrency: CONCURRENCY });

/** Sends results as the product does: a separate job with retries, signed, over a keep-alive connection. */
const retried = { attempts: 8, backoff: { type: 'exponential', delay: 5_000, jitter: 0.2 } };
const webhooks = new Queue<Delivery>(NAMES.webhooks, { connection, defaultJobOptions: retried });
new Worker<Delivery>(NAMES.webhooks, ({ data }) => post(data), { connection, concurrency: CONCURRENCY });
tasks.on('completed', (job) => {
  const body = JSON.stringify(viewOf(foundIn(job)));
  void webhooks.add('send', { id: `evt_${job.id}`, endpoint: job.data.endpoint, body });
});

const foundIn = (job: Job<Task, string>): Found => ({
  id: String(job.id),
  task: job.data,
  createdAt: job.timestamp,
  startedAt: job.processedOn,
  endedAt: job.finishedOn,
  text: job.returnvalue,
  failure: job.failedReason || undefined,
});

await serveTasks(
  {
    keepKeys: async (stored) => void (await connection.hset(NAMES.keys, stored)),
    ownerOf: (hashed) => connection.hget(NAMES.keys, hashed),
    add: async (task) => String((await queue.add('chat', task, { jobId: randomUUID() })).id),
    find: async (id) => {
      const job = await queue.getJob(id);
      return job && foundIn(job);
    },
  },
  organizations,
);
