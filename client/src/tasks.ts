/** Tasks of the Files & Tasks API and their webhook deliveries. */
import type {
  Deliveries,
  Delivery,
  EndedTask,
  NewTask,
  SucceededTask,
  Task,
  TaskInList,
  TaskInput,
  TaskPage,
  TaskReference,
  WebhookAttempt,
} from './contracts/files-and-tasks.ts';
import { taskFailed } from './errors.ts';
import { itemsOf } from './pages.ts';
import { bodiesOf, type Caller, type CallOptions } from './requests/caller.ts';
import { segmentOf } from './requests/checked.ts';
import { type WaitOptions, waitFor } from './wait.ts';

/** Without `delivery`, the result is only polled for; without `namespace`, the task is in the namespace `default`. */
export type TaskToCreate = Omit<NewTask, 'delivery' | 'namespace'> & Partial<Pick<NewTask, 'delivery' | 'namespace'>>;

export type Tasks = ReturnType<typeof tasksOver>;
export type TaskFilter = {
  namespace?: string;
  status?: Task['status'];
  /** `title` adds the beginning of its prompt to each task. */
  include?: 'title';
  pageSize?: number;
  signal?: AbortSignal;
};

const at = (taskId: string, below = ''): string => `/tasks/${segmentOf(taskId)}${below}`;
const POST = { method: 'POST' } as const;

const hasEnded = (task: Task): task is EndedTask => task.status === 'success' || task.status === 'failure';

/** `discardUrl`: the service's own endpoint, to which nothing is sent. */
export function tasksOver(call: Caller, discardUrl: string) {
  const ask = bodiesOf(call);
  const page = async ({ pageSize, signal, ...filter }: TaskFilter & { cursor?: string | undefined } = {}) =>
    ask<TaskPage>('/tasks', { signal, query: { ...filter, limit: pageSize } });
  return {
    create: async ({ namespace, delivery, ...task }: TaskToCreate, o?: CallOptions): Promise<TaskReference> => {
      const body: NewTask = {
        namespace: namespace ?? 'default',
        delivery: delivery ?? { type: 'webhook', config: { endpoint: discardUrl } },
        ...task,
      };
      return ask<TaskReference>('/tasks', { ...o, ...POST, body });
    },
    /** `include: 'waiting'` says what a task waits for while its model is busy or away. */
    get: async (taskId: string, { include, ...o }: CallOptions & { include?: 'waiting' } = {}): Promise<Task> =>
      ask<Task>(at(taskId), { ...o, ...(include ? { query: { include } } : {}) }),
    /** Resolves when the task has ended: check its `status`. */
    wait: async (taskId: string, o: WaitOptions<Task> = {}): Promise<EndedTask> =>
      (await waitFor((signal) => call<Task>(at(taskId), { signal }), { hasEnded }, o)) as EndedTask,
    /** Waits for the end and returns the output. Rejects with `TASK_FAILED` if the task did not succeed. */
    waitForOutput: async (taskId: string, o: WaitOptions<Task> = {}): Promise<SucceededTask['output']> => {
      const ended = (await waitFor((signal) => call<Task>(at(taskId), { signal }), { hasEnded }, o)) as EndedTask;
      if (ended.status === 'success') return ended.output;
      throw taskFailed(ended.error, { taskId, status: ended.status });
    },
    /** The input that the task was submitted with. */
    input: async (taskId: string, o?: CallOptions): Promise<TaskInput> => ask<TaskInput>(at(taskId, '/input'), o),
    cancel: async (taskId: string, o?: CallOptions): Promise<Task> =>
      ask<Task>(at(taskId, '/cancel'), { ...o, ...POST }),
    /** All matching tasks, newest first; requests the next page as you iterate. */
    list: (filter: TaskFilter = {}): AsyncGenerator<TaskInList, void> =>
      itemsOf(async (cursor) => {
        const { tasks, nextCursor } = await page({ ...filter, cursor });
        return { items: tasks, next: nextCursor };
      }),
    /** One page; pass the `nextCursor` of the previous one as `cursor`. */
    page,
    deliveries: async (taskId: string, o?: CallOptions): Promise<Delivery[]> =>
      (await ask<Deliveries>(at(taskId, '/deliveries'), o)).deliveries,
    redeliver: async (taskId: string, deliveryId: string, o?: CallOptions): Promise<Delivery> =>
      ask<Delivery>(at(taskId, `/deliveries/${segmentOf(deliveryId)}/redeliver`), { ...o, ...POST }),
    /** Sends a signed test event to an endpoint. */
    testWebhook: async (endpoint: string, o?: CallOptions): Promise<WebhookAttempt> =>
      ask<WebhookAttempt>('/webhooks/test', { ...o, ...POST, body: { endpoint } }),
  };
}
