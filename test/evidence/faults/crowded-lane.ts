/**
 * Simulates in virtual time a lane that one organization fills while another submits instant tasks: with the deployed number
 * of instances and batch size, and a queue that delivers strictly in the order of arrival.
 */
import { settingsOf } from '../../../infra/settings.ts';
import {
  DEFAULT_LANE,
  DEFAULT_PRIORITY,
  instancesOf,
  type Lane,
  organizationSlots,
} from '../../../shared/core/lane.ts';
import type { Queue } from '../../../shared/ports.ts';
import type { Work } from '../../../shared/tasks/agent.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { isOpen, type Task } from '../../../shared/tasks/task.ts';
import { interceptedTable } from '../../shared/tasks/intercepted-table.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type Instance, lambdaLane } from './lambda-lane.ts';
import { type Life, lives as livesOver } from './life.ts';
import { memoryStore, memoryTable } from './memory-table.ts';
import { deedOf, taskOfCall } from './points.ts';
import type { Product } from './product.ts';
import { AT_A_POINT } from './setting.ts';
import { virtualTime } from './virtual-time.ts';
import { must } from './watch-task.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const STARTS_AT = Date.parse('2026-06-01T12:00:00Z');
const MAX_STEPS = 20_000_000;
const CROWD = 'crowd';
const QUIET = 'quiet';
type Organization = typeof CROWD | typeof QUIET;
const CROWD_TASKS = 1_000;
const CROWD_TASK_MS = 10 * MINUTE;
/** Share of the crowd's tasks during which the instance crashes. */
const CRASHES = 0.03;
const QUIET_EVERY_MS = [SECOND, 10 * SECOND] as const;
const QUIET_STARTS_WITHIN_MS = 5 * SECOND;
const NO_LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export type Crowding = {
  lane?: Lane;
  seed: number;
  /** Virtual time; by default until all of the crowd's tasks have ended. */
  minutes?: number;
};

export type CrowdingResult = {
  /** Tasks of the quiet organization, and the longest wait of one of them until its start. */
  quietTasks: number;
  slowestStartMs: number;
  /** Maximum and median of the slots that the crowd held, out of `slots`. */
  maxHeldSlots: number;
  medianHeldSlots: number;
  slots: number;
  crowdEnded: number;
  crashes: number;
  minutes: number;
};

export async function crowdLane(product: Product, crowding: Crowding): Promise<CrowdingResult> {
  const { lane = DEFAULT_LANE, seed, minutes = Number.POSITIVE_INFINITY } = crowding;
  const priority = { high: 10, normal: DEFAULT_PRIORITY, low: 1 }[lane];
  const { workers, sizes } = settingsOf('production');
  const instances = instancesOf(lane, workers.atOnce);
  const slots = instances * workers.batchSize;
  const random = seededRandom(seed);
  const time = virtualTime({ startsAt: STARTS_AT, maxSteps: MAX_STEPS });
  const rates = { ...AT_A_POINT, throttled: 0, lostReply: 0, frozen: 0 };
  const lives = livesOver({ points: [], tasks: CROWD_TASKS, seed, rates }, { time, random });
  let marks = 0;
  const mark = () => `m${(marks++).toString(36)}`;
  const store = memoryStore({ ids: { mark }, now: time.now, lagMs: () => lives.between([0, 2 * SECOND]) });

  const submittedAt = new Map<string, number>();
  const startedAt = new Map<string, number>();
  const heldBy = new Map<Instance, number>();
  const samples: number[] = [];
  let crashes = 0;
  let maxHeldSlots = 0;
  let broken: Error | undefined;

  const tableOf = (life: Life) =>
    interceptedTable(memoryTable({ store, clock: time }), (call, go) =>
      life.pass({ deed: deedOf(life.role, call), task: taskOfCall(call) }, go),
    );

  const arrivals = lambdaLane({
    time,
    lives,
    instances,
    batchSize: workers.batchSize,
    visibleMs: 6 * sizes.runTask.timeoutSeconds * SECOND,
    start: startInstance,
  });

  /** The lane's queue as one process sees it. */
  const queueOf = (life: Life): Queue => ({
    send: (messages) =>
      life.pass({ deed: 'hint', task: undefined }, async () => {
        for (const { body, delaySeconds = 0 } of messages) arrivals.send(body, delaySeconds * SECOND);
      }),
    receive: rejectCall,
    done: rejectCall,
    release: rejectCall,
  });

  function portsOf(life: Life) {
    const queue = queueOf(life);
    const lanes = { high: queue, normal: queue, low: queue };
    const hints = product.hintsOver({ lanes, webhooks: queue, log: NO_LOG });
    // Clocks of AWS hosts agree to within milliseconds, so there is no skew here.
    return { table: tableOf(life), clock: { now: time.now }, hints, log: NO_LOG };
  }

  /** An execution environment of the worker's function. It processes one batch at a time. */
  function startInstance(): Instance {
    const life = lives.live('worker');
    const ports = { ...portsOf(life), every: life.every };
    const seats = product.laneSeats(ports, { lane, instances, holder: life.name });
    const agents = {
      made: { stages: () => [{ name: 'working', run: (work: Work) => runTask(instance, life, work) }] },
    };
    const working = { ...ports, agents, seats, queue: queueOf(life), storeReading: rejectCall };
    const instance: Instance = {
      life,
      async runBatch(bodies) {
        const stopController = new AbortController();
        const leavesAt = time.now() + (sizes.runTask.timeoutSeconds - 30) * SECOND;
        time.at(leavesAt, () => stopController.abort());
        return product.runBatch(working, bodies, stopController.signal);
      },
    };
    life.onEnd(() => heldBy.delete(instance));
    return instance;
  }

  async function runTask(instance: Instance, life: Life, { address, signal }: Work): Promise<{ text: string }> {
    if (!startedAt.has(address.taskId)) startedAt.set(address.taskId, time.now());
    if (address.organization === QUIET) return { text: '' };
    hold(instance, 1);
    signal.addEventListener('abort', () => hold(instance, -1), { once: true });
    if (lives.chance(CRASHES)) time.at(time.now() + lives.between([0, CROWD_TASK_MS]), () => crash(life));
    await time.sleep(CROWD_TASK_MS);
    if (life.isDead()) return new Promise(() => undefined);
    if (!signal.aborted) hold(instance, -1);
    return { text: '' };
  }

  function crash(life: Life): void {
    if (life.isDead()) return;
    crashes++;
    life.die();
  }

  /** An instance with all of its slots counts as occupied while one of the crowd's tasks runs on it. */
  function hold(instance: Instance, change: 1 | -1): void {
    if (instance.life.isDead()) return;
    const tasks = (heldBy.get(instance) ?? 0) + change;
    if (tasks > 0) heldBy.set(instance, tasks);
    else heldBy.delete(instance);
    maxHeldSlots = Math.max(maxHeldSlots, heldBy.size * workers.batchSize);
    check(() =>
      must(heldBy.size * workers.batchSize <= organizationSlots(slots), 'the crowd holds three quarters at most'),
    );
  }

  function check(judge: () => void): void {
    try {
      judge();
    } catch (error) {
      broken ??= error as Error;
    }
  }

  function submit(organization: Organization, number: number): void {
    const taskId = taskIdOf(organization, number);
    submittedAt.set(taskId, time.now());
    const about = { namespace: 'n', input: {} };
    const submission = { face: 'files-and-tasks' as const, type: 'made', priority, about };
    void product.submitTask(portsOf(lives.live('caller')), { organization, taskId }, submission);
    if (organization !== QUIET) return;
    time.at(time.now() + QUIET_STARTS_WITHIN_MS, () =>
      check(() => must(startedAt.has(taskId), `a task of the quiet organization starts within 5 s, ${taskId}`)),
    );
  }

  const stopsAt = STARTS_AT + minutes * MINUTE;
  const isOver = (): boolean => crowdEnded() === CROWD_TASKS || time.now() >= stopsAt;

  function crowdEnded(): number {
    let count = 0;
    for (let number = 0; number < CROWD_TASKS; number++) {
      const { pk, sk } = taskKey({ organization: CROWD, taskId: taskIdOf(CROWD, number) });
      const kept = store.partition(pk).get(sk);
      if (kept && !isOpen(JSON.parse(kept.text) as Task)) count++;
    }
    return count;
  }

  for (let number = 0; number < CROWD_TASKS; number++) submit(CROWD, number);
  let quietTasks = 0;
  let isDone = false;
  const submitQuiet = (): void => {
    if (isDone) return;
    submit(QUIET, quietTasks++);
    time.at(time.now() + lives.between(QUIET_EVERY_MS), submitQuiet);
  };
  // After all messages of the crowd.
  time.at(STARTS_AT + 100, submitQuiet);
  const lookEveryMinute = (): void => {
    samples.push(heldBy.size * workers.batchSize);
    isDone ||= isOver();
    if (isDone) return;
    const life = lives.live('reconciler');
    void product.reconcile({ ...portsOf(life), ...UNUSED }).catch(() => undefined);
    time.at(time.now() + MINUTE, lookEveryMinute);
  };
  time.at(STARTS_AT + MINUTE, lookEveryMinute);
  await time.run(() => broken !== undefined || isDone);
  if (broken) throw broken;

  const waits = [...startedAt].filter(([taskId]) => taskId.startsWith(FIRST_DIGIT[QUIET]));
  return {
    quietTasks,
    slowestStartMs: Math.max(...waits.map(([taskId, at]) => at - (submittedAt.get(taskId) ?? 0))),
    maxHeldSlots,
    medianHeldSlots: samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0,
    slots,
    crowdEnded: crowdEnded(),
    crashes,
    minutes: Math.round((time.now() - STARTS_AT) / MINUTE),
  };
}

const FIRST_DIGIT = { [CROWD]: 'c', [QUIET]: 'a' };

const taskIdOf = (organization: Organization, number: number): string =>
  `${FIRST_DIGIT[organization]}0000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Ports that the reconciler does not use in this simulation. */
const UNUSED = {
  blobs: {} as never,
  scheduler: { put: async () => undefined, remove: async () => undefined, list: async () => ({ rows: [] }) },
  sayEnding: async () => 'gone' as const,
};

const rejectCall = async (): Promise<never> => {
  throw new Error('Only Lambda receives from the queue.');
};
