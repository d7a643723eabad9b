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
  outboxes: Pick<SendBuffers, 'pause' | 'release'>;
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
  const onGone = (who: Recipient) => track(freeSlot(who));
  const buffers = sendBuffers({ sockets, log, lossNotice: () => words.resync(clock.now()), onGone });

  function track(work: Promise<unknown>): void {
    const tracked = work.catch((error) => log.warn('updates were not sent', { error }));
    working.add(tracked);
    void tracked.then(() => working.delete(tracked));
  }

  /** Frees the slot of a connection that turned out to be closed. */
  async function freeSlot({ connection, organization }: Recipient): Promise<void> {
    await connectionSlots.free(ports, organization, [connection]);
    watchers.forget(organization);
  }

  async function send(organization: string, channel: Channel, messages: SocketMessage[]): Promise<void> {
    for (const { connection } of listenersOn(channel, await watchers.of(organization))) {
      for (const message of messages) buffers.put({ connection, organization }, message);
    }
  }

  function sendTexts(organization: string, channel: Channel, texts: string[]): void {
    if (watchers.peek(organization)?.length === 0) return;
    const messages = texts.map((text) => ({ text }));
    track(send(organization, channel, messages));
  }

  return {
    notifyTask: taskNotifier(ports, {
      textOf: words.ofTask,
      hasListeners: async (organization) => listenersOn('task_updates', await watchers.of(organization)).length > 0,
      send: (organization, messages) => send(organization, 'task_updates', messages),
      track,
    }),
    notify: (organization, notice) =>
      sendTexts(organization, 'system_notifications', [words.ofNotice(notice, clock.now())]),
    send: sendTexts,
    async settled() {
      // A message to a closed connection causes further work.
      do {
        await Promise.all(working);
        await buffers.settled();
      } while (working.size > 0);
    },
    outboxes: buffers,
  };
}

const listenersOn = (channel: Channel, slots: ConnectionSlot[]): ConnectionSlot[] =>
  slots.filter(({ channels }) => channels.includes(channel));
