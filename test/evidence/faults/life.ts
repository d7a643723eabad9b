/** A simulated process whose calls can be delayed or fail, and which can crash or freeze at any of them. */

import type { WorkerProcess } from '../../../shared/core/worker-process.ts';
import type { Every } from '../../../shared/ports.ts';
import type { Deed, Point, Role } from './points.ts';
import { type Setting, TIMES } from './setting.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Life = {
  name: string;
  role: Role;
  /** Whether it is a worker that runs nothing beside one task, or the only process. */
  process?: WorkerProcess | undefined;
  /** The process's clock, with some skew. */
  now(): number;
  isDead(): boolean;
  die(): void;
  onEnd(run: () => void): void;
  /** The number of faults that were injected into the process so far. */
  faults(): number;
  every: Every;
  /** Makes an outside call, with injected faults. */
  pass<T>(what: { deed: Deed; task: string | undefined }, go: () => Promise<T>): Promise<T>;
};

export type Lives = ReturnType<typeof lives>;

type Dice = { random: () => number };

class Fault extends Error {
  override name = 'Fault';
}

/** A new promise each time, because a shared one would keep all its waiting callers in memory. */
const never = (): Promise<never> => new Promise(() => undefined);
const REPLY_TAKES = 0.2;
const SLOW = 0.01;
const FROZEN_OF_ROUNDS = 0.1;

export function lives({ points, rates, sparesAlone = false }: Setting, { time, random }: Dice & { time: VirtualTime }) {
  const struck = new Map<string, number>();
  const counts = { crashes: 0, faults: 0, frozen: 0, cuts: 0, faded: 0 };
  /** The processes that a power cut ends; empty when no power cuts are configured. */
  const all = new Set<Life>();
  let born = 0;
  const chance = (share: number): boolean => share > 0 && random() < share;
  const between = ([from, to]: readonly [number, number]): number => Math.round(from + random() * (to - from));

  /** Limits the crashes per task. */
  function strikes(point: Point, task = 'none'): boolean {
    if (!points.includes(point) || !chance(rates.crash)) return false;
    const times = (struck.get(task) ?? 0) + 1;
    if (times > rates.maxCrashes) return false;
    struck.set(task, times);
    return true;
  }

  /** With `fuse`, the process crashes at that many crash points from now, and nowhere else. */
  function live(role: Role, fuse?: number): Life {
    let left = fuse;
    const skew = between([-TIMES.skewMs, TIMES.skewMs]);
    const ends: (() => void)[] = [];
    let isDead = false;
    let awakeAt = 0;
    let faults = 0;

    function die(): void {
      isDead = true;
      faults++;
      for (const run of ends) run();
    }

    const isSpared = (): boolean => sparesAlone && made.process === 'own';

    function crashAt(point: Point, task: string | undefined): boolean {
      if (isDead) return true;
      if (isSpared()) return false;
      const isStruck = left === undefined ? strikes(point, task) : points.includes(point) && --left === 0;
      if (!isStruck) return false;
      counts.crashes++;
      die();
      return true;
    }

    function drawFault(share: number): boolean {
      if (!chance(share)) return false;
      faults++;
      counts.faults++;
      return true;
    }

    /** Takes any time: a frozen process continues later as if nothing had happened. */
    async function travel(): Promise<void> {
      if (!isSpared() && drawFault(role === 'reconciler' ? rates.frozen * FROZEN_OF_ROUNDS : rates.frozen)) {
        counts.frozen++;
        awakeAt = time.now() + between(TIMES.frozenMs);
      }
      await time.sleep(chance(SLOW) ? between([100, 2_000]) : between([1, 20]));
      while (time.now() < awakeAt) await time.sleep(awakeAt - time.now());
    }

    type What = { deed: Deed; task: string | undefined };

    async function reach({ deed, task }: What): Promise<void> {
      await travel();
      if (crashAt(deed === 'page' ? 'in a page' : (`before ${deed}` as Point), task)) await never();
      fails(rates.throttled, 'Throttled.');
    }

    async function comeBack({ deed, task }: What): Promise<void> {
      if (crashAt(`after ${deed}` as Point, task)) await never();
      if (chance(REPLY_TAKES)) await travel();
      if (isDead) await never();
      fails(rates.lostReply, 'The reply got lost.');
    }

    async function pass<T>(what: What, go: () => Promise<T>): Promise<T> {
      await reach(what);
      if (isDead) await never();
      const answer = await go();
      await comeBack(what);
      return answer;
    }

    function fails(share: number, words: string): void {
      if (drawFault(share)) throw new Fault(words);
    }

    const every: Every = (ms, run) => {
      let isOver = false;
      const next = () =>
        time.at(time.now() + ms, () => {
          if (isOver || isDead) return;
          run();
          next();
        });
      next();
      return () => {
        isOver = true;
      };
    };

    const made: Life = {
      name: `${role} ${++born}`,
      role,
      now: () => time.now() + skew,
      isDead: () => isDead,
      die,
      onEnd: (run) => ends.push(run),
      faults: () => faults,
      every,
      pass,
      ...(rates.powerCut > 0 ? { process: 'only' } : {}),
    };
    if (rates.powerCut > 0) all.add(made);
    return made;
  }

  function goDark(): void {
    const living = [...all].filter((life) => !life.isDead());
    all.clear();
    for (const life of living) life.die();
  }

  return { live, goDark, counts, chance, between };
}
