/** Passes streamed bytes on, and has those that have passed forgotten before there are many. */
import type { Bytes } from '../shared/ports.ts';

const EVERY_BYTES = 8_388_608;

/**
 * Bytes lie outside V8's heap and are freed when it clears its young generation, which a stream alone does not fill:
 * docs/adr/0007. Without `--expose-gc` they wait for that.
 */
export async function* clearing(body: Bytes): Bytes {
  let passed = 0;
  for await (const chunk of body) {
    passed += chunk.byteLength;
    yield chunk;
    if (passed < EVERY_BYTES) continue;
    passed = 0;
    globalThis.gc?.({ type: 'minor' });
  }
}
