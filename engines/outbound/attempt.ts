/** One attempt at one address: one look-up, one judgement of its answers, one connection, one request. */
import type { Agent } from 'node:http';
import { judgedAnswers } from './answers.ts';
import { dial } from './dial.ts';
import { type Exchange, exchange, type Message } from './exchange.ts';
import type { Target } from './judge-address.ts';
import type { Limits } from './limits.ts';
import { type Lines, lineOver } from './lines.ts';
import type { Network } from './wire.ts';

export type Kit = { network: Network; lines: Lines; limits: Limits; signal: AbortSignal };
export type Attempt = { target: Target; message: Message; keepAlive: boolean; ca: string | undefined };
export type Reply = Exchange & { keep(): void };

export async function attempt({ target, message, keepAlive, ca }: Attempt, kit: Kit): Promise<Reply> {
  const { url, reach } = target;
  const trusted = reach === 'anywhere' ? ca : undefined;
  const answers = await judgedAnswers(target, kit);
  const place = [url.origin, trusted, ...answers.toSorted()].join(' ');
  const over = async (line: Agent): Promise<Reply> => ({
    ...(await exchange(line, { url, message }, kit)),
    keep: () => kit.lines.keep(place, line),
  });

  const kept = keepAlive ? kit.lines.take(place) : undefined;
  // One that its other end closes at this very moment is a failed attempt like any other: what was sent may have been read.
  if (kept) return over(kept);
  const socket = await dial({ url, answers, ca: trusted }, kit);
  try {
    return await over(lineOver(socket, keepAlive));
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}
