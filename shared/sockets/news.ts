/** Tells whoever watches an organization what becomes of its tasks, and what it should know. Best effort: whoever tells never waits. */
import type { Log } from '../core/log.ts';
import type { Clock, Sockets, Table } from '../ports.ts';
import type { NotifyTask } from '../tasks/move-task.ts';
import { type Recipient, type SendBuffers, type SocketMessage, sendBuffers } from './outboxes.ts';
import { type Channel, type ConnectionSlot, freeSlots } from './places.ts';
import type { TaskUpdate } from './task-news.ts';
import { taskNotifier } from './tell-tasks.ts';
import type { Watchers } from './watchers.ts';

export type Notice = { level: 'info' | 'warning' | 'critical'; message: string };

/** How things are said, in the words of the API. None is longer than a message may be. */
export type SocketTexts = {
  ofTask(news: TaskUpdate): string;
  ofNotice(notice: Notice, at: number): string;
  resync(at: number): string;
  ending(endsAt: number): string;
};

/** Neither waits nor throws. */
export type Notify = (organization: string, notice: Notice) => void;

export type Notifier = {
  /** Called in the order of the writes. */
  tell: NotifyTask;
  notify: Notify;
  /** Resolves when all has been said. */
  settled(): Promise<void>;
  outboxes: Pick<SendBuffers, 'hold' | 'release'>;
};

type NotifierPorts = {
  table: Table;
  clock: Clock;
  log: Log;
  sockets: Pick<Sockets, 'post'>;
  watchers: Watchers;
  words: SocketTexts;
};

export function notifierOver(ports: NotifierPorts): Notifier {
  const { clock, log, sockets, watchers, words } = ports;
  const working = new Set<Promise<unknown>>();
  const gone = (who: Recipient) => following(freed(who));
  const boxes = sendBuffers({ sockets, log, behind: () => words.resync(clock.now()), gone });

  function following(work: Promise<unknown>): void {
    const followed = work.catch((error) => log.warn('news were not told', { error }));
    working.add(followed);
    void followed.then(() => working.delete(followed));
  }

  /** A peer that was found dead holds no place. */
  async function freed({ connection, organization }: Recipient): Promise<void> {
    await freeSlots(ports, organization, [connection]);
    watchers.forget(organization);
  }

  async function send(organization: string, channel: Channel, letters: SocketMessage[]): Promise<void> {
    for (const { connection } of on(channel, await watchers.of(organization))) {
      for (const letter of letters) boxes.put({ connection, organization }, letter);
    }
  }

  return {
    tell: taskNotifier(ports, {
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

const on = (channel: Channel, places: ConnectionSlot[]): ConnectionSlot[] =>
  places.filter(({ channels }) => channels.includes(channel));
