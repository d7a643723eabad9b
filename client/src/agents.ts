/** The client of the background-agent API. */
import type {
  AccessToken,
  Cancellation,
  CancelWish,
  Deliveries,
  Delivery,
  Health,
  NotificationPreview,
  Sources,
  Submission,
  TaskEvents,
  TaskInList,
  TaskInput,
  TaskPage,
  TaskStatus,
  Usage,
  WebhookAttempt,
  WebsocketToken,
} from './contracts/agents.ts';
import { taskFailed } from './errors.ts';
import { itemsOf } from './pages.ts';
import { bodiesOf, type Caller, type CallOptions, type ClientOptions, caller } from './requests/caller.ts';
import { addressIn, headerIn, segmentOf } from './requests/checked.ts';
import { taskOrRunEnding } from './run-end.ts';
import { type Login, sessionOver } from './session.ts';
import type { CompletedResults, ResultsOf, SubmittedTask, TaskId, TaskType } from './task-id.ts';
import { type TaskNews, type WatchOptions, type WebSocketMaker, watcher } from './updates/watch.ts';
import { type WaitOptions, waitFor } from './wait.ts';

export type AgentsOptions = ClientOptions & {
  /** Scheme, host and port, such as https://agents.acme.org. */
  rootUrl: string;
  /** Scheme, host and port of the WebSocket; defaults to that of the root URL. */
  wsUrl?: string;
  /** User name and password, or an SSO token; used when a token is needed. */
  login?: Login;
  /** An access token, instead of a login. */
  accessToken?: string;
  /** An API key of the organization, instead of a login; meant for servers. */
  apiKey?: string;
  /** A WebSocket implementation for platforms without one, such as Node 20; without it `watch` polls. */
  WebSocket?: WebSocketMaker;
};

export type AgentTaskFilter = {
  status?: TaskStatus['status'] | TaskStatus['status'][];
  task_type?: Submission['task_type'];
  sort_by?: 'created_at' | 'completed_at' | 'priority';
  sort_order?: 'desc' | 'asc';
  /** `title` adds the beginning of its request to each task. */
  include?: 'title';
  pageSize?: number;
  signal?: AbortSignal;
};

/** One page: `cursor` is the `next_cursor` of the previous page; `offset` skips tasks instead. */
type AgentTaskPlace = AgentTaskFilter & { cursor?: string | undefined; offset?: number };

/** One page of the events of a task: those with a higher number than `after`. */
type AgentEventsPlace = { after?: number; limit?: number; signal?: AbortSignal };

export type Agents = ReturnType<typeof agents>;

const BASE = '/api/v1';
const POST = { method: 'POST' } as const;
const at = (taskId: string, below = ''): string => `${BASE}/tasks/${segmentOf(taskId)}${below}`;

export function agents({ rootUrl, wsUrl, login, accessToken, apiKey, WebSocket, ...o }: AgentsOptions) {
  const keyless = caller(rootUrl, undefined, o);
  const token = accessToken && headerIn('The accessToken', accessToken);
  const fixedToken = apiKey === undefined ? token : headerIn('The apiKey', apiKey);
  const session = sessionOver(keyless, { login, accessToken: fixedToken });
  const call = caller(rootUrl, session.credential, o);
  const ask = bodiesOf(call);
  const websocketToken = async (signal?: AbortSignal): Promise<string> => {
    const options = { ...POST, isKeyless: true, signal };
    return (await ask<WebsocketToken>(`${BASE}/websocket-auth`, options)).websocket_token;
  };
  const status = (taskId: string, signal?: AbortSignal) => call<TaskStatus>(at(taskId), { signal });
  const watch = watcher({
    wsUrl: addressIn('The wsUrl', (wsUrl ?? rootUrl).replace(/^http/, 'ws'), 'ws').base,
    WebSocket,
    websocketToken,
    status,
    newest: async (signal) => (await ask<TaskPage>(`${BASE}/tasks`, { signal, query: { limit: 100 } })).tasks,
  });
  return {
    /** Optional: calls log in themselves. Call it to check the credentials at once. */
    login: (credentials?: Login, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<AccessToken> =>
      session.login(credentials, signal),
    health: async (o?: CallOptions): Promise<Health> => (await keyless<Health>(`${BASE}/health`, o)).body,
    ...tasksOver(call, status),
    /**
     * Yields the events of these tasks until all have ended; without ids, of all tasks from now on, until the signal is
     * aborted. Resumes after a disconnect and polls while there is no WebSocket. Start and end of a task come once, and
     * its progress never decreases.
     */
    watch: (o?: WatchOptions): AsyncGenerator<TaskNews, void> => watch(o),
    websocketToken,
  };
}

function tasksOver(
  call: Caller,
  status: (taskId: string, signal?: AbortSignal) => ReturnType<typeof call<TaskStatus>>,
) {
  const ask = bodiesOf(call);
  const page = async ({ pageSize, signal, status: statuses, ...filter }: AgentTaskPlace = {}): Promise<TaskPage> => {
    const query = { ...filter, status: statuses && String(statuses), limit: pageSize };
    return ask<TaskPage>(`${BASE}/tasks`, { signal, query });
  };
  return {
    /** The id in the answer remembers the type of the task, so that its results are typed. */
    submit: async <T extends TaskType>(
      body: Submission & { task_type: T },
      o?: CallOptions,
    ): Promise<SubmittedTask<T>> => ask<SubmittedTask<T>>(`${BASE}/tasks`, { ...o, ...POST, body }),
    /** Composes the e-mail of a notification and sends it to nobody: `results.preview` shows it. */
    previewNotification: async (
      body: NotificationPreview,
      o?: CallOptions,
    ): Promise<SubmittedTask<'notification_agent'>> =>
      ask<SubmittedTask<'notification_agent'>>(`${BASE}/notifications/preview`, { ...o, ...POST, body }),
    status: async (taskId: string, o: CallOptions = {}): Promise<TaskStatus> => (await status(taskId, o.signal)).body,
    /** Resolves when the task has ended, or a recurring task's next run: check its `status`. */
    wait: (taskId: string, o: WaitOptions<TaskStatus> = {}): Promise<TaskStatus> =>
      waitFor((signal) => status(taskId, signal), taskOrRunEnding(), o),
    /** Waits for the end and returns the results. Rejects with `TASK_FAILED` if the task did not complete. */
    waitForResults: async <T extends TaskType = TaskType>(
      taskId: TaskId<T>,
      o: WaitOptions<TaskStatus> = {},
    ): Promise<CompletedResults<T>> => {
      const ended = await waitFor((signal) => status(taskId, signal), taskOrRunEnding(), o);
      if (ended.error) throw taskFailed(ended.error, { task_id: taskId, status: ended.status });
      return (await ask<ResultsOf<T>>(at(taskId, '/results'), { signal: o.signal })).results as CompletedResults<T>;
    },
    /** The input that the task was submitted with. */
    input: async (taskId: string, o?: CallOptions): Promise<TaskInput> => ask<TaskInput>(at(taskId, '/input'), o),
    /** One page of what a research did: pass its `next_after` as `after` for the next one, also while the task runs. */
    events: async (taskId: string, { signal, ...query }: AgentEventsPlace = {}): Promise<TaskEvents> =>
      ask<TaskEvents>(at(taskId, '/events'), { signal, query }),
    results: async <T extends TaskType = TaskType>(taskId: TaskId<T>, o?: CallOptions): Promise<ResultsOf<T>> =>
      ask<ResultsOf<T>>(at(taskId, '/results'), o),
    /** The text of a document that the results cite, by its number, as it was when the research read it. */
    sourceText: async (taskId: string, document: number, o?: CallOptions): Promise<string> =>
      ask<string>(at(taskId, `/results/sources/${document}`), o),
    cancel: async (taskId: string, options: CancelWish = {}, o?: CallOptions): Promise<Cancellation> =>
      ask<Cancellation>(at(taskId, '/cancel'), { ...o, ...POST, body: options }),
    /** All matching tasks; requests the next page as you iterate. */
    list: (filter: AgentTaskFilter = {}): AsyncGenerator<TaskInList, void> =>
      itemsOf(async (cursor) => {
        const { tasks, pagination } = await page({ ...filter, cursor });
        return { items: tasks, next: pagination?.next_cursor ?? null };
      }),
    /** One page of the matching tasks, with their total number. */
    page,
    deliveries: async (taskId: string, o?: CallOptions): Promise<Delivery[]> =>
      (await ask<Deliveries>(at(taskId, '/deliveries'), o)).deliveries,
    redeliver: async (taskId: string, deliveryId: string, o?: CallOptions): Promise<Delivery> =>
      ask<Delivery>(at(taskId, `/deliveries/${segmentOf(deliveryId)}/redeliver`), { ...o, ...POST }),
    /** Sends a signed test event to a URL. */
    testWebhook: async (webhook_url: string, o?: CallOptions): Promise<WebhookAttempt> =>
      ask<WebhookAttempt>(`${BASE}/webhooks/test`, { ...o, ...POST, body: { webhook_url } }),
    /** The sources that tasks may name. */
    sources: async (o?: CallOptions): Promise<Sources> => ask<Sources>(`${BASE}/sources`, o),
    usage: async (o?: CallOptions): Promise<Usage> => ask<Usage>(`${BASE}/usage`, o),
  };
}
