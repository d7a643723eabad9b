/** Sends task updates and notices to open connections, through a send buffer for each connection. */
import { listOrganizations } from '../accounts/organizations.ts';
import { lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Sockets, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from '../tasks/details.ts';
import { failureOf } from '../tasks/failure-message.ts';
import { type Result, resultOf } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { lastMovedAt } from '../tasks/shown-state.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import type { NotifyTask } from '../tasks/transition.ts';
import { waitingFor } from '../tasks/waiting-for.ts';
import {
  type Channel,
  type ConnectionSlot,
  connectionSlots,
  type SlotPorts,
  SOCKET_LIMITS,
  type Watchers,
} from './connections.ts';

/** The updates of a task, in order: its start, its progress, its end. */
type TaskMoment = 'started' | 'progress' | 'completed' | 'failed';

export type TaskUpdate = {
  moment: TaskMoment;
  taskId: string;
  seq: number;
  at: number;
  /** Percent. */
  progress: number;
  /** Tokens of model calls so far; absent before the first call. */
  tokens?: number | undefined;
  /** While its model is busy or away. */
  waitingFor?: string | undefined;
  metadata: Record<string, string>;
  error?: { code: string; message: string };
};

/** The data for an update's text: the task, its details, and its result if it failed. */
export type UpdatedTask = { taskId: string; task: Task; about: TaskDetails; result?: Result | undefined };

/** A run's first step is its first claim. Its last step sends two updates: the last progress and the end. */
const seqBefore = ({ recurs, run }: Task): number => (recurs ?? run)?.seq ?? 0;
const startedSeq = (task: Task): number => seqBefore(task) * 2 + 1;
/** The end of a failed task makes no progress, so its last progress belongs to the step before and has its number. */
const progressSeq = (task: Task): number => (isOpen(task) || task.state === 'succeeded' ? task.seq : task.seq - 1) * 2;
const endSeq = ({ seq }: Task): number => seq * 2 + 1;

const endOf = ({ state }: Task): TaskMoment => (state === 'succeeded' ? 'completed' : 'failed');

/** The updates of one step. The end always sends the last progress first; a task that never started has none. */
const momentsOf = (moment: TaskMoment, { startedAt }: Task): TaskMoment[] =>
  moment === 'started' || moment === 'progress' || startedAt === undefined ? [moment] : ['progress', moment];

/** All updates of a task so far, for a client that has missed them. */
export function momentsUpToNow(task: Task): TaskMoment[] {
  if (task.startedAt === undefined) return isOpen(task) ? [] : [endOf(task)];
  if (!isOpen(task)) return ['started', 'progress', endOf(task)];
  return task.seq > seqBefore(task) + 1 ? ['started', 'progress'] : ['started'];
}

export function taskUpdate(moment: TaskMoment, updated: UpdatedTask, now: number): TaskUpdate {
  const { taskId, task, about, result } = updated;
  const { progress, tokens } = task;
  const common = { moment, taskId, progress, tokens, waitingFor: waitingFor(task), metadata: about.metadata ?? {} };
  if (moment === 'started') return { ...common, seq: startedSeq(task), at: task.startedAt ?? now };
  if (moment === 'progress') return { ...common, seq: progressSeq(task), at: lastMovedAt(task, now) };
  const end = { ...common, seq: endSeq(task), at: task.endedAt ?? now };
  return moment === 'failed' ? { ...end, error: failureOf(task, result) } : end;
}

/** Progress is sent at most once a second for each task; its start, its waits, its end and the last progress always. */
const EVERY_MS = 1_000;
const MAX_PACED_TASKS = 10_000;

function progressPace(clock: Clock): (taskId: string, task: Task, moments: TaskMoment[]) => boolean {
  const recent = lruCache<string, true>({ clock, ttlMs: EVERY_MS, max: MAX_PACED_TASKS });

  return (taskId, task, moments) => {
    const { endedAt } = task;
    if (endedAt !== undefined) recent.delete(taskId);
    if (endedAt !== undefined || moments[0] === 'started' || waitingFor(task) !== undefined) return true;
    if (recent.get(taskId)) return false;
    recent.set(taskId, true);
    return true;
  };
}

/** Sends the updates of an organization's tasks: in order for each task, and independently between tasks. */
type TaskNotifierPorts = { table: Table; clock: Clock; log: Log; watchers: Watchers };
type UpdateOutlet = {
  textOf(update: TaskUpdate): string;
  hasListeners(organization: string): Promise<boolean>;
  send(organization: string, messages: SocketMessage[]): Promise<void>;
  /** Tracks work that must finish before the process may exit. */
  following(work: Promise<unknown>): void;
};

function taskNotifier({ table, clock, log, watchers }: TaskNotifierPorts, outlet: UpdateOutlet): NotifyTask {
  const isDue = progressPace(clock);
  const lines = new Map<string, Promise<void>>();
  const aboutOf = cachedDetails(table);
  const lastProgress = lruCache<string, Task>({ max: MAX_TASKS });

  /** The end of a task repeats its last progress, unless that was the last update sent. */
  function withoutRepeat(moments: TaskMoment[], { address, task }: NotifiedTask): TaskMoment[] {
    const before = lastProgress.get(address.taskId);
    if (!isOpen(task)) lastProgress.delete(address.taskId);
    else if (moments.includes('progress')) lastProgress.set(address.taskId, task);
    const isRepeated =
      before?.progress === task.progress && before.tokens === task.tokens && waitingFor(before) === waitingFor(task);
    return isRepeated ? moments.filter((moment) => moment !== 'progress') : moments;
  }

  async function spread(moments: TaskMoment[], of: NotifiedTask): Promise<void> {
    const { address } = of;
    if (!(await outlet.hasListeners(address.organization))) return;
    const updated = await readSurroundings(table, aboutOf, of);
    const messages = withoutRepeat(moments, of).map((moment): SocketMessage => {
      const update = taskUpdate(moment, updated, clock.now());
      return { text: outlet.textOf(update), about: update };
    });
    await outlet.send(address.organization, messages);
  }

  return (effects, address, task, about) => {
    if (task.face !== 'agents') return;
    const { organization, taskId } = address;
    const moments = effects.flatMap((effect) => (effect.do === 'push' ? momentsOf(effect.message, task) : []));
    if (moments.length === 0) return;
    if (watchers.known(organization)?.length === 0 || !isDue(taskId, task, moments)) return;
    const before = lines.get(taskId) ?? Promise.resolve();
    const line: Promise<void> = before
      .then(() => spread(moments, { address, task, about }))
      .catch((error) => log.warn('task updates were not sent', { ...address, error }))
      .finally(() => {
        if (lines.get(taskId) === line) lines.delete(taskId);
      });
    lines.set(taskId, line);
    outlet.following(line);
  };
}

type NotifiedTask = { address: TaskAddress; task: Task; about: TaskDetails | undefined };
type DetailsOf = (of: NotifiedTask) => Promise<TaskDetails | undefined>;

const MAX_TASKS = 1_000;

/** Details never change, so one read serves all updates of a task. */
function cachedDetails(table: Table): DetailsOf {
  const known = lruCache<string, ReturnType<DetailsOf>>({ max: MAX_TASKS });
  return ({ address, task, about: details }) => {
    const { taskId } = address;
    const about = known.get(taskId) ?? (details ? Promise.resolve(details) : readDetails(table, address));
    if (isOpen(task)) known.set(taskId, about);
    else known.delete(taskId);
    about.catch(() => known.delete(taskId));
    return about;
  };
}

const readDetails = async (table: Table, address: TaskAddress): Promise<TaskDetails | undefined> =>
  (await table.get<TaskDetails>(detailsKey(address)))?.value;

async function readSurroundings(table: Table, aboutOf: DetailsOf, of: NotifiedTask): Promise<UpdatedTask> {
  const { address, task } = of;
  const [about, result] = await Promise.all([
    aboutOf(of),
    isOpen(task) || task.state === 'succeeded' ? undefined : resultOf(table, address, task),
  ]);
  return { taskId: address.taskId, task, about: about ?? {}, result };
}

/** Sends task updates and notices to the connections of an organization. Best effort: callers never wait. */
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

/** Sends a text to all listening connections of one organization or of all. */
type AnnouncePorts = SlotPorts & { sockets: Sockets };

const AT_ONCE = 100;

/** Returns how many connections were reached. */
export async function announce(ports: AnnouncePorts, text: string, only?: string): Promise<number> {
  const { table, clock, sockets } = ports;
  const organizations = only === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [only];
  let reached = 0;
  for (let from = 0; from < organizations.length; from += AT_ONCE) {
    const some = organizations.slice(from, from + AT_ONCE);
    const rows = await table.getMany<{ places: ConnectionSlot[] }>(some.map(connectionSlots.keyOf));
    const listening = rows
      .flatMap((row) => connectionSlots.parse(row, clock.now()))
      .filter(({ channels }) => channels.includes('system_notifications'));
    const posted = await Promise.allSettled(listening.map(({ connection }) => sockets.post(connection, text)));
    reached += posted.filter((each) => each.status === 'fulfilled' && each.value === 'sent').length;
  }
  return reached;
}

/** For a task, `seq` orders its updates. */
type SocketMessage = { text: string; about?: { taskId: string; seq: number } };

/** A connection and its organization. */
type Recipient = { connection: string; organization: string };

type SendBuffers = {
  put(to: Recipient, message: SocketMessage): void;
  /** Buffers messages until `release` is called. */
  hold(to: Recipient): void;
  /** Omits updates that are not newer than these sequence numbers, by task. */
  release(to: Recipient, sentVersions: ReadonlyMap<string, number>): void;
  /** Resolves when no send is in progress. */
  settled(): Promise<void>;
};

type SendBuffer = {
  waiting: SocketMessage[];
  bytes: number;
  isBehind: boolean;
  isHeld: boolean;
  sending?: Promise<void>;
};
type Options = {
  sockets: Pick<Sockets, 'post'>;
  log: Log;
  /** The message for a connection whose messages were dropped. */
  behind(): string;
  gone(who: Recipient): void;
};

export function sendBuffers({ sockets, log, behind, gone }: Options): SendBuffers {
  const buffers = new Map<string, SendBuffer>();

  function boxOf(connection: string): SendBuffer {
    const box = buffers.get(connection) ?? { waiting: [], bytes: 0, isBehind: false, isHeld: false };
    buffers.set(connection, box);
    return box;
  }

  function send(to: Recipient, box: SendBuffer): void {
    if (!box.isHeld) box.sending ??= sendAll(to, box).catch((error) => failed(to, box, error));
  }

  async function sendAll(to: Recipient, box: SendBuffer): Promise<void> {
    const { connection } = to;
    for (let next = take(box, behind); next !== undefined; next = take(box, behind)) {
      if ((await sockets.post(connection, next)) === 'sent') continue;
      buffers.delete(connection);
      return gone(to);
    }
    delete box.sending;
    if (!box.isHeld) buffers.delete(connection);
  }

  function failed(to: Recipient, box: SendBuffer, error: unknown): void {
    log.warn('a message to a connection was not sent', { ...to, error });
    drop(box);
    delete box.sending;
  }

  return {
    put(to, message) {
      const box = boxOf(to.connection);
      // After a loss, later messages are dropped too until the client was notified; it must poll.
      if (!box.isBehind || !(box.sending || box.isHeld)) add(box, message);
      send(to, box);
    },
    hold({ connection }) {
      boxOf(connection).isHeld = true;
    },
    release(to, sentVersions) {
      const box = boxOf(to.connection);
      box.isHeld = false;
      box.waiting = box.waiting.filter(({ about }) => !about || about.seq > (sentVersions.get(about.taskId) ?? 0));
      box.bytes = box.waiting.reduce((sum, { text }) => sum + text.length, 0);
      if (box.waiting.length > 0 || box.isBehind) send(to, box);
      else if (!box.sending) buffers.delete(to.connection);
    },
    async settled() {
      for (;;) {
        const sending = [...buffers.values()].flatMap((box) => box.sending ?? []);
        if (sending.length === 0) return;
        await Promise.all(sending);
      }
    },
  };
}

function add(box: SendBuffer, message: SocketMessage): void {
  box.waiting.push(message);
  box.bytes += message.text.length;
  const { waitingMessages, waitingBytes } = SOCKET_LIMITS;
  if (box.waiting.length > waitingMessages || box.bytes > waitingBytes) drop(box);
}

function drop(box: SendBuffer): void {
  box.waiting = [];
  box.bytes = 0;
  box.isBehind = true;
}

/** Sends the notice of a loss before any other message. */
function take(box: SendBuffer, behind: () => string): string | undefined {
  if (box.isHeld) return undefined;
  if (box.isBehind) {
    box.isBehind = false;
    return behind();
  }
  const next = box.waiting.shift();
  box.bytes -= next?.text.length ?? 0;
  return next?.text;
}
