/** Runs a task of an agent through the API to each kind of end: the results of its finished stages must exist. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { Every } from '../../shared/ports.ts';
import type { Agent } from '../../shared/tasks/agent.ts';
import { runTask } from '../../shared/tasks/run-task.ts';
import { moveTask } from '../../shared/tasks/transition.ts';
import { addressOf, openApi } from '../functions/agents/setup.ts';
import type { Any } from '../support/any.ts';

const HOUR_MS = 3_600_000;
const KEPT_AFTER_MS = 10_000;

type Api = ReturnType<typeof openApi>;
/** A worker that waits at a gate until the test opens it. */
type AtGate = {
  work(id: string, stopSignal?: AbortSignal): Promise<unknown>;
  reached: Promise<void>;
  open(): void;
  /** The stages that have finished before the gate. */
  behind?: string[];
};

/** A gate that blocks its callers until the test opens it. */
export function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    pass() {
      reached.resolve();
      return opened.promise;
    },
  };
}

export function endings() {
  const its = {} as { api: Api; who: { organization: string } };
  /** The periodic work of the worker, run by the test. */
  const ticks = new Set<() => void>();
  const every: Every = (_ms, run) => {
    ticks.add(run);
    return () => ticks.delete(run);
  };
  beforeEach(() => {
    ticks.clear();
    its.api = openApi();
    its.who = { organization: its.api.found() };
  });
  afterEach(() => its.api.close());

  const taskBody = async (id: string, below = ''): Promise<Any> =>
    (await its.api.call(its.who, 'GET', `/tasks/${id}${below}`)).body;
  const results = (id: string) => taskBody(id, '/results');

  /** Also long enough after the earlier stages that their results are stored. */
  async function isAtGate(id: string, { reached, behind = [] }: AtGate): Promise<void> {
    await reached;
    its.api.clock.pass(KEPT_AFTER_MS);
    for (const tick of ticks) tick();
    await vi.waitFor(async () => expect((await taskBody(id)).progress.stages_completed).toEqual(behind));
  }

  const outOfTime = async (id: string) => {
    its.api.clock.pass(2 * HOUR_MS);
    await moveTask(its.api, addressOf(its.who, id), { type: 'tick' });
  };

  return {
    its,
    outOfTime,

    /** Work continues until its partial results are stored. */
    keptInTheMeantime: (isKept: () => Promise<void>) =>
      vi.waitFor(async () => {
        its.api.clock.pass(KEPT_AFTER_MS);
        for (const tick of ticks) tick();
        await isKept();
      }),
    shown: taskBody,
    results,
    submitted: (json: object) => its.api.submitted(its.who, json),
    worker:
      (agents: (api: Api) => Record<string, Agent>) =>
      (id: string, stopSignal = new AbortController().signal) => {
        const ports = { ...its.api, every, agents: agents(its.api) };
        return runTask(ports, addressOf(its.who, id), stopSignal);
      },

    /** The results, and the status before. */
    async cancelledAtGate(id: string, at: AtGate): Promise<{ before: Any; after: Any }> {
      const running = at.work(id);
      await isAtGate(id, at);
      const before = await taskBody(id);
      const cancelled = await its.api.call(its.who, 'POST', `/tasks/${id}/cancel`, { json: { force: true } });
      expect(cancelled.body).toMatchObject({ status: 'cancelled', results_available: true });
      at.open();
      await running;
      const after = await results(id);
      expect(after).toMatchObject({ status: 'cancelled', partial: true, error: { code: 'TASK_CANCELLED' } });
      return { before, after };
    },

    async outOfTimeAtGate(id: string, at: AtGate): Promise<Any> {
      const running = at.work(id);
      await isAtGate(id, at);
      await outOfTime(id);
      at.open();
      await running;
      const after = await results(id);
      expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'TASK_TIMEOUT' } });
      return after;
    },

    /** A worker that loses the task at the gate to another worker. */
    async handedOnAtGate(id: string, { work, reached, open }: AtGate): Promise<Any> {
      const stopController = new AbortController();
      const first = work(id, stopController.signal);
      await reached;
      stopController.abort();
      await first;
      open();
      await work(id);
      const after = await results(id);
      expect(after.status).toBe('completed');
      expect(JSON.stringify(after)).not.toContain('bytesAt');
      return after;
    },
  };
}
