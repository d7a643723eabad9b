/** The product's use cases over ports with injected faults, in virtual time. */
import { WEBHOOK_BODIES } from '../../../functions/message-bodies.ts';
import { storeFirstSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { cachedVault, vault as makeVault } from '../../../shared/core/vault.ts';
import type { LaneSeats } from '../../../shared/lanes/worker-seats.ts';
import type { Blobs, Clock, ReplaceOptions, Scheduler, Table } from '../../../shared/ports.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { parseTaskAddress, type TaskAddress } from '../../../shared/tasks/rows.ts';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { interceptedTable, type TableCall } from '../../shared/tasks/intercepted-table.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type Life, lives as livesOver } from './life.ts';
import { type Mortal, memoryStore, memoryTable } from './memory-table.ts';
import { deedOf, type Point, type Role, taskOfCall, taskOfHint } from './points.ts';
import type { Product } from './product.ts';
import { queues as queuesOver } from './queues.ts';
import { receivers as receiversOver } from './receivers.ts';
import { type Setting, TIMES } from './setting.ts';
import { virtualTime } from './virtual-time.ts';
import { watch as watchAll } from './watch.ts';

const STARTS_AT = Date.parse('2026-06-01T12:00:00Z');
const STEPS_A_TASK = 1_000;
const MIN_STEPS = 50_000;
const NO_LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const THINKS_MS = [500, 15_000] as const;
const BUSY_MS = [1_000, 120_000] as const;
const THINKS_LONG_MS = [30_000, 90_000] as const;
const SECRET_BYTES = 32;
/** Share of the workers that do not send webhooks themselves. */
const LEFT_TO_SENDERS = 0.3;
const never = new AbortController().signal;
/** Share of the batches with a single task. */
const ALONE_BY_CHANCE = 0.1;
/** A task that is already gone, and whose hint still makes a batch one of two. */
const NEIGHBOUR: TaskAddress = { organization: 'a', taskId: 'gone' };
const FREE: LaneSeats = { take: async () => ({ lost: never, release: async () => undefined }) };
const unexpected = async (): Promise<never> => {
  throw new Error('No file is read here.');
};
const OF_ROUNDS: ReadonlySet<Point> = new Set<Point>([
  ...(['before write', 'after write', 'before hint', 'after hint', 'in a page'] as const),
]);

export type World = ReturnType<typeof faultWorld>;
/** Opens the table for a process with the given clock. */
export type OpenTable = (
  clock: Clock,
  given: { lagMs: () => number; now: () => number; mark: () => string },
) => Table & Partial<Mortal>;

const isFading = ({ name, args }: TableCall): boolean =>
  name === 'replace' && (args[2] as ReplaceOptions | undefined)?.durability === 'relaxed';

/** The simulation has no blobs: any access is an error of the harness. */
const noBlobs = {} as Blobs;

export type Memory = { memoryStore: typeof memoryStore; memoryTable: typeof memoryTable };

export const inMemory = (made: Memory = { memoryStore, memoryTable }): OpenTable => {
  let store: ReturnType<typeof memoryStore> | undefined;
  return (clock, { lagMs, now, mark }) => {
    store ??= made.memoryStore({ ids: { mark }, now, lagMs });
    return made.memoryTable({ store, clock });
  };
};

export function faultWorld(product: Product, setting: Setting, open: OpenTable = inMemory()) {
  const { rates, points, tasks, awayMs = 0 } = setting;
  const awayUntil = STARTS_AT + awayMs;
  const random = seededRandom(setting.seed);
  const time = virtualTime({ startsAt: STARTS_AT, maxSteps: MIN_STEPS + tasks * STEPS_A_TASK });
  const lives = livesOver(setting, { time, random });
  const watch = watchAll();
  const receivers = receiversOver({ time, lives, rates, awayUntil });
  const queue = queuesOver({ time, lives, rates, consume });
  let marks = 0;
  const given = {
    lagMs: () => lives.between([0, TIMES.lagMs]),
    now: time.now,
    mark: () => `m${(marks++).toString(36)}`,
  };
  const vault = cachedVault(makeVault({ master: async () => [{ version: '1', key: Buffer.alloc(SECRET_BYTES, 7) }] }));
  const secretOf = (organization: string): string =>
    `whsec_${Buffer.from(organization.padEnd(SECRET_BYTES)).toString('base64')}`;
  const isLong = points.includes('at the time limit');
  const isOneMachine = rates.powerCut > 0;
  let resumed = Promise.resolve();
  /** After a start all tasks claim at once: without it the cuts would follow from their number, and never end. */
  let upUntil = STARTS_AT;

  function tableOf(life: Life): Table {
    const table = open(life, given);
    return interceptedTable(table, (call, go) =>
      life.pass({ deed: deedOf(life.role, call), task: taskOfCall(call) }, () =>
        time.still(async () => {
          const answer = await go();
          watch.called(life, call, answer);
          if (isFading(call) && time.now() >= upUntil && lives.chance(rates.powerCut)) time.at(time.now(), goDark);
          return answer;
        }),
      ),
    );
  }

  /** Cuts the power: all processes end, unsynced writes are lost, and the machine starts again. */
  function goDark(): void {
    upUntil = time.now() + lives.between([0, TIMES.upMs]);
    lives.goDark();
    queue.goDark();
    const undone = open({ now: time.now }, given).cutPower?.() ?? [];
    for (const key of undone) watch.faded(key);
    lives.counts.cuts++;
    lives.counts.faded += undone.length;
    resumed = resume();
  }

  /** The only process releases the tasks of the one before it, before it runs any. */
  async function resume(): Promise<void> {
    const { ports } = begin('reconciler');
    const addresses = [...watch.rows()].map(parseTaskAddress);
    await Promise.allSettled(addresses.map((address) => product.moveTask(ports, address, { type: 'restart' })));
  }

  function portsOf(life: Life) {
    const [workers, senders] = [queue.of(life, 'worker'), queue.of(life, 'sender')];
    const hints = product.hintsOver({
      lanes: { high: workers, normal: workers, low: workers },
      webhooks: senders,
      log: NO_LOG,
    });
    return { table: tableOf(life), clock: { now: life.now }, hints, log: NO_LOG };
  }

  /** The model is as often busy, so that the task waits for it, as it fails. */
  const afterFailure = () =>
    lives.chance(0.5)
      ? { wait: { waitsFor: 'scripted/model: 429', until: time.now() + lives.between(BUSY_MS) } }
      : { mayPass: true };

  /** Each stage is one call of the model; its result names the process that made it. */
  const stagesOf = (life: Life): Stage[] =>
    ['reading', 'writing'].map((name) => ({
      name,
      run: ({ address, report }) =>
        life.pass({ deed: 'model', task: address.taskId }, async () => {
          // Virtual time passes while a model works.
          const thinks = time.sleep(lives.between(isLong && lives.chance(rates.crash) ? THINKS_LONG_MS : THINKS_MS));
          report(0.5);
          await thinks;
          if (lives.chance(rates.modelFails))
            throw new product.TaskFailure('MODEL_UNAVAILABLE', 'The model is away.', afterFailure());
          return { text: `${address.taskId} by ${life.name}` };
        }),
    }));

  /** Runs a hint, with a warning before the timeout and the end of the process at the timeout. */
  function worked(life: Life, body: string): Promise<void> {
    const stopController = new AbortController();
    let isOver = false;
    const leftMs = lives.between([0, isLong ? TIMES.scarceMs : TIMES.handOverMs]);
    time.at(time.now() + TIMES.limitMs - leftMs, () => stopController.abort());
    time.at(time.now() + TIMES.limitMs, () => {
      if (isOver || life.isDead()) return;
      if (isLong) lives.counts.crashes++;
      life.die();
    });
    const ports = portsOf(life);
    const first = product.immediateDelivery(sendingOf(life, body, ports), never);
    const working = {
      ...ports,
      every: life.every,
      agents: { made: { stages: () => stagesOf(life) } },
      storeReading: unexpected,
      ...(lives.chance(LEFT_TO_SENDERS) ? {} : { immediateDelivery: first }),
    };
    return ran(life, body, { ...working, stopSignal: stopController.signal })
      .then(first.settled)
      .finally(() => {
        isOver = true;
      });
  }

  type Working = Parameters<Product['runHint']>[0] & { stopSignal: AbortSignal };

  /** On one machine all tasks run in one process. On AWS a task is alone in its batch, or has a neighbour. */
  async function ran(life: Life, body: string, { stopSignal, ...working }: Working): Promise<void> {
    if (isOneMachine) return product.runHint(working, body, stopSignal);
    const isAlone = product.laneHintIn(body)?.isAlone === true || lives.chance(ALONE_BY_CHANCE);
    if (isAlone) life.process = 'own';
    const bodies = isAlone ? [body] : [body, product.hintOf(NEIGHBOUR)];
    const failed = await product.runBatch(
      { ...working, seats: FREE, queue: queue.of(life, 'worker') },
      bodies,
      stopSignal,
    );
    if (failed.has(0)) throw new Error('The hint failed.');
  }

  function sendingOf(life: Life, body: string, ports: ReturnType<typeof portsOf>) {
    const post = (address: string, message: { headers: Record<string, string>; body: string }) =>
      life.pass({ deed: 'post', task: taskOfHint(body) }, async () => {
        const organization = new URL(address).pathname.slice(1);
        return receivers.post(secretOf(organization), message, watch.sendingOf(life)).catch((error) => {
          watch.breaks(error);
          throw error;
        });
      });
    const kept = {
      slots: product.senderSlots({ ofOrganization: 10, toReceiver: 10 }),
      recalled: senderCache({ ...ports, vault }),
    };
    return { ...ports, random, post, blobs: noBlobs, bodies: WEBHOOK_BODIES, ...kept };
  }

  const sent = (life: Life, body: string): Promise<void> =>
    product.sendHint(sendingOf(life, body, portsOf(life)), body, never);

  async function consume(by: 'worker' | 'sender', body: string): Promise<boolean> {
    if (isOneMachine) await resumed;
    const life = lives.live(by);
    return (by === 'worker' ? worked : sent)(life, body).then(
      () => true,
      () => false,
    );
  }

  const scheduler: Scheduler = {
    put: async () => undefined,
    remove: async () => undefined,
    list: async () => ({ rows: [] }),
  };

  /** One round of the reconciler; a failed round ends its process, as an error ends an invocation. */
  function round(): void {
    const most = watch.dueBy(time.now()) * points.filter((point) => OF_ROUNDS.has(point)).length;
    const fuse = lives.chance(rates.roundCrash) ? 1 + Math.floor(random() * most) : Number.POSITIVE_INFINITY;
    const life = lives.live('reconciler', fuse);
    const ports = { ...portsOf(life), blobs: noBlobs, scheduler, sayEnding: async () => 'gone' as const };
    product.reconcile(ports).catch(life.die);
  }

  /** Starts a process with a role, and returns its ports. */
  function begin(role: Role) {
    const life = lives.live(role);
    return { life, ports: portsOf(life) };
  }

  return {
    setting,
    time,
    random,
    lives,
    watch,
    receivers,
    awayUntil,
    begin,
    round,
    async prepare(organizations: readonly string[]): Promise<void> {
      const table = open({ now: time.now }, given);
      for (const organization of organizations)
        await storeFirstSecret({ table, clock: time, vault }, organization, secretOf(organization));
    },
    endpointOf: ({ organization, taskId }: TaskAddress): string =>
      `https://hooks-${taskId.charCodeAt(0) % 3}.customer.com/${organization}`,
  };
}
