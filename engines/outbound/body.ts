/** The body of an answer: pulled by its reader, counted as it comes over the wire, never unpacked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from './attempt.ts';
import { failed, isOutboundFailure } from './failure.ts';
import type { Life } from './life.ts';

type Limits = { maxBytes: number; idleMs: number };

export async function* bodyOf(reply: Reply, { maxBytes, idleMs }: Limits, life: Life): AsyncGenerator<Uint8Array> {
  const { response } = reply;
  const patience = () => setTimeout(() => response.destroy(failed('idleTime')), idleMs);
  let idle = patience();
  try {
    if (Number(response.headers['content-length']) > maxBytes) throw failed('tooLarge');
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      clearTimeout(idle);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw failed('tooLarge');
      yield chunk;
      idle = patience();
    }
    await ended(reply);
  } catch (cause) {
    if (life.signal.aborted) throw life.signal.reason;
    throw isOutboundFailure(cause) ? cause : failed('broken', cause);
  } finally {
    clearTimeout(idle);
    response.destroy();
    life.end();
  }
}

/** Bytes behind the announced end are noticed only a turn later. */
async function ended({ faultOf, keep }: Reply): Promise<void> {
  await nextTurn();
  const fault = faultOf();
  if (fault) throw fault;
  keep();
}
