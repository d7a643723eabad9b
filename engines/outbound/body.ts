/** The body of an answer: pulled by its reader, counted as it comes over the wire, never unpacked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PooledResponse } from './attempt.ts';
import { failure, isOutboundFailure } from './failure.ts';
import type { RequestLifetime } from './life.ts';

type BodyLimits = { maxBytes: number; idleMs: number };

export async function* readBody(
  reply: PooledResponse,
  { maxBytes, idleMs }: BodyLimits,
  life: RequestLifetime,
): AsyncGenerator<Uint8Array> {
  const { response } = reply;
  const startIdleTimer = () => setTimeout(() => response.destroy(failure('idleTime')), idleMs);
  let idle = startIdleTimer();
  try {
    if (Number(response.headers['content-length']) > maxBytes) throw failure('tooLarge');
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      clearTimeout(idle);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw failure('tooLarge');
      yield chunk;
      idle = startIdleTimer();
    }
    await finishBody(reply);
  } catch (cause) {
    if (life.signal.aborted) throw life.signal.reason;
    throw isOutboundFailure(cause) ? cause : failure('broken', cause);
  } finally {
    clearTimeout(idle);
    response.destroy();
    life.end();
  }
}

/** Bytes behind the announced end are noticed only a turn later. */
async function finishBody({ faultOf, release: keep }: PooledResponse): Promise<void> {
  await nextTurn();
  const fault = faultOf();
  if (fault) throw fault;
  keep();
}
