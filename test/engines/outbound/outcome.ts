/** The outcome of a request: the answer's status and text, or the error. */
import type { RequestOptions } from '../../../engines/outbound/request.ts';
import type { Guard } from './guard.ts';

export type Outcome = { status: number; text: string; url: string } | { kind: string; reason: string };

type Send = ReturnType<Guard['outbound']>;

export async function outcomeOf(send: Send, address: string, ask: RequestOptions): Promise<Outcome> {
  try {
    const answer = await send(address, ask);
    const parts: Uint8Array[] = [];
    for await (const part of answer.body) parts.push(part);
    return { status: answer.status, text: Buffer.concat(parts).toString(), url: answer.url };
  } catch (error) {
    const { kind, reason } = error as { kind?: string; reason?: string };
    if (kind === undefined || reason === undefined) throw error;
    return { kind, reason };
  }
}
