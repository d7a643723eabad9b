/** One attempt at one address: one look-up, one judgement of its answers, one connection, one request. */
import type { Agent } from 'node:http';
import { resolveAndCheck } from './answers.ts';
import { dial } from './dial.ts';
import { type RequestMessage, type ResponseHead, sendMessage } from './exchange.ts';
import type { CheckedUrl } from './judge-address.ts';
import type { RequestLimits } from './limits.ts';
import { agentOver, type ConnectionPool } from './lines.ts';
import type { Network } from './wire.ts';

export type RequestContext = { network: Network; pool: ConnectionPool; limits: RequestLimits; signal: AbortSignal };
export type RequestAttempt = {
  target: CheckedUrl;
  message: RequestMessage;
  keepAlive: boolean;
  ca: string | undefined;
};
export type PooledResponse = ResponseHead & { release(): void };

export async function sendOnce(
  { target, message, keepAlive, ca }: RequestAttempt,
  kit: RequestContext,
): Promise<PooledResponse> {
  const { url, reach } = target;
  const trusted = reach === 'anywhere' ? ca : undefined;
  const answers = await resolveAndCheck(target, kit);
  const key = [url.origin, trusted, ...answers.toSorted()].join(' ');
  const over = async (line: Agent): Promise<PooledResponse> => ({
    ...(await sendMessage(line, { url, message }, kit)),
    release: () => kit.pool.release(key, line),
  });

  const idle = keepAlive ? kit.pool.take(key) : undefined;
  // One that its other end closes at this very moment is a failed attempt like any other: what was sent may have been read.
  if (idle) return over(idle);
  const socket = await dial({ url, answers, ca: trusted }, kit);
  try {
    return await over(agentOver(socket, keepAlive));
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}
