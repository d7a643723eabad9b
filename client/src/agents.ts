/** The client of the API of background agents. */
import { bodiesOf, type Caller, type CallOptions, type ClientOptions, caller } from './caller.ts';
import { addressIn, headerIn, segmentOf } from './checked.ts';
import type {
  AcceptedTask,
  AccessToken,
  Cancellation,
  CancelWish,
  Deliveries,
  Delivery,
  Health,
  Sources,
  Submission,
  TaskInList,
  TaskInput,
  TaskPage,
  TaskResults,
  TaskStatus,
  Usage,
  WebhookAttempt,
  WebsocketToken,
} from './contracts/agents.ts';
import { itemsOf } from './pages.ts';
import { taskOrRunEnding } from './run-end.ts';
import { type Login, sessionOver } from './session.ts';
import { type WaitOptions, waitFor } from './wait.ts';
import { type TaskNews, type WatchOptions, type WebSocketMaker, watcher } from './watch.ts';

export type AgentsOptions = ClientOptions & {
  /** Scheme, host and port, such as https://agents.acme.org. */
  rootUrl: string;
  /** Scheme, host and port of the WebSocket; defaults to that of the root URL. */
  wsUrl?: string;
  /** Logged in with when a token is needed. */
  login?: Login;
  /** In place of a login. */
  accessToken?: string;
  /** In place of a login, for servers: one of the organization's API keys. */
  apiKey?: string;
  /** Where there is no WebSocket of the platform's own, as in Node 20; without one `watch` polls. */
  WebSocket?: WebSocketMaker;
};

export type AgentTaskFilter = {
  status?: TaskStatus['status'] | TaskStatus['status'][];
  task_type?: Submission['task_type'];
  sort_by?: 'created_at' | 'completed_at' | 'priority';
  sort_order?: 'desc' | 'asc';
  /** Adds a title to each task: the beginning of what it was asked. */
  include?: 'title';
  pageSize?: number;
  signal?: AbortSignal;
};

/** One page: from the `next_cursor` of the page before, or past so many. */
export type AgentTaskPlace = AgentTaskFilter & { cursor?: string | undefined; offset?: number };

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
    /** Calls log in by themselves; by hand it tells at once whether the login holds. */
    login: (credentials?: Login, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<AccessToken> =>
      session.login(credentials, signal),
    health: async (o?: CallOptions): Promise<Health> => (await keyless<Health>(`${BASE}/health`, o)).body,
    ...tasksOver(call, status),
    /**
     * What becomes of these tasks, until all have ended; without ids what happens to any task from now on, until the
     * signal ends it. It resumes where it was cut, and polls while there is no WebSocket. Each task's start, rising
     * progress and end come once.
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
  const page = async ({ pageSize, signal, status: wanted, ...filter }: AgentTaskPlace = {}): Promise<TaskPage> => {
    const query = { ...filter, status: wanted && [wanted].flat().join(','), limit: pageSize };
    return ask<TaskPage>(`${BASE}/tasks`, { signal, query });
  };
  return {
    submit: async (body: Submission, o?: CallOptions): Promise<AcceptedTask> =>
      ask<AcceptedTask>(`${BASE}/tasks`, { ...o, ...POST, body }),
    status: async (taskId: string, o: CallOptions = {}): Promise<TaskStatus> => (await status(taskId, o.signal)).body,
    /** Resolves when it has ended, well or not: look at its `status`. Of what recurs: when its next run has. */
    wait: (taskId: string, o: WaitOptions<TaskStatus> = {}): Promise<TaskStatus> =>
      waitFor((signal) => status(taskId, signal), taskOrRunEnding(), o),
    /** What it was submitted with. */
    input: async (taskId: string, o?: CallOptions): Promise<TaskInput> => ask<TaskInput>(at(taskId, '/input'), o),
    results: async (taskId: string, o?: CallOptions): Promise<TaskResults> =>
      ask<TaskResults>(at(taskId, '/results'), o),
    cancel: async (taskId: string, options: CancelWish = {}, o?: CallOptions): Promise<Cancellation> =>
      ask<Cancellation>(at(taskId, '/cancel'), { ...o, ...POST, body: options }),
    /** All that fit, page by page as you go on. */
    list: (filter: AgentTaskFilter = {}): AsyncGenerator<TaskInList, void> =>
      itemsOf(async (cursor) => {
        const { tasks, pagination } = await page({ ...filter, cursor });
        return { items: tasks, next: pagination?.next_cursor ?? null };
      }),
    /** One page of them, with the number of all. */
    page,
    deliveries: async (taskId: string, o?: CallOptions): Promise<Delivery[]> =>
      (await ask<Deliveries>(at(taskId, '/deliveries'), o)).deliveries,
    redeliver: async (taskId: string, deliveryId: string, o?: CallOptions): Promise<Delivery> =>
      ask<Delivery>(at(taskId, `/deliveries/${segmentOf(deliveryId)}/redeliver`), { ...o, ...POST }),
    /** Sends the event of a made-up task to an address, signed like a real one. */
    testWebhook: async (webhook_url: string, o?: CallOptions): Promise<WebhookAttempt> =>
      ask<WebhookAttempt>(`${BASE}/webhooks/test`, { ...o, ...POST, body: { webhook_url } }),
    /** The names that a task may give as its sources. */
    sources: async (o?: CallOptions): Promise<Sources> => ask<Sources>(`${BASE}/sources`, o),
    usage: async (o?: CallOptions): Promise<Usage> => ask<Usage>(`${BASE}/usage`, o),
  };
}
