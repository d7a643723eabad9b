/** `{type: subscribe, channels, resume_from}`: what a connection wants to hear, and what it has missed. */
import { connectionById } from '../../shared/realtime/connections.ts';
import { momentsUpToNow, taskUpdate } from '../../shared/realtime/notifier.ts';
import { changedSince, MOST_AWAY_MS } from '../../shared/realtime/replay.ts';
import { addChannels } from '../../shared/realtime/slots.ts';
import { type SubscribeMessage, unknownChannels } from './asked.ts';
import type { ConnectionWriter, SocketContext } from './context.ts';
import { SOCKET_TEXTS } from './words.ts';

const LOOKBACK_MS = 200;

type SubscribingConnection = { connection: string; organization: string };

export async function subscribe(
  context: SocketContext,
  speaker: ConnectionWriter,
  { id, asked: { channels: named, resume_from: resume } }: { id: string; asked: SubscribeMessage },
): Promise<void> {
  const { known: channels, unknown } = named;
  const organization = await ownerOf(context, id);
  if (organization === undefined) {
    await speaker.fault(id, 'UNAUTHORIZED', 'Authenticate first, with a websocket_token.');
    return;
  }
  if (unknown.length > 0) await speaker.fault(id, 'INVALID_MESSAGE', unknownChannels(unknown));
  if (channels.length === 0) return;
  const who = { connection: id, organization };
  const told = new Map<string, number>();
  // What happens from now on waits behind what has happened, so that each task is told in its order.
  context.outboxes.hold(who);
  try {
    if (!(await addChannels(context, organization, { connection: id, channels }))) {
      return await speaker.sendAway(id, 'UNAUTHORIZED', 'This connection has lost its place; open another one.');
    }
    context.watchers.forget(organization);
    await context.seen();
    const isThere = await speaker.say(id, { type: 'subscribed', channels });
    if (!isThere || !resume) return;
    if (channels.includes('task_updates')) await replay(context, speaker, { who, since: resume.since, told });
    else await speaker.say(id, catchUp(context.clock.now()));
  } finally {
    context.outboxes.release(who, told);
  }
}

async function ownerOf({ table, looks, wait }: SocketContext, id: string): Promise<string | undefined> {
  for (let look = 0; ; look++) {
    const row = await connectionById(table, id);
    if (row?.value.hasPlace || look >= looks) return row?.value.organization;
    await wait(LOOKBACK_MS);
  }
}

/** Notices are not repeated: who asks for them alone has missed nothing that could be. */
const catchUp = (now: number) => ({ type: 'replay_complete', timestamp: new Date(now).toISOString() });

type AwayPeriod = { who: SubscribingConnection; since: number; told: Map<string, number> };

async function replay(
  { table, clock, atOnce }: SocketContext,
  { say, sayText }: ConnectionWriter,
  { who: { connection, organization }, since, told }: AwayPeriod,
): Promise<void> {
  const now = clock.now();
  const from = Math.min(since, now);
  const changed = now - from > MOST_AWAY_MS ? undefined : await changedSince(table, organization, from);
  if (!changed) return void (await sayText(connection, SOCKET_TEXTS.resync(now)));
  const tasks = changed[Symbol.asyncIterator]();
  let isThere = true;
  async function tellOn(): Promise<void> {
    for (let next = await tasks.next(); !next.done && isThere; next = await tasks.next()) {
      for (const each of next.value) {
        for (const moment of momentsUpToNow(each.task)) {
          const news = taskUpdate(moment, each, now);
          isThere &&= await sayText(connection, SOCKET_TEXTS.ofTask(news));
          told.set(news.taskId, news.seq);
        }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tellOn));
  await say(connection, catchUp(now));
}
