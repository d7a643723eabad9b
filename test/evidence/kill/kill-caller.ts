/** A caller that submits tasks over HTTP, and records the accepted ones and every final state that it sees. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Wish = { key: string; body: string };
type Shown = { taskId: string; status: string; completedAt?: string };

export const AT_ONCE = 16;
const PAGE = 100;
/** The pause before another try when the organization has too many unfinished tasks. */
const FULL_MS = 50;

export function killCaller(o: { baseUrl: () => string; apiKey: string }) {
  /** Task ids by idempotency key. */
  const promised = new Map<string, string>();
  /** The final states by task id. */
  const ends = new Map<string, string>();
  const broken: string[] = [];
  /** Submissions without an answer: the product may have accepted them. */
  const unsure = new Map<string, Wish>();
  /** The keys of requests that the product has not answered yet. */
  const inFlight = new Set<string>();
  const awaited: { count: number; resolve: () => void }[] = [];

  const call = (path: string, init: RequestInit = {}) =>
    fetch(o.baseUrl() + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${o.apiKey}` } });

  async function submit(request: Wish): Promise<void> {
    const { key, body } = request;
    unsure.set(key, request);
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    inFlight.add(key);
    const { status, text } = await call('/tasks', { method: 'POST', headers, body })
      .then(async (reply) => ({ status: reply.status, text: await reply.text() }))
      .finally(() => inFlight.delete(key));
    if (status === 503) {
      await sleep(FULL_MS);
      return submit(request);
    }
    if (status !== 201) throw new Error(`A submit was answered ${status}: ${text}`);
    promised.set(key, (JSON.parse(text) as { taskId: string }).taskId);
    unsure.delete(key);
    for (const { count, resolve } of awaited) if (promised.size >= count) resolve();
  }

  function note({ taskId, status, completedAt }: Shown): void {
    if (completedAt === undefined) {
      if (ends.has(taskId)) broken.push(`${taskId} had ended and is ${status}`);
      return;
    }
    const end = `${status} ${completedAt}`;
    const known = ends.get(taskId) ?? end;
    if (known !== end) broken.push(`${taskId} was ${known} and is ${end}`);
    ends.set(taskId, known);
  }

  async function page(cursor?: string): Promise<{ tasks: Shown[]; nextCursor: string | null }> {
    const reply = await call(`/tasks?limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    if (reply.status !== 200) throw new Error(`A page was answered ${reply.status}`);
    const body = (await reply.json()) as { tasks: Shown[]; nextCursor: string | null };
    body.tasks.forEach(note);
    return body;
  }

  return {
    promised,
    unsure,
    inFlight,
    broken,
    /** Resolves once this many tasks are accepted, those of earlier processes included. */
    accepted(count: number): Promise<void> {
      return new Promise((resolve) => {
        if (promised.size >= count) resolve();
        else awaited.push({ count, resolve });
      });
    },
    /** Submits the given tasks until all are accepted or the product is gone. Ends when no submission is in flight. */
    async bring(wishes: readonly Wish[]): Promise<void> {
      const left = [...wishes];
      const line = async () => {
        for (let request = left.shift(); request; request = left.shift()) await submit(request);
      };
      const lines = await Promise.allSettled(Array.from({ length: AT_ONCE }, line));
      for (const result of lines) if (result.status === 'rejected') throw result.reason;
    },
    /** Lists the newest tasks repeatedly until the product is gone. */
    async watch(): Promise<never> {
      for (;;) {
        await page();
        await sleep(5);
      }
    },
    async all(): Promise<Shown[]> {
      const tasks: Shown[] = [];
      let cursor: string | undefined;
      do {
        const found = await page(cursor);
        tasks.push(...found.tasks);
        cursor = found.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return tasks;
    },
    async get(taskId: string): Promise<Shown> {
      const shown = (await (await call(`/tasks/${taskId}`)).json()) as Shown;
      note(shown);
      return shown;
    },
  };
}
