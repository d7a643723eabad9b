/** The yardstick: what a good team builds of well-known parts. Fastify, BullMQ and its worker in one process, Redis beside it. */
import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import { keyOwner, makeKeys } from './keys.ts';
import { type Delivery, post } from './post.ts';
import { NEW_TASK, type NewTask, shownTask, TASK, type Task } from './task.ts';

const NAMES = { tasks: 'tasks', webhooks: 'webhooks' };
/** From 16 to 200 it is as fast within the noise, below 16 slower. */
const CONCURRENCY = 50;

const [redisPort = 0, organizations = 0] = process.argv.slice(2).map(Number);
/**
 * Without a number of retries, as BullMQ asks: a worker waits for its Redis as long as it takes. Its automatic
 * pipelining is left off: with it the yardstick was a fifth slower.
 */
const connection = new Redis({ host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null });

/** All jobs are kept, because tasks are read afterwards; the model takes no time. */
const queue = new Queue<Task, string>(NAMES.tasks, { connection, defaultJobOptions: { attempts: 3 } });
const model = async ({ data }: { data: Task }): Promise<string> => `There are no files to read about: ${data.prompt}`;
const tasks = new Worker<Task, string>(NAMES.tasks, model, { connection, concurrency: CONCURRENCY });

/** The result goes out as ours does: a job of its own that is tried again, signed, over a kept connection. */
const retried = { attempts: 8, backoff: { type: 'exponential', delay: 5_000, jitter: 0.2 } };
const webhooks = new Queue<Delivery>(NAMES.webhooks, { connection, defaultJobOptions: retried });
new Worker<Delivery>(NAMES.webhooks, ({ data }) => post(data), { connection, concurrency: CONCURRENCY });
tasks.on('completed', (job) => {
  const body = JSON.stringify(shownTask(job));
  void webhooks.add('send', { id: `evt_${job.id}`, endpoint: job.data.endpoint, body });
});

const ownerOf = keyOwner(connection);

const server = fastify();
server.decorateRequest('organization', '');
server.addHook('onRequest', async (request, reply) => {
  const key = request.headers['x-api-key'];
  const organization = typeof key === 'string' ? await ownerOf(key) : undefined;
  if (organization === undefined) return reply.code(401).send({ error: 'Missing or invalid API key' });
  request.setDecorator('organization', organization);
  return undefined;
});

server.post<{ Body: NewTask }>('/tasks', { schema: { body: NEW_TASK } }, async (request, reply) => {
  const { namespace, delivery, input } = request.body;
  const organization = request.getDecorator<string>('organization');
  const task = { organization, namespace, endpoint: delivery.config.endpoint, prompt: input.prompt };
  const { id } = await queue.add('chat', task, { jobId: randomUUID() });
  return reply.code(201).send({ taskId: id });
});

server.get<{ Params: { id: string } }>(
  '/tasks/:id',
  { schema: { response: { 200: TASK } } },
  async (request, reply) => {
    const job = await queue.getJob(request.params.id);
    if (job?.data.organization !== request.getDecorator<string>('organization')) {
      return reply.code(404).send({ error: 'Task not found' });
    }
    return shownTask(job);
  },
);

const keys = await makeKeys(connection, organizations);
const address = await server.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ port: Number(new URL(address).port), keys }));
