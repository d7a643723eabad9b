/** Days of deliveries in virtual time: messages when they are due, the reconciler once a minute, scripted receivers. */

import { existsSync } from 'node:fs';
import { setTimeout as turn } from 'node:timers/promises';
import { heap } from '../../../adapters/local/timed-set.ts';
import type { Blobs, Post } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import type { Effect } from '../../../shared/tasks/task.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { openWebhooks } from './setup.ts';

const MINUTE = 60_000;

/** Tens of thousands of durable writes would only measure the disk. */
if (existsSync('/dev/shm')) process.env.TMPDIR = '/dev/shm';

/** No test here uses blobs; any call is an error of the test. */
const noBlobs = {} as Blobs;

export function virtualWorld({ seed }: { seed: number }) {
  const waiting = heap<TaskAddress>();
  const hints = async (effects: readonly Effect[], { organization, taskId }: TaskAddress) => {
    for (const effect of effects) {
      if (effect.do !== 'hintSender') continue;
      waiting.push({ at: opened.clock.now() + effect.delaySeconds * 1_000, item: { organization, taskId } });
    }
  };
  const opened = openWebhooks({ hints });
  const random = seededRandom(seed);
  const ports = { ...opened, random, blobs: noBlobs };

  function due(): TaskAddress[] {
    const dueTasks: TaskAddress[] = [];
    for (let entry = waiting.first(); entry && entry.at <= opened.clock.now(); entry = waiting.first()) {
      dueTasks.push(entry.item);
      waiting.pop();
    }
    return dueTasks;
  }

  return {
    ...opened,
    random,
    /** Runs until no work is left, or until the given time. */
    async run(post: Post, forMs: number): Promise<void> {
      const end = opened.clock.now() + forMs;
      let tickAt = opened.clock.now() + MINUTE;
      while (opened.clock.now() < end) {
        const dueNow = due();
        await Promise.all(dueNow.map((address) => opened.send(address, post, { random })));
        if (dueNow.length > 0) continue;
        const next = Math.min(waiting.first()?.at ?? Number.POSITIVE_INFINITY, tickAt, end);
        opened.clock.pass(next - opened.clock.now());
        if (next === tickAt) {
          tickAt += MINUTE;
          await reconcile({ ...ports, sayEnding: async () => 'gone' });
          await turn(0);
        }
      }
    },
  };
}
