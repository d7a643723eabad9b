/** One run of the fault harness: submits, runs, cancels and delivers tasks amid faults, and checks the invariants at the end. */
import type { Table } from '../../../shared/ports.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { type Counted, checkEnds } from './ends.ts';
import type { Product } from './product.ts';
import { type Setting, TIMES } from './setting.ts';
import { faultWorld, type OpenTable, type World } from './world.ts';

const ORGANIZATIONS = ['a', 'b', 'c', 'd'] as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIMEOUTS_MS = [10 * MINUTE, 60 * MINUTE, 60 * MINUTE] as const;

export async function prove(product: Product, setting: Setting, open?: OpenTable): Promise<Counted> {
  const world = faultWorld(product, setting, open);
  await world.prepare(ORGANIZATIONS);
  for (let at = 0; at < setting.tasks; at++) plan(product, world, at);
  lookEveryMinute(world);
  await world.time.run(() => world.watch.broken() !== undefined);
  const broken = world.watch.broken();
  if (broken) throw broken;
  return checkEnds(world);
}

/** Skips rounds that would find nothing due, because they would take most of the run's time. */
function lookEveryMinute({ time, round, watch }: World): void {
  const from = time.now();
  const look = (): void => {
    const due = watch.earliestDue();
    if (due === undefined && time.now() > from + DAY) return;
    if (due !== undefined && due <= time.now() + TIMES.skewMs) round();
    time.at(time.now() + TIMES.roundMs, look);
  };
  look();
}

type Ports = ReturnType<World['begin']>['ports'];

/** Schedules all actions of callers and operators on one task. */
function plan(product: Product, world: World, at: number): void {
  const { time, lives, random, setting } = world;
  const { rates } = setting;
  const organization = ORGANIZATIONS[at % ORGANIZATIONS.length] as string;
  const address: TaskAddress = { organization, taskId: uuidOf(at, random) };
  const isRecurring = lives.chance(rates.recurring);
  const comesAt = time.now() + lives.between([0, TIMES.submittedWithinMs]);
  const later = (maxMs: number, run: (ports: Ports) => Promise<unknown>): void =>
    time.at(comesAt + lives.between([0, maxMs]), () => {
      run(world.begin('caller').ports).catch(() => undefined);
    });

  time.at(comesAt, () => submit(product, world, { address, isRecurring, timeoutMs: pick(TIMEOUTS_MS, random) }));
  const force = lives.chance(0.5);
  const cancel = (ports: Ports) => product.cancelTask(ports, address, { api: 'files-and-tasks', force });
  if (lives.chance(rates.cancelled)) later(3 * MINUTE, cancel);
  if (isRecurring) cancelAtLast(world, { address, cancel, at: comesAt + 3 * DAY });
  if (lives.chance(rates.redriven))
    later(10 * MINUTE, (ports) => product.moveTask(ports, address, { type: 'redrive' }));
  // Looks that are too early, and concurrent with other writers.
  if (lives.chance(rates.looked)) looks(product, world, { address, from: comesAt });
  if (lives.chance(rates.redelivered))
    later(lives.chance(0.5) ? HOUR : 2 * MINUTE, (ports) => sendAgain(product, ports, address));
}

const LOOKS = 6;

/** Looks of the reconciler at a bad time, as with an outdated index. */
function looks(product: Product, { time, lives, begin }: World, o: { address: TaskAddress; from: number }): void {
  for (let look = 0; look < LOOKS; look++) {
    time.at(o.from + lives.between([0, 2 * MINUTE]), () => {
      product.moveTask(begin('reconciler').ports, o.address, { type: 'tick' }).catch(() => undefined);
    });
  }
}

type Submitted = { address: TaskAddress; isRecurring: boolean; timeoutMs: number };

/** A caller without a response submits again with the same idempotency key, so that it gets the same task. */
function submit(product: Product, world: World, submitted: Submitted): void {
  const { time, lives } = world;
  const { address, isRecurring, timeoutMs } = submitted;
  const { life, ports } = world.begin('caller');
  let isAnswered = false;
  const about = { namespace: 'n', input: {}, endpoint: world.endpointOf(address) };
  const start = isRecurring ? { firstAt: time.now() + 10 * MINUTE, recurs: 'd 120000 UTC' } : {};
  product
    .submitTask(ports, address, { face: 'files-and-tasks', type: 'made', priority: 5, timeoutMs, about, ...start })
    .then(
      () => {
        isAnswered = true;
      },
      () => life.die(),
    );
  const again = () => isAnswered || submit(product, world, submitted);
  life.onEnd(() => time.at(time.now() + lives.between([1_000, MINUTE]), again));
}

type Cancel = { address: TaskAddress; cancel: (ports: Ports) => Promise<unknown>; at: number };

/** Only a cancel ends a recurring task. */
function cancelAtLast(world: World, { address, cancel, at }: Cancel): void {
  const { time } = world;
  time.at(at, () => {
    const { life, ports } = world.begin('caller');
    let isAnswered = false;
    cancel(ports).then(
      () => {
        isAnswered = true;
      },
      () => life.die(),
    );
    life.onEnd(() => isAnswered || cancelAtLast(world, { address, cancel, at: time.now() + MINUTE }));
  });
}

async function sendAgain(product: Product, ports: Ports & { table: Table }, address: TaskAddress): Promise<void> {
  const [delivery] = await product.deliveriesOf(ports, address);
  if (delivery) await product.redeliver(ports, address, { id: delivery.id });
}

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)] as T;

function uuidOf(at: number, random: () => number): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return `${hex(8)}-${at.toString(16).padStart(4, '0')}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
}
