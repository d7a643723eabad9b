/** Tells whoever watches an organization what becomes of its tasks, and what it should know. Best effort: whoever tells never waits. */
import type { Log } from '../core/log.ts';
import type { Clock, Sockets, Table } from '../ports.ts';
import type { Tell } from '../tasks/move-task.ts';
import { type Addressee, type Letter, type Outboxes, outboxes } from './outboxes.ts';
import { type Channel, freePlaces, type Place } from './places.ts';
import type { TaskNews } from './task-news.ts';
import { tellTasks } from './tell-tasks.ts';
import type { Watchers } from './watchers.ts';

export type Notice = { level: 'info' | 'warning' | 'critical'; message: string };

/** How things are said, in the words of the API. None is longer than a message may be. */
export type Words = {
  ofTask(news: TaskNews): string;
  ofNotice(notice: Notice, at: number): string;
  resync(at: number): string;
  ending(endsAt: number): string;
};

/** Neither waits nor throws. */
export type Notify = (organization: string, notice: Notice) => void;

export type News = {
  /** Called in the order of the writes. */
  tell: Tell;
  notify: Notify;
  /** Resolves when all has been said. */
  settled(): Promise<void>;
  outboxes: Pick<Outboxes, 'hold' | 'release'>;
};

type Ports = { table: Table; clock: Clock; log: Log; sockets: Pick<Sockets, 'post'>; watchers: Watchers; words: Words };

export function newsOver(ports: Ports): News {
  const { clock, log, sockets, watchers, words } = ports;
  const working = new Set<Promise<unknown>>();
  const gone = (who: Addressee) => following(freed(who));
  const boxes = outboxes({ sockets, log, behind: () => words.resync(clock.now()), gone });

  function following(work: Promise<unknown>): void {
    const followed = work.catch((error) => log.warn('news were not told', { error }));
    working.add(followed);
    void followed.then(() => working.delete(followed));
  }

  /** A peer that was found dead holds no place. */
  async function freed({ connection, organization }: Addressee): Promise<void> {
    await freePlaces(ports, organization, [connection]);
    watchers.forget(organization);
  }

  async function send(organization: string, channel: Channel, letters: Letter[]): Promise<void> {
    for (const { connection } of on(channel, await watchers.of(organization))) {
      for (const letter of letters) boxes.put({ connection, organization }, letter);
    }
  }

  return {
    tell: tellTasks(ports, {
      textOf: words.ofTask,
      hasListeners: async (organization) => on('task_updates', await watchers.of(organization)).length > 0,
      send: (organization, letters) => send(organization, 'task_updates', letters),
      following,
    }),
    notify(organization, notice) {
      if (watchers.known(organization)?.length === 0) return;
      following(send(organization, 'system_notifications', [{ text: words.ofNotice(notice, clock.now()) }]));
    },
    async settled() {
      // A message that reached nobody makes work of its own.
      do {
        await Promise.all(working);
        await boxes.settled();
      } while (working.size > 0);
    },
    outboxes: boxes,
  };
}

const on = (channel: Channel, places: Place[]): Place[] => places.filter(({ channels }) => channels.includes(channel));
