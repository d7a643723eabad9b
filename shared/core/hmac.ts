/** HMAC with SHA-256 (RFC 2104) as two hashes of one call each: Node's own makes an object to be cleared for every signature. */
import { createHmac, hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;
const MOST_BYTES_OF_A_UNIT = 3;
/** Of a longer text the hash itself is most of the work. */
const MOST_BYTES = 4_096;

/** Of a key: the block before the text, and the block before the hash of both, with room for that hash. */
type Blocks = { inner: Buffer; outer: Buffer };

const blocksOf = new WeakMap<KeyObject, Blocks>();
const message = Buffer.alloc(MOST_BYTES);

export function hmac(key: KeyObject, text: string, encoding: 'hex' | 'base64' | 'base64url'): string {
  if (BLOCK_BYTES + text.length * MOST_BYTES_OF_A_UNIT > MOST_BYTES) {
    return createHmac('sha256', key).update(text).digest(encoding);
  }
  const { inner, outer } = blocksOf.get(key) ?? prepared(key);
  message.set(inner);
  const end = BLOCK_BYTES + message.write(text, BLOCK_BYTES, 'utf8');
  // A short text costs a third of what a buffer does.
  outer.write(hash('sha256', message.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
  return hash('sha256', outer, encoding);
}

function prepared(key: KeyObject): Blocks {
  const given = key.export();
  const bytes = given.length > BLOCK_BYTES ? hash('sha256', given, 'buffer') : given;
  const blocks = { inner: Buffer.alloc(BLOCK_BYTES, INNER), outer: Buffer.alloc(BLOCK_BYTES + HASH_BYTES, OUTER) };
  for (const [at, byte] of bytes.entries()) {
    blocks.inner[at] = byte ^ INNER;
    blocks.outer[at] = byte ^ OUTER;
  }
  blocksOf.set(key, blocks);
  return blocks;
}
