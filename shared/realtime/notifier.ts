/** Sends task updates and notices to the connections of an organization. Best effort: callers never wait. */

import type { Log } from '../core/log.ts';
import type { Clock, Sockets, Table } from '../ports.ts';
import type { NotifyTask } from '../tasks/transition.ts';
import { type Channel, type ConnectionSlot, connectionSlots } from './connection-slots.ts';
import { type Recipient, type SendBuffers, type SocketMessage, sendBuffers } from './send-buffers.ts';
import { taskNotifier } from './task-notifier.ts';
import type { TaskUpdate } from './task-update.ts';
import type { Watchers } from './watchers.ts';

export type Notice = { level: 'info' | 'warning' | 'critical'; message: string };

/** Renders updates and notices in the format of the API. No text exceeds the maximum message size. */
export type SocketTexts = {
  ofTask(update: TaskUpdate): string;
  ofNotice(notice: Notice, at: number): string;
  resync(at: number): string;
  ending(endsAt: number): string;
};

/** Neither waits nor throws. */
export type Notify = (organization: string, notice: Notice) => void;

export type Notifier = {
  /** Called in the order of the writes. */
  notifyTask: NotifyTask;
  notify: Notify;
  /** Sends texts to the connections that listen to a channel. Neither waits nor throws. */
  send(organization: string, channel: Channel, texts: string[]): void;
  /** Resolves when everything has been sent. */
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
    const followed = work.catch((error) => log.warn('updates were not sent', { error }));
    working.add(followed);
    void followed.then(() => working.delete(followed));
  }

  /** Frees the slot of a connection that turned out to be closed. */
  async function freed({ connection, organization }: Recipient): Promise<void> {
    await connectionSlots.free(ports, organization, [connection]);
    watchers.forget(organization);
  }

  async function send(organization: string, channel: Channel, messages: SocketMessage[]): Promise<void> {
    for (const { connection } of on(channel, await watchers.of(organization))) {
      for (const message of messages) boxes.put({ connection, organization }, message);
    }
  }

  function sendTexts(organization: string, channel: Channel, texts: string[]): void {
    if (watchers.known(organization)?.length === 0) return;
    const messages = texts.map((text) => ({ text }));
    following(send(organization, channel, messages));
  }

  return {
    notifyTask: taskNotifier(ports, {
      textOf: words.ofTask,
      hasListeners: async (organization) => on('task_updates', await watchers.of(organization)).length > 0,
      send: (organization, letters) => send(organization, 'task_updates', letters),
      following,
    }),
    notify: (organization, notice) =>
      sendTexts(organization, 'system_notifications', [words.ofNotice(notice, clock.now())]),
    send: sendTexts,
    async settled() {
      // A message to a closed connection causes further work.
      do {
        await Promise.all(working);
        await boxes.settled();
      } while (working.size > 0);
    },
    outboxes: boxes,
  };
}

const on = (channel: Channel, slots: ConnectionSlot[]): ConnectionSlot[] =>
  slots.filter(({ channels }) => channels.includes(channel));
