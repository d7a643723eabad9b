/** The HTTP server of both reference systems: Fastify checks the key and the fields. Prints its port when it listens. */
import { fastify } from 'fastify';
import { keyOwner, makeKeys } from './keys.ts';
import { SECRET } from './post.ts';
import { type Found, NEW_TASK, type NewTask, TASK, type Task, viewOf } from './task.ts';

export type Store = {
  keepKeys(stored: Record<string, string>): Promise<void>;
  ownerOf(hashed: string): Promise<string | null | undefined>;
  /** Returns the task's id. */
  add(task: Task): Promise<string>;
  find(id: string): Promise<Found | undefined>;
};

/** A model that takes no time. */
export const answerTo = ({ prompt }: Task): string => `There are no files to read about: ${prompt}`;

export async function serveTasks(store: Store, organizations: number): Promise<void> {
  const ownerOf = keyOwner(store.ownerOf);
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
    return reply.code(201).send({ taskId: await store.add(task) });
  });

  server.get<{ Params: { id: string } }>(
    '/tasks/:id',
    { schema: { response: { 200: TASK } } },
    async (request, reply) => {
      const found = await store.find(request.params.id);
      if (found?.task.organization !== request.getDecorator<string>('organization')) {
        return reply.code(404).send({ error: 'Task not found' });
      }
      return viewOf(found);
    },
  );

  const { keys, stored } = makeKeys(organizations);
  await store.keepKeys(stored);
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  console.log(JSON.stringify({ port: Number(new URL(address).port), keys, secret: SECRET }));
}
